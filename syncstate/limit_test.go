//go:build unix

package syncstate

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// TestFullDiskProcess is the child of TestFullDisk: its files cannot grow beyond a limit, as on a
// full disk.
func TestFullDiskProcess(t *testing.T) {
	path := os.Getenv(childFile)
	if path == "" {
		t.Skip("it is the child of TestFullDisk")
	}
	signal.Ignore(syscall.SIGXFSZ)
	s := opened(t, path)
	limit(t, 128<<10)
	i, err := 0, error(nil)
	for ; err == nil && i < 1000; i++ {
		err = s.Update(folder(i), func(r *Record) error { *r = finished(36); return nil })
	}
	if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), syscall.EFBIG.Error()) {
		t.Errorf("folder %d: %v", i, err)
	}
	if err := s.Delete(shoe()); !errors.Is(err, ErrUnknown) {
		t.Errorf("work went on: %v", err)
	}
	limit(t, 64<<20)
	must(t, s.Reopen())
	for j := range i - 1 {
		wantRecord(t, s, folder(j), finished(36))
	}
	set(t, s, folder(i-1), finished(36))
	fmt.Println("recovered")
}

func limit(t *testing.T, size uint64) {
	var l syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l))
	l.Cur = size
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l))
}

// A full disk stops the store with an error that names the cause, and once there is room it goes on with
// all that was saved.
func TestFullDisk(t *testing.T) {
	cmd := child(t, "TestFullDiskProcess", checkedPath(t))
	if out, err := cmd.Output(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestReadOnlyFile(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write all files")
	}
	path := checkedPath(t)
	must(t, opened(t, path).Close())
	must(t, os.Chmod(path, 0o400))
	if _, err := Open(path, studio()); !errors.Is(err, os.ErrPermission) {
		t.Errorf("error %v, want os.ErrPermission", err)
	}
}
