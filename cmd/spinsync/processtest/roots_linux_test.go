package processtest

import (
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"spinsync/apiclient/sandbox"
	"spinsync/watcher"
)

// Another volume, another directory or an empty one in the place of a root is noticed at the start and while the program
// runs. Nothing is concluded from what it holds or lacks, and the root goes on when it is back.
func TestSwappedRoot(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	random := newRandom(t)
	w := &studio{t: t, random: random, service: newService(t, sandbox.Shapes{})}
	path := filepath.Join(t.TempDir(), "shoots")
	w.roots = []string{path}
	for _, sku := range []string{"A", "B"} {
		s := newShoot(t, random, path, sku, 0)
		s.shootAll(3)
		w.shoots = append(w.shoots, s)
	}
	w.installation = install(t, w.service.url, root{path, "quiet = \"200ms\"\non_remove = \"delete\"\nrescan = \"2s\""})
	if _, said, code := w.run("sync"); code != 0 {
		t.Fatalf("sync exits with %d and says %s", code, said)
	}
	volume := newDisk(t, "8M").dir
	strange, empty := t.TempDir(), t.TempDir()
	for _, place := range []string{volume, strange} { // the same names with other photos
		other := newShoot(t, random, place, "A", 0)
		other.shootAll(2)
	}
	t.Cleanup(func() { _ = unix.Unmount(path, unix.MNT_DETACH) }) // for a test that failed
	for _, place := range []string{volume, strange, empty} {
		must(t, unix.Mount(place, path, "", unix.MS_BIND, ""))
		p := w.start("run")
		w.rootOffline()
		must(t, unix.Unmount(path, unix.MNT_DETACH))
		w.shoots[1].shootAll(3)
		published(t, w.installation, w.service, w.shoots, time.Minute)
		must(t, unix.Mount(place, path, "", unix.MS_BIND, ""))
		w.rootOffline()
		p.kill()
		must(t, unix.Unmount(path, unix.MNT_DETACH))
	}
	w.check()
}

func (w *studio) rootOffline() {
	w.t.Helper()
	var last watcher.RootStatus
	defer func() {
		if w.t.Failed() {
			w.t.Logf("the root is %+v", last)
		}
	}()
	wait(w.t, "the root is offline", time.Minute, func() bool {
		s, ok := w.status()
		if !ok || len(s.Roots) == 0 {
			return false
		}
		last = s.Roots[0]
		return !last.Online && containsAny(last.Reason, []string{"another volume", "another folder", "holds no product folder"})
	})
	checkService(w.t, w.service, w.shoots)
}
