package watcher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/watcher/events"
	"spinsync/watcher/names"
	"spinsync/watcher/nofollow"
)

// TestReadOfANetworkDrive: a requested read sees a still frame as it is, although the drive's cache
// is older. A scheduled read opens no still frame.
func TestReadOfANetworkDrive(t *testing.T) {
	inBubble(t, func(x *world) {
		x.standOnNetwork()
		x.write(shoe+"/1.jpg", "abc")
		x.start()
		x.pass(20 * time.Second)
		x.expect(shoe, "1.jpg!")
		before := x.seen.of(shoe).Frames[0]
		x.onStat(func(_ string, a *nofollow.Attrs) {
			a.Size, a.ModTime, a.Changed = before.Size, before.ModTime, before.Changed
		})
		x.write(shoe+"/1.jpg", "written again")
		x.pass(time.Minute)
		x.expect(shoe, "1.jpg!")
		s, err := x.w.ReadFolder(x.t.Context(), x.root, shoe)
		if err != nil || s.Frames[0].Size != int64(len("written again")) || s.Frames[0].Still {
			x.t.Errorf("the look finds %+v, %v", s.Frames, err)
		}
	})
}

// ReadFolder returns which frames are still, as far as the listing is one the watcher knows.
func TestLook(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.start()
		look := func(folder string) Snapshot {
			s, err := x.w.ReadFolder(x.t.Context(), x.root, folder)
			x.do(err)
			return s
		}
		if got := line(look(shoe).Frames); got != "1.jpg" {
			x.t.Errorf("at once: %q", got)
		}
		x.pass(6 * time.Second)
		x.write(shoe+"/2.jpg", "abc")
		if got := line(look(shoe).Frames); got != "1.jpg! 2.jpg" {
			x.t.Errorf("with a new frame: %q", got)
		}
		x.pass(time.Minute)
		s := look(shoe)
		x.w.SetIdle(x.root, shoe, s.Fingerprint)
		if s := look(shoe); s.Idle || line(s.Frames) != "1.jpg! 2.jpg!" {
			x.t.Errorf("idle: %+v", s)
		}
		for _, folder := range []string{"Summer/none", "../root/" + shoe} {
			if _, err := x.w.ReadFolder(x.t.Context(), x.root, folder); !IsGone(err) {
				x.t.Errorf("%s: %v", folder, err)
			}
		}
		if _, err := x.w.ReadFolder(x.t.Context(), "/elsewhere", shoe); err == nil {
			x.t.Error("a look at no root")
		}
		ctx, cancel := context.WithCancelCause(x.t.Context())
		cancel(io.ErrNoProgress)
		x.onRead(func(string) error { <-x.done; return nil })
		if _, err := x.w.ReadFolder(ctx, x.root, shoe); !errors.Is(err, io.ErrNoProgress) {
			x.t.Errorf("a look that was given up: %v", err)
		}
	})
}

// The user of the watcher may end it at each survey, and nothing is read after that.
func TestMayRead(t *testing.T) {
	var asked, reads atomic.Int32
	refusal := errors.New("it is taken")
	inBubble(t, func(x *world) {
		x.stock()
		x.onRead(func(string) error {
			reads.Add(1)
			return nil
		})
		var before int32
		ended := make(chan error, 1)
		x.tree.root.MayRead = func() error {
			before = reads.Load()
			if asked.Add(1) == 3 {
				return refusal
			}
			return nil
		}
		go x.seen.collect(x.t.Context(), x.w)
		go func() { ended <- x.w.Run(x.t.Context()) }()
		began := time.Now()
		if err := <-ended; !errors.Is(err, refusal) || asked.Load() != 3 || reads.Load() != before {
			x.t.Errorf("asked %d times, it ended with %v", asked.Load(), err)
		}
		if took := time.Since(began); took > 3*surveyEvery {
			x.t.Errorf("it ended after %s", took)
		}
	})
}

// An idle folder is silent until its listing changes; Refresh has it sent whole.
func TestRest(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.start()
		x.pass(10 * time.Second)
		print := x.seen.of(shoe).Fingerprint
		x.w.SetIdle(x.root, shoe, print)
		before := x.seen.times(shoe)
		x.hint(events.Altered, shoe)
		x.pass(time.Hour)
		if n := x.seen.times(shoe) - before; n != 0 {
			x.t.Errorf("%d snapshots of an idle folder", n)
		}
		if x.tree.folders.all[shoe].live != nil {
			x.t.Error("an idle folder keeps its listing in memory")
		}
		x.w.Refresh(x.root, shoe)
		x.pass(time.Second)
		if s := x.seen.of(shoe); s.Idle || line(s.Frames) != "1.jpg!" || s.Fingerprint != print {
			x.t.Errorf("refreshed: %+v", s)
		}
		x.save(shoe+"/2.jpg", "abc")
		x.pass(6 * time.Second)
		x.expect(shoe, "1.jpg! 2.jpg!")
		x.save(shoe+"/2.jpg", "abc")
		x.pass(10 * time.Second)
		x.expect(shoe, "1.jpg! 2.jpg!")
	})
}

