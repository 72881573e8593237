package nofollow

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/windows"
)

// Windows finds something else under some names.
func TestIsPlain(t *testing.T) {
	for _, name := range []string{"SKU-1", "a b.c d", ".hidden", "café.jpg", "auxiliary.png"} {
		if !IsPlain(name) {
			t.Errorf("%q is not plain", name)
		}
	}
	for _, name := range []string{"SKU-1.", "SKU-1 ", "SKU-1. .", "aux", "NUL"} {
		if IsPlain(name) {
			t.Errorf("%q is plain", name)
		}
	}
}

// The files of clouds and archives are no links.
func TestIsPlainFileOfACloud(t *testing.T) {
	for what, tag := range map[string]uint32{"OneDrive": 0x9000701A, "Azure File Sync": 0x8000001E, "an archive": 0xC0000004} {
		if isSurrogate(tag) {
			t.Errorf("a file of %s is a link", what)
		}
	}
	for what, tag := range map[string]uint32{"link": windows.IO_REPARSE_TAG_SYMLINK, "junction": windows.IO_REPARSE_TAG_MOUNT_POINT, "link of WSL": 0xA000001D} {
		if !isSurrogate(tag) {
			t.Errorf("a %s is none", what)
		}
	}
}

// A directory can be renamed while it is listed.
func TestListedDirectoryIsRenamed(t *testing.T) {
	above, err := os.MkdirTemp("", "listed")
	if err != nil {
		t.Fatal(err)
	}
	dir, renamed := filepath.Join(above, "SKU-1"), filepath.Join(above, "SKU-2")
	for _, name := range []string{"b", "a"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	open, err := openShared(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, renamed); err != nil {
		t.Error(err)
	}
	if err := open.Close(); err != nil {
		t.Error(err)
	}
	entries, err := ReadDir(renamed)
	if err != nil || len(entries) != 2 || entries[0].Name() != "a" || !entries[0].IsDir() {
		t.Errorf("it lists %v, %v", entries, err)
	}
	if _, err := ReadDir(dir); !IsGone(err) {
		t.Errorf("its former name: %v", err)
	}
	if _, err := ReadDir(filepath.Join(renamed, "none", "x")); !IsGone(err) {
		t.Errorf("none: %v", err)
	}
	for _, path := range []string{filepath.Join(renamed, "a"), filepath.Join(renamed, "b"), renamed, above} {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}
