//go:build unix

package rootlock

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A lock is held by one program, until that one ends. All users can ask for it.
func TestLockFile(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	path := filepath.Join(t.TempDir(), "lock")
	if isFileHeld(path) {
		t.Error("what nobody made is held")
	}
	for range 2 {
		h, err := holdFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !isFileHeld(path) || h.lost() {
			t.Error("it is not held")
		}
		if _, err := holdFile(path); !errors.Is(err, ErrHeld) {
			t.Errorf("a second holder: %v", err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o444 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		if err := h.release(); err != nil {
			t.Error(err)
		}
		if isFileHeld(path) {
			t.Error("it is held without a holder")
		}
	}
}

// Who asks whether a lock is held keeps nobody from holding it.
func TestLockIsAskedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	asked, err := makeLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(asked.Fd()), syscall.LOCK_SH); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { asked.Close() })
	h, err := holdFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.release(); err != nil {
		t.Error(err)
	}
}

// A file with the name of a lock that is none stays as it is and is not locked.
func TestNoLockFile(t *testing.T) {
	for kind, put := range map[string]func(other, path string) error{
		"hard link":     os.Link,
		"symbolic link": os.Symlink,
		"link to none":  func(other, path string) error { return os.Symlink(other+"2", path) },
		"pipe":          func(_, path string) error { return syscall.Mkfifo(path, 0o600) },
		"directory":     func(_, path string) error { return os.Mkdir(path, 0o700) },
	} {
		path, other := filepath.Join(t.TempDir(), "lock"), filepath.Join(t.TempDir(), "zshrc")
		if err := os.WriteFile(other, []byte("export"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := put(other, path); err != nil {
			t.Fatal(err)
		}
		if _, err := holdFile(path); err == nil || isFileHeld(path) {
			t.Errorf("%s: it is held, %v", kind, err)
		}
		content, err := os.ReadFile(other)
		info, _ := os.Stat(other)
		if err != nil || string(content) != "export" || info.Mode() != 0o600 {
			t.Errorf("%s: the other file: %q, %v, %v", kind, content, info.Mode(), err)
		}
		if _, err := os.Stat(other + "2"); err == nil {
			t.Errorf("%s: a file was made behind the link", kind)
		}
	}
}

// When a cleaner removes the file of a lock, the next check takes the lock again, unless another program
// holds it by then.
func TestLockIsTidiedUp(t *testing.T) {
	folder, path := t.TempDir(), filepath.Join(t.TempDir(), "lock")
	h, err := holdFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h.name, h.folder = "path-"+t.TempDir(), folder
	l := Lock{held: []heldName{h}}
	if err := l.Check(folder); err != nil || l.held[0].lost == nil {
		t.Fatalf("it was held again before: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	other := Lock{}
	taken, _, err := other.hold(h.name, folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Check(folder); !errors.Is(err, ErrHeld) {
		t.Errorf("another program holds it: %v", err)
	}
	if err := taken.release(); err != nil {
		t.Fatal(err)
	}
	if err := l.Check(folder); err != nil {
		t.Error(err)
	}
	if _, _, err := other.hold(h.name, folder); !errors.Is(err, ErrHeld) {
		t.Errorf("it is not held again: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
}
