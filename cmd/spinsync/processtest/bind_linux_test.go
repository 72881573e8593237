package processtest

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// bindMount shows a directory at another place too, where the test may do that.
func bindMount(t *testing.T, dir, at string) bool {
	if os.Geteuid() != 0 {
		return false
	}
	must(t, os.Mkdir(at, 0o755))
	must(t, unix.Mount(dir, at, "", unix.MS_BIND, ""))
	t.Cleanup(func() { _ = unix.Unmount(at, unix.MNT_DETACH) })
	return true
}
