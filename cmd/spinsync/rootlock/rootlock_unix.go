//go:build unix && !linux

package rootlock

import (
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
	"golang.org/x/text/unicode/norm"
)

// folded lets all ways to write a name be the same, as they usually are on macOS.
func folded(path string) string { return strings.ToLower(norm.NFC.String(path)) }

// hold locks a file in the directory for temporary files that all users share. The file stays,
// since removing it would let two programs lock two files of one name.
func hold(name string, me holder) (release func() error, by holder, err error) {
	file, err := os.OpenFile(fileOf(name), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o666)
	if err != nil {
		return nil, holder{}, err
	}
	_ = file.Chmod(0o666) // another user's program must be able to open it
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, writerOf(file), errors.Join(ErrHeld, file.Close())
	}
	if err != nil {
		return nil, holder{}, errors.Join(err, file.Close())
	}
	_ = file.Truncate(0)
	_, _ = file.Write(me.card())
	return file.Close, holder{}, nil
}

func fileOf(name string) string { return "/tmp/" + systemName(name) }

// find finds who holds a name.
func find(name string) (by holder, held bool) {
	file, err := os.OpenFile(fileOf(name), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return holder{}, false
	}
	defer file.Close()
	if err := unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB); !errors.Is(err, unix.EWOULDBLOCK) {
		return holder{}, false
	}
	return writerOf(file), true
}

func writerOf(file *os.File) holder {
	card, _ := io.ReadAll(io.LimitReader(file, cardSize))
	return readCard(card)
}
