package processtest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"spinsync/daemon/status"
	"spinsync/watcher"
)

// driveProgram builds the drive that fails on request, a module of its own because nothing else
// needs FUSE.
var driveProgram = sync.OnceValues(func() (path string, err error) {
	path = filepath.Join(filepath.Dir(*program), "faultdrive")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Dir = filepath.Join("testdata", "faultdrive")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the drive that fails on request cannot be built: %w\n%s", err, out)
	}
	return path, nil
})

// A drive shows a directory at another place, where it fails on request.
type drive struct {
	t       *testing.T
	program string
	dir, at string
	faults  string
	server  *exec.Cmd
}

func newDrive(t *testing.T) *drive {
	t.Helper()
	needsRoot(t)
	if _, err := os.Stat("/dev/fuse"); err != nil {
		unable(t, "there is no /dev/fuse")
	}
	program, err := driveProgram()
	if err != nil {
		unable(t, err.Error())
	}
	d := &drive{t: t, program: program, dir: t.TempDir(), at: t.TempDir(), faults: filepath.Join(t.TempDir(), "faults")}
	t.Cleanup(d.remove)
	d.connect()
	return d
}

func (d *drive) connect() {
	d.t.Helper()
	d.server = exec.Command(d.program, d.dir, d.at, d.faults)
	out, err := d.server.StdoutPipe()
	must(d.t, err)
	d.server.Stderr = os.Stderr
	must(d.t, d.server.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "mounted\n" {
		d.t.Fatalf("the drive says %q (%v)", line, err)
	}
}

// fail makes calls on the drive fail in one way until heal.
func (d *drive) fail(word string) { must(d.t, os.WriteFile(d.faults, []byte(word), 0o600)) }

func (d *drive) heal() { d.fail("") }

// die leaves a mount whose server is gone.
func (d *drive) die() {
	_ = d.server.Process.Kill()
	_ = d.server.Wait()
}

// remove leaves an empty directory in the drive's place, although files on it are open.
func (d *drive) remove() {
	d.die()
	_ = unix.Unmount(d.at, unix.MNT_DETACH) // it may be unmounted
}

// A driveStudio has a drive that fails, whose vanished folders would be deleted on the service, and
// a good disk.
type driveStudio struct {
	*studio
	onDrive, onDisk []*shoot
}

func newDriveStudio(t *testing.T, d *drive, folders int) *driveStudio {
	t.Helper()
	random := newRandom(t)
	w := &driveStudio{studio: emptyStudio(t, random)}
	disk := t.TempDir()
	for i := range folders {
		w.onDrive = append(w.onDrive, newShoot(t, random, d.dir, fmt.Sprintf("DRIVE-%d", i), 0))
	}
	w.onDisk = []*shoot{newShoot(t, random, disk, "DISK", 0)}
	w.shoots = append(w.shoots, w.onDrive...)
	w.shoots = append(w.shoots, w.onDisk...)
	w.installation = install(t, w.service.url,
		root{d.at, "quiet = \"300ms\"\non_remove = \"delete\"\nrescan = \"2s\""}, root{disk, `quiet = "300ms"`})
	w.shootEverywhere()
	return w
}

// driveStatus is how the program sees the drive.
func (w *driveStudio) driveStatus() watcher.RootStatus {
	s, ok := w.status()
	if !ok || len(s.Roots) == 0 {
		return watcher.RootStatus{}
	}
	return s.Roots[0]
}

// offline waits until the drive is offline for a reason that holds one of the words.
func (w *driveStudio) offline(patience time.Duration, words ...string) {
	w.t.Helper()
	var last watcher.RootStatus
	defer func() {
		if w.t.Failed() {
			w.t.Logf("the drive is %+v", last)
		}
	}()
	wait(w.t, "the drive is offline", patience, func() bool {
		last = w.driveStatus()
		return last.Path != "" && !last.Online && containsAny(last.Reason, words) && time.Since(last.Since) < time.Hour
	})
}

func containsAny(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// troubled waits until the folders of the drive show the system's error.
func (w *driveStudio) troubled(word string) {
	w.t.Helper()
	var last status.Status
	defer func() {
		if w.t.Failed() {
			w.t.Logf("the status is %+v", last)
		}
	}()
	wait(w.t, "a folder shows "+word, time.Minute, func() bool {
		last, _ = w.status()
		for _, p := range last.Products {
			if strings.Contains(p.Reason, word) {
				return true
			}
		}
		return false
	})
}

// othersGoOn checks that the good disk is published while the drive fails, and that the service gets
// no request for the drive.
func (w *driveStudio) othersGoOn() {
	w.t.Helper()
	for _, s := range w.onDisk {
		s.shootAll(3)
	}
	wait(w.t, "the good disk published", time.Minute, func() bool { return lackingOf(w.t, w.service, w.shoots, w.onDisk) == "" })
	checkService(w.t, w.service, w.shoots)
}

// A drive that fails in any way holds up nothing but itself, and harms nothing. It is shown with the
// reason, and goes on by itself.
func TestFailingDrive(t *testing.T) {
	t.Parallel()
	for word, isShown := range map[string]func(*driveStudio){
		"read":   func(w *driveStudio) { w.troubled("input/output error") },
		"open":   func(w *driveStudio) { w.troubled("input/output error") },
		"deny":   func(w *driveStudio) { w.troubled("cannot read") },
		"list":   func(w *driveStudio) { w.offline(time.Minute, "input/output error") },
		"lookup": func(w *driveStudio) { w.offline(time.Minute, "input/output error") },
	} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			d := newDrive(t)
			w := newDriveStudio(t, d, 3)
			w.start("run")
			published(t, w.installation, w.service, w.shoots, time.Minute)
			d.fail(word)
			w.shootEverywhere()
			isShown(w)
			w.othersGoOn()
			d.heal()
			published(t, w.installation, w.service, w.shoots, time.Minute)
		})
	}
}

