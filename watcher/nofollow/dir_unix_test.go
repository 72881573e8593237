//go:build unix

package nofollow

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
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
}
