//go:build unix

package nofollow

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Links are not followed, on the way and at its end, and only regular files are opened.
func TestLinksAreNotFollowed(t *testing.T) {
	root := t.TempDir()
	at := func(below string) string { return filepath.Join(root, below) }
	for _, err := range []error{
		os.MkdirAll(at("project/shoe"), 0o755), os.WriteFile(at("project/shoe/1.jpg"), nil, 0o644),
		os.Symlink("project", at("linked")), os.Symlink("1.jpg", at("project/shoe/2.jpg")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, below := range []string{"linked", "linked/shoe", "project/shoe/1.jpg", "project/shoe/2.jpg"} {
		if dir, err := OpenBelow(root, below); !errors.Is(err, ErrNoDir) {
			t.Errorf("%s is opened as a directory: %v, %v", below, dir, err)
		}
	}
	dir, err := OpenBelow(root, "project/shoe")
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	file, err := dir.OpenRegular("1.jpg")
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	if file, err := dir.OpenRegular("2.jpg"); err == nil {
		t.Errorf("the link is opened: %v", file)
	}
	_, opening := dir.openRegular("3.jpg")
	_, asking := dir.Stat("3.jpg")
	for op, err := range map[string]error{"open": opening, "stat": asking} {
		if want := op + " " + at("project/shoe/3.jpg") + ": no such file or directory"; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A pipe that comes to a photo's place before it is opened keeps nobody waiting.
func TestPipeInPlaceOfAPhoto(t *testing.T) {
	at := t.TempDir()
	pipe := filepath.Join(at, "1.jpg")
	if err := unix.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	dir, err := Open(at)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	opened := make(chan error, 1)
	go func() {
		_, err := dir.openRegular("1.jpg")
		opened <- err
	}()
	select {
	case err := <-opened:
		if want := "open " + pipe + ": not a regular file"; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	case <-time.After(10 * time.Second):
		t.Error("the open waits for somebody who writes into the pipe")
		if writer, err := os.OpenFile(pipe, os.O_WRONLY|unix.O_NONBLOCK, 0); err == nil {
			writer.Close()
		}
	}
}

// A file is read as it always was, though it was opened without waiting.
func TestOpenFileBlocks(t *testing.T) {
	at := t.TempDir()
	if err := os.WriteFile(filepath.Join(at, "1.jpg"), []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir, err := Open(at)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	file, err := dir.OpenRegular("1.jpg")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if flags, err := unix.FcntlInt(file.Fd(), unix.F_GETFL, 0); err != nil || flags&unix.O_NONBLOCK != 0 {
		t.Errorf("flags %x, %v", flags, err)
	}
	if got, err := io.ReadAll(file); string(got) != "abc" {
		t.Errorf("read %q, %v", got, err)
	}
}

// A name that a drive lists twice is one file. A listing is longer than one buffer of the system.
func TestEachNameOnce(t *testing.T) {
	if got := inOrder([]string{"b", "a", "b", "c", "a"}); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("names %v", got)
	}
	at := t.TempDir()
	var want []string
	for i := range 1000 {
		name := fmt.Sprintf("a photo with a long name, number %04d.jpg", i)
		want = append(want, name)
		if err := os.WriteFile(filepath.Join(at, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := Open(at)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if got, err := dir.Names(); err != nil || !slices.Equal(got, want) {
		t.Errorf("%d names, %v", len(got), err)
	}
}
