package products

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/watcher"
)

const settle = time.Second

// watch gives test a products file below a root, made by put, and a function that checks it.
func watch(t *testing.T, put func(path string) error, test func(path string, file *File, check func() *Content)) {
	t.Helper()
	watchSpoilt(t, nil, put, test)
}

// watchSpoilt is watch, with errors for reads of the file.
func watchSpoilt(
	t *testing.T, spoil, put func(path string) error, test func(path string, file *File, check func() *Content),
) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		root := t.TempDir()
		files, err := watcher.New([]watcher.Root{{Path: root, Depth: 1, Settle: settle, Drive: watcher.Drive{Spoil: spoil}}}, nil)
		path := filepath.Join(root, "products.csv")
		if err := errors.Join(err, put(path)); err != nil {
			t.Fatal(err)
		}
		file := New(root, "products.csv", settle)
		test(path, file, func() *Content {
			content := file.Check(files, func(string) bool { return true })
			if content != nil {
				file.Take(content)
			}
			return content
		})
	})
}

func write(text string) func(path string) error {
	return func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
}

// A file is read once it has come to rest, and again when it changed and came to rest. Between, no
// folder goes by its old content.
func TestFileIsReadOnceStill(t *testing.T) {
	for _, text := range []string{"sku,title\nSKU-1,Shoe\n", "this,names,nothing\n"} {
		watch(t, write(text), func(path string, file *File, check func() *Content) {
			if check() != nil || !errors.Is(file.Row("a", "SKU-1").Err, ErrBeingWritten) {
				t.Error("it was read before it came to rest")
			}
			time.Sleep(settle)
			if check() == nil || errors.Is(file.Row("a", "SKU-1").Err, ErrBeingWritten) {
				t.Error("it was not read at rest")
			}
			time.Sleep(time.Hour)
			if check() != nil {
				t.Error("it was read again")
			}
			if err := write(text + "SKU-2,Boot\n")(path); err != nil {
				t.Fatal(err)
			}
			if check() != nil || !errors.Is(file.Row("a", "SKU-1").Err, ErrBeingWritten) {
				t.Error("its change went unseen")
			}
			time.Sleep(settle)
			if check() == nil {
				t.Error("its change was not read")
			}
		})
	}
}

// A file that another program holds is waited for, and calls nobody.
func TestFileThatIsHeld(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the system has another error for it")
	}
	held := syscall.EBUSY
	spoil := func(string) error {
		if held == 0 {
			return nil
		}
		return held
	}
	watchSpoilt(t, spoil, write("sku,title\nSKU-1,Shoe\n"), func(_ string, file *File, check func() *Content) {
		check()
		time.Sleep(time.Minute)
		if content := check(); content != nil || !errors.Is(file.Row("a", "SKU-1").Err, ErrBeingWritten) {
			t.Errorf("it was read as %+v", content)
		}
		held = 0
		if check() == nil || file.Row("a", "SKU-1").Says.Title != "Shoe" {
			t.Errorf("it was let go, and its row is %+v", file.Row("a", "SKU-1"))
		}
	})
}

// A file that cannot be read is tried again, and not at each check.
func TestUnreadableFileIsTriedAgain(t *testing.T) {
	put := func(path string) error { return os.Mkdir(path, 0o700) }
	watch(t, put, func(_ string, _ *File, check func() *Content) {
		check()
		time.Sleep(settle)
		for range 2 {
			if content := check(); content == nil || content.Err == nil {
				t.Errorf("it was read as %+v", content)
			}
			time.Sleep(unreadablePause - 1)
			if check() != nil {
				t.Error("it was tried before its time")
			}
			time.Sleep(time.Nanosecond)
		}
	})
}

// A file whose root is away stays in force, and nothing waits for it.
func TestFileOfARootThatIsAway(t *testing.T) {
	watch(t, write("sku,title\nSKU-1,Shoe\n"), func(path string, file *File, check func() *Content) {
		check()
		time.Sleep(settle)
		check()
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		files, err := watcher.New([]watcher.Root{{Path: filepath.Dir(path), Depth: 1, Settle: settle}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if file.Check(files, func(string) bool { return false }) != nil || file.Row("a", "SKU-1").Says.Title != "Shoe" {
			t.Errorf("the row is %+v", file.Row("a", "SKU-1"))
		}
		if check() != nil || !errors.Is(file.Row("a", "SKU-1").Err, ErrBeingWritten) {
			t.Error("the file is gone from a root that is there, and its row stays")
		}
	})
}

// TestWhenRowsMayHaveChanged: the folders are judged again after each table, and after a failure only
// when it is another one.
func TestWhenRowsMayHaveChanged(t *testing.T) {
	table, failed, other := &Content{}, &Content{Err: errors.New("no")}, &Content{Err: errors.New("not at all")}
	file := New("/shoots", "products.csv", settle)
	for i, step := range []struct {
		content *Content
		changed bool
	}{{table, true}, {table, true}, {failed, true}, {failed, false}, {other, true}, {table, true}} {
		if file.Take(step.content) != step.changed {
			t.Errorf("content %d: changed %t", i, !step.changed)
		}
	}
}
