package processtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"spinsync/apiclient/sandbox"
)

// A disk is an ext4 file system of its own, whose power can be cut.
type disk struct {
	t          *testing.T
	image, dir string
	starts     int
}

func newDisk(t *testing.T, size string) *disk {
	t.Helper()
	needsRoot(t)
	needsTool(t, "mkfs.ext4")
	d := &disk{t: t, image: filepath.Join(t.TempDir(), "disk"), dir: t.TempDir()}
	d.do("truncate", "-s", size, d.image)
	d.do("mkfs.ext4", "-q", "-F", d.image)
	d.mount()
	t.Cleanup(d.unmount)
	return d
}

func (d *disk) do(command ...string) {
	d.t.Helper()
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		d.t.Fatalf("%v: %v\n%s", command, err, out)
	}
}

func (d *disk) mount() {
	d.t.Helper()
	if out, err := exec.Command("mount", "-o", "loop", d.image, d.dir).CombinedOutput(); err != nil {
		unable(d.t, "a file system in a file cannot be mounted: "+string(out))
	}
}

// unmount is patient: a process that another test starts at this instant holds all our files until
// it runs its program.
func (d *disk) unmount() {
	d.t.Helper()
	wait(d.t, "the disk is free", time.Minute, func() bool { return unix.Unmount(d.dir, 0) == nil })
}

// stop is the moment of a power failure: nothing more reaches the disk, and every call on it fails.
func (d *disk) stop() {
	d.t.Helper()
	const shutdown = 0x8004587d // EXT4_IOC_SHUTDOWN
	at, err := os.Open(d.dir)
	if err == nil {
		err = errors.Join(unix.IoctlSetPointerInt(int(at.Fd()), shutdown, 2), at.Close()) // 2: without writing the journal
	}
	must(d.t, err)
}

// restart is the machine's next start, with a copy of the disk's content: the dead file system
// stays in memory for as long as anybody has it mounted, such as a container that was started in
// between. No file on the disk may be open.
func (d *disk) restart() {
	d.t.Helper()
	d.unmount()
	d.starts++
	dead := d.image
	d.image = filepath.Join(filepath.Dir(dead), fmt.Sprint("disk-", d.starts))
	d.do("cp", "--sparse=always", dead, d.image)
	must(d.t, os.Remove(dead))
	d.mount()
}

// The power fails at random instants. The state file is sound then and knows every finished step,
// so that nothing is made twice. The program that meets the dead disk before it dies itself does no
// harm either.
func TestPowerFailure(t *testing.T) {
	t.Parallel()
	d := newDisk(t, "32M")
	random := newRandom(t)
	w := newStudio(t, random)
	w.keepStateIn(d.dir)
	for range repeats(12, 200) {
		p := w.start("run")
		w.service.loseAnswers(rand.New(rand.NewPCG(random.Uint64(), 0)), 12)
		w.workBeside(p, time.Duration(random.IntN(1500))*time.Millisecond)
		d.stop()
		w.workUntilDeath(p, time.Duration(random.IntN(1000))*time.Millisecond)
		d.restart()
		w.check()
	}
	w.converge()
}

// fill leaves no room on the disk; the returned function gives it back.
func (d *disk) fill() (free func()) {
	d.t.Helper()
	path := filepath.Join(d.dir, "filler")
	f, err := os.Create(path)
	must(d.t, err)
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	must(d.t, f.Close())
	return func() { must(d.t, os.Remove(path)) }
}

// A full disk stops the work, with the reason where people see it. Room lets it go on by
// itself.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	d := newDisk(t, "8M")
	w := publishedStudio(t, func(i *installation) { i.keepStateIn(d.dir) })
	p := w.start("run")
	wait(t, "the daemon", time.Minute, func() bool { _, up := w.status(); return up })
	free := d.fill()
	for _, s := range w.shoots {
		s.shootAll(500) // too much for the state file as it is
	}
	const advice = "; make room on it, and spinsync goes on by itself"
	wait(t, "status shows it", time.Minute, func() bool { out, _, _ := w.run("status"); return strings.Contains(out, advice) })
	wantFullDisk := func() {
		if out, _, code := w.run("check"); code != 1 || !strings.Contains(out, "make room on it") {
			t.Errorf("check ends with %d: %s", code, out)
		}
	}
	wantFullDisk()
	// Between two changes that fail the file can be read.
	if _, said, code := w.run("export"); code != 0 && (code != 1 || !strings.Contains(said, "make room on its disk")) {
		t.Errorf("export ends with %d: %s", code, said)
	}
	checkService(t, w.service, w.shoots)
	free()
	published(t, w.installation, w.service, w.shoots, time.Minute)
	wait(t, "the status shows a good state file", time.Minute, func() bool { s, up := w.status(); return up && s.StateFile == "" })
	p.kill()
	w.check()
	d.fill()
	wantFullDisk()
}

// A pass that meets a full disk reports it, goes on when there is room, ends with 0, and sends only
// those frames twice that it could not record.
func TestFullDiskDuringSync(t *testing.T) {
	t.Parallel()
	const frames = 500
	d := newDisk(t, "8M")
	w := publishedStudio(t, func(i *installation) { i.keepStateIn(d.dir) })
	free := d.fill()
	for _, s := range w.shoots {
		s.shootAll(frames)
	}
	var uploads atomic.Int64
	count := func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.Upload {
			uploads.Add(1)
		}
		return sandbox.Fault{}
	}
	w.service.spoil.Store(&count)
	p := w.start("sync")
	wait(t, "sync shows it", time.Minute, func() bool { return strings.Contains(w.logged(), "make room on its disk") })
	free()
	if code := p.exit(t, time.Minute); code != 0 {
		t.Errorf("sync ends with %d: %s", code, w.logged())
	}
	if n, all := uploads.Load(), int64(frames*len(w.shoots)); n < all || n >= 2*all {
		t.Errorf("%d frames were uploaded with %d requests", frames*len(w.shoots), n)
	}
	w.check()
}

// A disk that cannot be written is reported at the start, and nothing changes.
func TestReadOnlyDisk(t *testing.T) {
	t.Parallel()
	d := newDisk(t, "8M")
	w := publishedStudio(t, func(i *installation) { i.keepStateIn(d.dir) })
	d.do("mount", "-o", "remount,ro", d.dir)
	before := w.service.calls.Load()
	for _, command := range []string{"run", "sync", "retry"} {
		_, said, code := w.runFor(time.Minute, command)
		if code != 1 || !strings.Contains(said, w.state) || !strings.Contains(said, "mount its disk for writing") {
			t.Errorf("%s exits with %d and says %q", command, code, said)
		}
	}
	if _, said, code := w.runFor(time.Minute, "export"); code != 0 {
		t.Errorf("export needs no writing, exits with %d and says %q", code, said)
	}
	if w.service.calls.Load() != before {
		t.Error("the service was asked")
	}
	if out, _, code := w.runFor(time.Minute, "check"); code != 1 || !strings.Contains(out, "read-only file system") {
		t.Errorf("check exits with %d and says %q", code, out)
	}
	d.do("mount", "-o", "remount,rw", d.dir)
	w.publish()
}