// A drive whose server died, that was pulled out, or that another one took the place of, is
// offline. Its views stay.
func TestVanishedDrive(t *testing.T) {
	t.Parallel()
	d := newDrive(t)
	w := newDriveStudio(t, d, 3)
	w.start("run")
	published(t, w.installation, w.service, w.shoots, time.Minute)

	d.die()
	w.offline(time.Minute, "not connected")
	w.othersGoOn()
	d.remove()
	w.offline(time.Minute, "another volume", "another folder", "holds no product folder")
	w.othersGoOn()
	d.connect()
	published(t, w.installation, w.service, w.shoots, time.Minute)
	d.remove()
	w.shootEverywhere()
	w.offline(time.Minute, "another volume", "another folder", "holds no product folder")
	d.connect()
	published(t, w.installation, w.service, w.shoots, time.Minute)
}

// A drive that does not answer any more keeps neither other folders from being published, however
// many of its own wait, nor the program from ending.
func TestHangingDrive(t *testing.T) {
	t.Parallel()
	d := newDrive(t)
	w := newDriveStudio(t, d, 20)
	p := w.start("run")
	published(t, w.installation, w.service, w.shoots, time.Minute)
	w.shootEverywhere()
	d.fail("hang")
	w.offline(2*time.Minute, "does not answer")
	w.othersGoOn()
	d.heal()
	published(t, w.installation, w.service, w.shoots, time.Minute)

	p.stop(t)
}

// A drive whose files can be listed and opened, and whose reads never return, holds up its own
// folders alone.
func TestStallingDrive(t *testing.T) {
	t.Parallel()
	d := newDrive(t)
	w := newDriveStudio(t, d, 20)
	p := w.start("run")
	published(t, w.installation, w.service, w.shoots, time.Minute)
	d.fail("stall")
	for _, s := range w.onDrive {
		s.shootAll(3)
	}
	wait(t, "the drive's folders are read", time.Minute, func() bool {
		s, _ := w.status()
		reading := 0
		for _, p := range s.Products {
			if containsAny(p.Reason, []string{"checking", "comparing"}) {
				reading++
			}
		}
		return reading >= 16 // more are not worked on at a time
	})
	w.othersGoOn()
	w.offline(time.Minute, "does not answer: a reading of")
	p.stop(t)
	d.heal()
	w.start("run")
	published(t, w.installation, w.service, w.shoots, time.Minute)
}

// On a drive that ignores letter case a folder, or its project, that is renamed by letter case alone
// keeps its view, and is not taken for a second one.
func TestRenameByLetterCase(t *testing.T) {
	t.Parallel()
	for name, rename := range map[string]func(*shoot) (from, to string){
		"product": func(s *shoot) (from, to string) { return s.dir, filepath.Join(filepath.Dir(s.dir), "drive-0") },
		"project": func(s *shoot) (from, to string) {
			project := filepath.Dir(s.dir)
			return project, filepath.Join(filepath.Dir(project), "SUMMER")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDrive(t)
			d.fail("fold")
			w := newDriveStudio(t, d, 1)
			other := newShootIn(t, w.random, d.dir, "Winter", "DRIVE-1", 0) // with no folder left, the drive counts as emptied
			w.shoots = append(w.shoots, other)
			other.shootAll(3)
			w.start("run")
			published(t, w.installation, w.service, w.shoots, time.Minute)
			before, err := w.service.Products()
			must(t, err)
			from, to := rename(w.onDrive[0])
			must(t, os.Rename(from, to))
			known := ""
			isSettled := func() bool {
				s, _ := w.status()
				known = ""
				for _, p := range s.Products {
					known += p.Folder + " " + string(p.State) + ", "
				}
				return strings.Count(known, " published, ") == 3 && strings.Count(known, ", ") == 3 && !strings.Contains(known, "Summer/DRIVE-0")
			}
			wait(t, "the new name alone is known", time.Minute, isSettled)
			for range 3 { // reads that might find the old one again
				last := w.driveStatus().LastRead
				wait(t, "another read of the drive", time.Minute, func() bool { return w.driveStatus().LastRead.After(last) })
			}
			if !isSettled() {
				t.Errorf("known are %s", known)
			}
			after, err := w.service.Products()
			must(t, err)
			if len(after) != len(before) {
				t.Errorf("%d products are %d", len(before), len(after))
			}
		})
	}
}