// A folder that became idle before the program was restarted is reported briefly, once, and no
// scheduled read follows.
func TestRestart(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.start()
		x.pass(10 * time.Second)
		known := map[string]Idle{
			shoe: {Fingerprint: x.seen.of(shoe).Fingerprint}, boot: {}, "Summer/sandal": {Fingerprint: Fingerprint{7}}, "deeper/than/this": {},
		}
		volume := x.w.Roots()[0].Volume
		x.end()
		x.stop = nil

		y := newWorld(x.t, x.root, func(cfg *Root) { cfg.Known, cfg.Volume = known, volume })
		reads := countReads(y)
		y.start()
		y.status("")
		if n := reads(); n != 4 {
			y.t.Errorf("%d directories were read, not root, project and two folders", n)
		}
		y.pass(time.Minute)
		if s := y.seen.of(shoe); !s.Idle || s.Fingerprint != known[shoe].Fingerprint || s.Frames != nil || y.seen.times(shoe) != 1 {
			y.t.Errorf("%d snapshots: %+v", y.seen.times(shoe), s)
		}
		y.expect(boot, "1.jpg!")
		if s := y.seen.of("Summer/sandal"); s.Present || s.Absent.Reads != 2 {
			y.t.Errorf("a folder that has gone away: %+v", s)
		}
		if y.seen.times("deeper/than/this") != 0 {
			y.t.Error("a folder of another layout is reported")
		}
	})
}

// One new photo costs reads of one folder, not a reading of the tree, however many folders there
// are.
func TestOnePhoto(t *testing.T) {
	inBubble(t, func(x *world) {
		for i := range 200 {
			x.write(fmt.Sprintf("Summer/%03d/1.jpg", i), "abc")
		}
		x.start()
		x.pass(41 * time.Minute)
		reads := countReads(x)
		x.save("Summer/100/2.jpg", "abc")
		x.pass(6 * time.Second)
		x.expect("Summer/100", "1.jpg! 2.jpg!")
		if n := reads(); n != 2 {
			x.t.Errorf("%d directories were read for one photo, not 2", n)
		}
	})
}

// 30,000 idle folders take little memory.
func TestMemoryOfIdleFolders(t *testing.T) {
	const folders = 30_000
	cfg := testRoot(t.TempDir())
	cfg.Known = map[string]Idle{}
	before := heapInUse()
	for i := range folders {
		cfg.Known[fmt.Sprintf("Summer collection %03d/product %05d", i/100, i)] = Idle{Fingerprint: Fingerprint{1}}
	}
	rules, err := names.New(cfg.Include, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	tree := newTree(cfg, rules, nil)
	cfg.Known = nil
	each := (heapInUse() - before) / folders
	if runtime.KeepAlive(tree); each > 240 {
		t.Errorf("%d bytes for an idle folder", each)
	}
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// New names every mistake.
func TestNewErrors(t *testing.T) {
	good := testRoot("/srv/shoots")
	for want, change := range map[string]func(*Root){
		"the path must be absolute":            func(r *Root) { r.Path = "shoots" },
		"product folders must lie below":       func(r *Root) { r.Depth = 0 },
		"settle must be longer than 0":         func(r *Root) { r.Settle = 0 },
		`include "[": no valid pattern`:        func(r *Root) { r.Include = []string{"["} },
		`ignore "a[": no valid pattern`:        func(r *Root) { r.Ignore = []string{"*.tmp", "a["} },
		"watch /srv/shoots: it is named twice": func(r *Root) { r.Path = good.Path },
	} {
		bad := good
		bad.Path = "/srv/other"
		change(&bad)
		_, err := New([]Root{good, bad}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := New([]Root{good}, nil); err != nil {
		t.Error(err)
	}
}

// Nothing is queued twice: a receiver who was away gets the newest of each folder.
func TestNewestWins(t *testing.T) {
	inBubble(t, func(x *world) {
		ctx, stop := context.WithCancel(x.t.Context())
		ended := make(chan error, 1)
		go func() { ended <- x.w.Run(ctx) }()
		for i := range 30 {
			x.write(shoe+"/1.jpg", strings.Repeat("x", i))
			x.write(boot+"/1.jpg", strings.Repeat("x", i))
			x.hint(events.Altered, shoe+"/1.jpg", boot+"/1.jpg")
			x.pass(time.Second)
		}
		got := map[string]int64{}
		for range 2 {
			s := <-x.w.Snapshots()
			got[s.Folder] = s.Frames[0].Size
		}
		if got[shoe] != 29 || got[boot] != 29 {
			x.t.Errorf("sizes %v", got)
		}
		synctest.Wait()
		select {
		case s := <-x.w.Snapshots():
			x.t.Errorf("one more: %+v", s)
		default:
		}
		stop()
		<-ended
	})
}

// TestDelivered: from the request of a read until its result is taken in, not everything is
// delivered.
func TestDelivered(t *testing.T) {
	inBubble(t, func(x *world) {
		x.write(shoe+"/1.jpg", "abc")
		ctx, stop := context.WithCancel(x.t.Context())
		ended := make(chan error, 1)
		go func() { ended <- x.w.Run(ctx) }()
		wants := func(when string, want bool) {
			x.t.Helper()
			if got := x.w.Delivered(); got != want {
				x.t.Errorf("%s: delivered %t", when, got)
			}
		}
		x.pass(10 * time.Second)
		rested := <-x.w.Snapshots()
		wants("a snapshot is received", false)
		x.w.SetIdle(x.root, shoe, rested.Fingerprint)
		x.w.Took()
		synctest.Wait()
		wants("it is taken in", true)
		release := make(chan struct{})
		x.onRead(func(string) error { <-release; return nil })
		x.w.Refresh(x.root, shoe)
		wants("a look is asked for", false)
		synctest.Wait()
		wants("it is under way", false)
		close(release)
		synctest.Wait()
		wants("nobody received what it found", false)
		<-x.w.Snapshots()
		synctest.Wait()
		wants("that is received", false)
		x.w.Took()
		wants("it is taken in", true)
		stop()
		<-ended
	})
}
