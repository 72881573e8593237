package processtest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"spinsync/daemon/status"
	"spinsync/watcher"
)

// Another volume, another directory or an empty one in the place of a root is noticed at the start
// and while the program runs. Nothing is concluded from what it holds or lacks, and the root goes
// on when it is back.
func TestSwappedRoot(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	random := newRandom(t)
	w := oneRoot(t, random, "A", "B")
	w.shootEverywhere()
	path := w.roots[0]
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

// A drive that is mounted on a project or product folder is unmounted before the start, and leaves
// an empty directory or none. Its views stay. Work on them goes on when the drive is back, or they
// are deleted when a person accepts its absence.
func TestUnmountedBelowARoot(t *testing.T) {
	t.Parallel()
	for at, which := range map[string]string{"Summer": "project", "Summer/A": "product"} {
		for _, gone := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, mount point gone %v", which, gone), func(t *testing.T) {
				t.Parallel()
				needsRoot(t)
				testUnmountedBelowARoot(t, at, gone)
			})
		}
	}
}

func testUnmountedBelowARoot(t *testing.T, at string, gone bool) {
	random := newRandom(t)
	w := oneRoot(t, random)
	path := w.roots[0]
	m := newMount(t, filepath.Join(path, filepath.FromSlash(at)), gone)
	m.connect()
	mounted, other := newShootIn(t, random, path, "Summer", "A", 0), newShootIn(t, random, path, "Winter", "B", 0)
	w.shoots = []*shoot{mounted, other}
	w.shootEverywhere()
	w.installation = install(t, w.service.url, root{path, "quiet = \"200ms\"\non_remove = \"delete\"\nrescan = \"2s\""})
	if _, said, code := w.run("sync"); code != 0 {
		t.Fatalf("sync exits with %d and says %s", code, said)
	}

	m.disconnect()
	if _, said, code := w.runFor(time.Minute, "sync"); code != 1 {
		t.Errorf("sync without the drive exits with %d and says %s", code, said)
	}
	p := w.start("run")
	w.driveMissed(4)
	m.connect()
	other.shootAll(3)
	mounted.shootAll(3)
	published(t, w.installation, w.service, w.shoots, time.Minute)
	p.kill()
	w.check()

	m.disconnect()
	w.service.mayDelete = true
	w.start("run")
	w.driveMissed(1)
	if _, said, code := w.run("retry", path); code != 0 {
		t.Fatalf("retry exits with %d and says %s", code, said)
	}
	wait(t, "the drive's folder is let go", time.Minute, func() bool {
		s, _ := w.status()
		if at == "Summer/A" && !gone { // it is an empty folder, whose view stays
			return len(s.Products) == 2 && containsAny(s.Products[0].Reason, []string{"no frames"})
		}
		return allIn(s, status.Published, 1)
	})
}

// A mount is a drive that is mounted on a folder, and may take the folder with it.
type mount struct {
	t             *testing.T
	point, volume string
	leavesNothing bool
}

func newMount(t *testing.T, point string, leavesNothing bool) *mount {
	m := &mount{t, point, newDisk(t, "8M").dir, leavesNothing}
	t.Cleanup(func() { _ = unix.Unmount(point, unix.MNT_DETACH) }) // for a test that failed
	return m
}

func (m *mount) connect() {
	must(m.t, os.MkdirAll(m.point, 0o755))
	must(m.t, unix.Mount(m.volume, m.point, "", unix.MS_BIND, ""))
}

func (m *mount) disconnect() {
	must(m.t, unix.Unmount(m.point, unix.MNT_DETACH))
	if m.leavesNothing {
		must(m.t, os.Remove(m.point))
	}
}

// driveMissed waits until the program has reported of the first folder that its drive is gone, and
// has read the root that often since.
func (w *studio) driveMissed(reads int) {
	w.t.Helper()
	var last status.Status
	defer func() {
		if w.t.Failed() {
			w.t.Logf("the status is %+v\n%s", last, w.logTail())
		}
	}()
	var read time.Time
	wait(w.t, "the drive is missed", time.Minute, func() bool {
		s, ok := w.status()
		if !ok || len(s.Roots) == 0 || len(s.Products) == 0 {
			return false
		}
		last = s
		if !containsAny(s.Products[0].Reason, []string{"was the mount point of a drive that is gone: connect the drive; if it is right as it is, accept it with"}) {
			return false
		}
		if s.Roots[0].LastRead.After(read) {
			read = s.Roots[0].LastRead
			reads--
		}
		return reads < 0
	})
	checkService(w.t, w.service, w.shoots)
}
