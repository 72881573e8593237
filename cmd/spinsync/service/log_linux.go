package service

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"syscall"
)

// systemLog returns the journal when it is what stderr is connected to. A shell that a service
// started inherits the variable, but not the connection.
func systemLog(stderr io.Writer, env func(string) string) putLine {
	f, ok := stderr.(*os.File)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || env("JOURNAL_STREAM") != fmt.Sprintf("%d:%d", stat.Dev, stat.Ino) {
		return nil
	}
	return journal(stderr)
}

// journal writes lines with the prefix that sd-daemon(3) gives a priority.
func journal(w io.Writer) putLine {
	return func(level slog.Level, line []byte) error {
		prefixed := append(strconv.AppendInt([]byte("<"), priority(level), 10), '>')
		_, err := w.Write(append(prefixed, line...))
		return err
	}
}

func priority(level slog.Level) int64 {
	switch {
	case level >= slog.LevelError:
		return 3
	case level >= slog.LevelWarn:
		return 4
	case level >= slog.LevelInfo:
		return 6
	}
	return 7
}
