package volume

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Another directory of the same volume may be mounted below a root as well as a drive.
func TestMountPoint(t *testing.T) {
	root := t.TempDir()
	point, other := filepath.Join(root, "Summer"), t.TempDir()
	for _, dir := range []string{point, filepath.Join(other, "shoe")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if _, mounted := MountedAt(point); mounted {
		t.Error("a directory is a mount point")
	}
	if err := unix.Mount(other, point, "", unix.MS_BIND, ""); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(point, unix.MNT_DETACH) })
	v, mounted := MountedAt(point)
	if was, err := Survey(other); err != nil || !mounted || v.Identity != was.Identity {
		t.Errorf("mounted %v: %+v, want %+v (%v)", mounted, v, was, err)
	}
	if _, mounted := MountedAt(filepath.Join(point, "shoe")); mounted {
		t.Error("what lies below a mount point is one")
	}
}

// An older Linux does not report mount points, and another device shows them.
func TestOnOtherDevice(t *testing.T) {
	here := t.TempDir()
	for dir, want := range map[string]bool{"/proc": true, here: false, "/proc/self": false, filepath.Join(here, "missing"): false} {
		if got := onOtherDevice(dir); got != want {
			t.Errorf("%s: %t, want %t", dir, got, want)
		}
	}
}

// Of a file system that it does not know, the survey is sure of nothing.
func TestUnknownFileSystem(t *testing.T) {
	if v, err := Survey("/proc/self"); err != nil || v.Sure || v.Lasting || !v.Network || v.Identity.ID != "" || v.Identity.Root != 0 {
		t.Errorf("%+v, %v", v, err)
	}
}
