package watcher

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/watcher/events"
	"spinsync/watcher/names"
	"spinsync/watcher/nofollow"
)

const shoe = "Summer/shoe"

// scripts of one folder while it is being written; settle is 5 s.
var scripts = []struct {
	name string
	run  func(*world)
}{
	{"a frame is still settle after it was written", func(x *world) {
		x.save(shoe+"/1.jpg", "abc")
		x.pass(time.Second)
		x.expect(shoe, "1.jpg")
		x.pass(3 * time.Second)
		x.expect(shoe, "1.jpg")
		x.pass(1200 * time.Millisecond)
		x.expect(shoe, "1.jpg!")
	}},
	{"a slow writer whose events all come", func(x *world) {
		for n := range 20 {
			x.save(shoe+"/1.jpg", "0123456789012345678901"[:n+1])
			x.pass(time.Second)
			x.expect(shoe, "1.jpg")
		}
		x.pass(4 * time.Second)
		x.expect(shoe, "1.jpg")
		x.pass(time.Second)
		x.expect(shoe, "1.jpg!")
	}},
	{"a file that grows without any event", func(x *world) {
		x.save(shoe+"/1.jpg", "a")
		x.pass(4 * time.Second)
		x.write(shoe+"/1.jpg", "ab")
		x.pass(4 * time.Second)
		x.write(shoe+"/1.jpg", "abc")
		x.pass(2 * time.Second)
		x.expect(shoe, "1.jpg")
		x.pass(10 * time.Second)
		x.expect(shoe, "1.jpg!")
	}},
	{"the same size and time, but an event", func(x *world) {
		when := time.Now().Add(time.Hour)
		x.save(shoe+"/1.jpg", "abc")
		x.do(os.Chtimes(x.path(shoe+"/1.jpg"), when, when))
		x.pass(4 * time.Second)
		x.save(shoe+"/1.jpg", "xyz")
		x.do(os.Chtimes(x.path(shoe+"/1.jpg"), when, when))
		x.pass(4 * time.Second)
		x.expect(shoe, "1.jpg")
		x.pass(2 * time.Second)
		x.expect(shoe, "1.jpg!")
		x.save(shoe+"/1.jpg", "123")
		x.do(os.Chtimes(x.path(shoe+"/1.jpg"), when, when))
		x.pass(time.Second)
		x.expect(shoe, "1.jpg")
	}},
	{"a temporary name is busy until it is renamed", func(x *world) {
		x.save(shoe+"/1.jpg.part", "abc")
		x.pass(20 * time.Second)
		s := x.seen.of(shoe)
		if len(s.Frames) != 0 || len(s.Busy) != 1 || s.Busy[0].Name != "1.jpg.part" || s.Busy[0].Reason == "" {
			x.t.Errorf("frames %v, busy %v", s.Frames, s.Busy)
		}
		if age := time.Since(s.Busy[0].Since); age < 19*time.Second {
			x.t.Errorf("busy since %v", age)
		}
		x.do(os.Rename(x.path(shoe+"/1.jpg.part"), x.path(shoe+"/1.jpg")))
		x.hint(events.Gone, shoe+"/1.jpg.part")
		x.hint(events.Appeared, shoe+"/1.jpg")
		x.pass(6 * time.Second)
		x.expect(shoe, "1.jpg!")
		if busy := x.seen.of(shoe).Busy; len(busy) != 0 {
			x.t.Errorf("still busy: %v", busy)
		}
	}},
	{"a frame whose content is in a cloud is busy until it is on the disk, and is found still then", func(x *world) {
		x.onStat(func(name string, a *nofollow.Attrs) { a.Away = name != "1.jpg" })
		x.write(shoe+"/1.txt", "a shoe")
		x.write(shoe+"/2.jpg", "abc")
		x.save(shoe+"/1.jpg", "abc")
		count := countReads(x)
		x.pass(40 * time.Minute)
		x.expect(shoe, "1.jpg!")
		s := x.seen.of(shoe)
		if len(s.Busy) != 1 || !s.Busy[0].Lasting || s.Busy[0].Frame != "2.jpg" || s.Busy[0].Reason == "" || s.Idle {
			x.t.Errorf("idle %v, busy %v", s.Idle, s.Busy)
		}
		if n := count(); n > 60 {
			x.t.Errorf("%d looks in 40 minutes", n)
		}
		x.onStat(func(string, *nofollow.Attrs) {})
		x.pass(6 * time.Minute)
		x.expect(shoe, "1.jpg! 2.jpg!")
	}},
	{"a still frame whose content goes to a cloud stays what it is", func(x *world) {
		x.save(shoe+"/1.jpg", "abc")
		x.pass(6 * time.Second)
		x.onStat(func(name string, a *nofollow.Attrs) { a.Away = true })
		x.hint(events.Touched, shoe+"/1.jpg")
		x.pass(time.Minute)
		x.expect(shoe, "1.jpg!")
	}},
	{"a placeholder of iCloud is busy for as long as it stands", func(x *world) {
		x.write(shoe+"/2.jpg", "abc")
		x.save(shoe+"/.1.jpg.icloud", "abc")
		x.do(os.Chtimes(x.path(shoe+"/.1.jpg.icloud"), time.Unix(0, 0), time.Unix(0, 0)))
		x.pass(6 * time.Second)
		x.expect(shoe, "2.jpg!")
		if b := x.seen.of(shoe).Busy; len(b) != 1 || !b[0].Lasting || b[0].Frame != "1.jpg" {
			x.t.Errorf("busy %v", b)
		}
	}},
	{"touching restarts the stillness and the fingerprint follows", func(x *world) {
		x.save(shoe+"/1.jpg", "abc")
		x.pass(6 * time.Second)
		before := x.seen.of(shoe)
		when := time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC)
		x.do(os.Chtimes(x.path(shoe+"/1.jpg"), when, when))
		x.pass(12 * time.Second)
		x.expect(shoe, "1.jpg")
		if after := x.seen.of(shoe); after.Fingerprint == before.Fingerprint || !after.Changed.After(before.Changed) {
			x.t.Error("the change is not seen in fingerprint and time")
		}
		x.pass(5 * time.Second)
		x.expect(shoe, "1.jpg!")
	}},
	{"times in the future, in the past and across midnight say nothing", func(x *world) {
		x.write(shoe+"/1.jpg", "abc")
		x.write(shoe+"/2.jpg", "abc")
		x.write(shoe+"/3.jpg", "abc")
		for i, when := range []time.Time{
			time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Date(1999, 12, 31, 23, 59, 59, 999, time.UTC),
		} {
			x.do(os.Chtimes(x.path(shoe+"/"+string(rune('1'+i))+".jpg"), when, when))
		}
		x.hint(events.Appeared, shoe+"/1.jpg", shoe+"/2.jpg", shoe+"/3.jpg")
		x.pass(4 * time.Second)
		x.expect(shoe, "1.jpg 2.jpg 3.jpg")
		x.pass(1200 * time.Millisecond)
		x.expect(shoe, "1.jpg! 2.jpg! 3.jpg!")
	}},
	{"a frame that comes 40 minutes late", func(x *world) {
		x.save(shoe+"/1.jpg", "abc")
		x.pass(40 * time.Minute)
		x.expect(shoe, "1.jpg!")
		x.save(shoe+"/2.jpg", "abc")
		x.pass(time.Second)
		x.expect(shoe, "1.jpg 2.jpg")
		x.pass(5 * time.Second)
		x.expect(shoe, "1.jpg! 2.jpg!")
	}},
	{"a frame that comes 40 minutes late, without an event", func(x *world) {
		x.save(shoe+"/1.jpg", "abc")
		x.pass(40 * time.Minute)
		x.write(shoe+"/2.jpg", "abc")
		x.pass(26 * time.Minute)
		x.expect(shoe, "1.jpg! 2.jpg!")
		if s := x.w.Roots()[0]; s.Missed != 1 {
			x.t.Errorf("%d missed changes are counted, not 1", s.Missed)
		}
	}},
	{"frames of a turntable become still one by one", func(x *world) {
		for n := range 20 {
			x.save(shoe+"/"+string(rune('a'+n))+".jpg", "abc")
			x.pass(500 * time.Millisecond)
		}
		x.expect(shoe, "a.jpg! b.jpg! c.jpg! d.jpg! e.jpg! f.jpg! g.jpg! h.jpg! i.jpg! j.jpg! k.jpg l.jpg m.jpg n.jpg "+
			"o.jpg p.jpg q.jpg r.jpg s.jpg t.jpg")
	}},
	{"a sidecar changes without moving Changed, the marker moves it", func(x *world) {
		x.save(shoe+"/1.jpg", "abc")
		x.pass(10 * time.Second)
		before := x.seen.of(shoe)
		x.save(shoe+"/1.txt", "a shoe")
		x.pass(10 * time.Second)
		after := x.seen.of(shoe)
		if line(after.Sidecars) != "1.txt!" || !after.Changed.Equal(before.Changed) || after.Fingerprint == before.Fingerprint {
			x.t.Errorf("after the sidecar: %+v", after)
		}
		x.save(shoe+"/DONE.txt", "")
		x.pass(time.Second)
		after = x.seen.of(shoe)
		if after.Marker == nil || after.Marker.Name != "DONE.txt" || !after.Changed.After(before.Changed) {
			x.t.Errorf("after the marker: %+v", after)
		}
	}},
	{"junk restarts nothing", func(x *world) {
		x.save(shoe+"/1.jpg", "abc")
		for range 5 {
			x.pass(time.Second)
			x.save(shoe+"/.DS_Store", "junk")
			x.save(shoe+"/CaptureOne/Cache/1.jpg", "junk")
			x.save(shoe+"/1.cos", "junk")
		}
		x.pass(200 * time.Millisecond)
		x.expect(shoe, "1.jpg!")
	}},
	{"a photo that is not taken is no change of the frames", func(x *world) {
		x.save(shoe+"/1.jpg", "abc")
		x.pass(10 * time.Second)
		before := x.seen.of(shoe)
		x.do(os.Symlink("1.jpg", x.path(shoe+"/2.jpg")))
		x.hint(events.Appeared, shoe+"/2.jpg")
		x.pass(10 * time.Second)
		if now := x.seen.of(shoe); now.NotTaken.Same(before.NotTaken) || !now.Changed.Equal(before.Changed) {
			x.t.Errorf("changed at %s, then reported %+v", before.Changed, now)
		}
	}},
	{"an event about attributes alone restarts nothing", func(x *world) {
		x.save(shoe+"/1.jpg", "abc")
		for range 5 {
			x.pass(time.Second)
			x.hint(events.Touched, shoe+"/1.jpg")
		}
		x.pass(200 * time.Millisecond)
		x.expect(shoe, "1.jpg!")
		when := time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC)
		x.do(os.Chtimes(x.path(shoe+"/1.jpg"), when, when))
		x.hint(events.Touched, shoe+"/1.jpg")
		x.pass(time.Second)
		x.expect(shoe, "1.jpg")
	}},
	{"an empty file is a frame; links and deeper files are none", func(x *world) {
		x.write(shoe+"/1.jpg", "")
		x.write(shoe+"/deeper/2.jpg", "abc")
		x.write("Summer/3.jpg", "abc")
		x.do(os.Symlink(x.path(shoe+"/1.jpg"), x.path(shoe+"/4.jpg")))
		x.hint(events.Appeared, shoe+"/1.jpg", shoe+"/4.jpg", "Summer/3.jpg", shoe+"/deeper")
		x.pass(6 * time.Second)
		x.expect(shoe, "1.jpg!")
	}},
	{"a frame that is removed", func(x *world) {
		x.save(shoe+"/1.jpg", "abc")
		x.save(shoe+"/2.jpg", "abc")
		x.pass(10 * time.Second)
		x.do(os.Remove(x.path(shoe + "/1.jpg")))
		x.hint(events.Gone, shoe+"/1.jpg")
		x.pass(time.Second)
		x.expect(shoe, "2.jpg!")
	}},
}

// Settling is judged by reads on our own clock, whatever the files' times are and however many
// events are lost.
func TestSettling(t *testing.T) {
	for _, s := range scripts {
		t.Run(s.name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				x := newWorld(t, dir)
				x.start()
				s.run(x)
			})
		})
	}
}

// The last write to a temporary file is taken from its own time at the first read, and by our clock
// from then on. The clock of a network drive is not believed: an hour of age by our clock proves
// nothing there, an hour between the file and its folder does.
func TestLastWritten(t *testing.T) {
	now := time.Now()
	for name, test := range map[string]struct {
		file, folder time.Duration // ago, by our clock
		drive        bool
		want         time.Duration
	}{
		"left behind an hour ago":                   {time.Hour, 2 * time.Hour, false, time.Hour},
		"written a moment ago":                      {time.Second, time.Hour, false, time.Second},
		"of the future":                             {-time.Hour, time.Hour, false, 0},
		"on a drive, the newest there is":           {time.Hour, 2 * time.Hour, true, 0},
		"on a drive, before its folder changed":     {3 * time.Hour, 2 * time.Hour, true, time.Hour},
		"on a drive whose clock is an hour ahead":   {-time.Hour, -time.Hour + time.Minute, true, 0},
		"on a drive ahead, before a later frame":    {-time.Hour + 20*time.Minute, -time.Hour, true, 20 * time.Minute},
		"on a drive, older than any clock is wrong": {26 * time.Hour, 27 * time.Hour, true, 2 * time.Hour},
	} {
		l := listing{start: now, end: now, changed: now.Add(-test.folder).UnixNano()}
		l.files[names.Busy] = []File{{Name: "1.jpg.part", ModTime: now.Add(-test.file)}}
		var v live
		by := stillRule{settle: time.Second, opened: test.drive}
		v.take(l, Fingerprint{}, by, false)
		if got := now.Sub(v.last.files[names.Busy][0].Since); got != test.want {
			t.Errorf("%s: written %v ago, want %v", name, got, test.want)
		}
		grown := listing{start: now.Add(time.Minute), end: now.Add(time.Minute)}
		grown.files[names.Busy] = []File{{Name: "1.jpg.part", Size: 1, ModTime: now.Add(-test.file)}}
		v.take(grown, Fingerprint{}, by, false)
		if got := v.last.files[names.Busy][0].Since; !got.Equal(grown.end) {
			t.Errorf("%s, and growing: written at %v, want %v", name, got, grown.end)
		}
	}
}

// A storm of events costs few reads, and the last frame is not reported late for it.
func TestStorm(t *testing.T) {
	inBubble(t, func(x *world) {
		looks := countReads(x)
		x.start()
		before := looks()
		var last time.Time
		for range 1000 {
			x.lengthen(shoe + "/1.jpg")
			last = time.Now()
			x.pass(10 * time.Millisecond)
		}
		if n := looks() - before; n > 60 {
			x.t.Errorf("%d looks in 10 s of events", n)
		}
		x.pass(10 * time.Second)
		x.expect(shoe, "1.jpg!")
		if late := x.seen.at[shoe].Sub(last) - 5*time.Second; late > 150*time.Millisecond {
			x.t.Errorf("still reported %v after it was", late)
		}
	})
}

// On a network drive a listing alone proves nothing, however long it stays the same.
func TestOnlyHandlesProve(t *testing.T) {
	var v live
	at := time.Now()
	drive := stillRule{settle: 2 * time.Second, opened: true}
	for i, opened := range []bool{false, false, true} {
		l := listing{start: at, end: at}
		l.files[names.Frame] = []File{{Name: "1.jpg"}}
		if opened {
			l.opened = []string{"1.jpg"}
		}
		v.take(l, Fingerprint{}, drive, false)
		if got := v.last.files[names.Frame][0].Still; got != opened {
			t.Errorf("look %d: still %v", i, got)
		}
		at = at.Add(time.Minute)
	}
}

// What writes a photo sleeps together with the machine: a sleep that Go's clock counts makes nothing
// still and no folder quiet, and the time before it counts on.
func TestSleepMakesNothingStill(t *testing.T) {
	start := time.Now()
	rule, v := stillRule{settle: 10 * time.Second}, live{}
	look := func(after, slept time.Duration) (f File, news bool) {
		l := listing{start: start.Add(after), end: start.Add(after), overslept: slept}
		l.files[names.Frame] = []File{{Name: "1.jpg"}}
		news = v.take(l, Fingerprint{}, rule, false)
		return v.last.files[names.Frame][0], news
	}
	look(0, 0)
	f, news := look(time.Hour+6*time.Second, time.Hour)
	if f.Still || !news || !f.Since.Equal(start.Add(time.Hour)) || !v.changed.Equal(f.Since) {
		t.Errorf("after a sleep: still %t, news %t, since %s, changed %s", f.Still, news, f.Since, v.changed)
	}
	if f, _ := look(time.Hour+10*time.Second, time.Hour); !f.Still {
		t.Error("the time before the sleep does not count")
	}
}

// A drive may show one size and time until a file is closed. The time of its last change shows that
// it is still being written, also where a writer stalled for long. A drive that does not have that
// time proves by size and time alone.
func TestLastChangeShowsAWriter(t *testing.T) {
	at, rule, v := time.Now(), stillRule{settle: 2 * time.Second}, live{}
	for i, step := range []struct {
		changed int64
		still   bool
	}{{1, false}, {2, false}, {2, true}, {3, false}, {3, true}, {0, true}, {3, true}} {
		l := listing{start: at, end: at}
		l.files[names.Frame] = []File{{Name: "1.jpg", Size: 9, Changed: step.changed}}
		news := v.take(l, Fingerprint{}, rule, false)
		if f := v.last.files[names.Frame][0]; f.Still != step.still || i > 1 && news != (i < 5) {
			t.Errorf("look %d: still %v, news %v", i, f.Still, news)
		}
		at = at.Add(2 * time.Second)
	}
}

// A folder holds photos of two shoots from the first photo that takes the place of one that was still
// until none is left from before. A photo that was written on before it was still is one of the shoot.
func TestMixOfTwoShoots(t *testing.T) {
	at, rule, v := time.Now(), stillRule{settle: 2 * time.Second}, live{}
	for i, step := range []struct {
		sizes string // of the photos 1, 2, 3 …; a blank for one that is not there
		mixed bool
	}{
		{"11", false}, {"12", false}, {"12", false}, {"121", false}, {"122", false}, {"122", false},
		{"322", true}, {"332", true}, {"3321", true}, {"3331", false}, {"3331", false},
		{"3332", true}, {"3342", true}, {" 342", true}, {" 442", false}, {" 442", false}, {" 542", true}, {" 5", false},
		{"111", false}, {"111", false}, {"221", true}, {"221", true}, {"321", true}, {"321", true}, {"322", true}, {"332", false},
	} {
		l := listing{start: at, end: at}
		for n, size := range step.sizes {
			if size != ' ' {
				l.files[names.Frame] = append(l.files[names.Frame], File{Name: string(rune('1' + n)), Size: int64(size)})
			}
		}
		v.take(l, Fingerprint{}, rule, false)
		if got := v.kept != nil; got != step.mixed {
			t.Errorf("look %d, %q: mixed %v", i, step.sizes, got)
		}
		at = at.Add(2 * time.Second)
	}
}

// A photo that took the place of another one while the folder was at rest begins a mix, until the others
// are written over. One that came beside the others took nobody's place. The clock of the photos may be any.
func TestMixThatBeginsWithTheEndOfARest(t *testing.T) {
	for looks, want := range map[string]string{ // a letter is a shoot, * a set of two shoots
		"BAA BBA BBB":     "** ",
		"BBA BBB":         "* ",
		"BBB":             " ",
		"BAA CAA CBA CBB": "*** ",
		"BAA BBA BBB CBB": "** *",
		"BAAA BBAA BBBA":  " **",
		"AAA":             " ",
	} {
		for _, ahead := range []time.Duration{0, time.Hour, -time.Hour} {
			if got := mixesAfterARest(looks, ahead); got != want {
				t.Errorf("%s, the clock of the photos %s ahead: the mixed ones are %q, want %q", looks, ahead, got, want)
			}
		}
	}
}

// mixesAfterARest tells which looks at a folder find a mix of two shoots, after a rest with three photos.
func mixesAfterARest(looks string, ahead time.Duration) (got string) {
	rested := time.Now()
	rule, v, f := stillRule{settle: 2 * time.Second}, live{}, folder{live: &live{}}
	for _, name := range []string{"1", "2", "3"} {
		frame := File{Name: name, ModTime: rested.Add(ahead - time.Minute)}
		f.live.last.files[names.Frame] = append(f.live.last.files[names.Frame], frame)
	}
	f.live.last.print = Fingerprint{1}
	f.becomeIdle(f.live.last.print)
	for i, look := range strings.Fields(looks) {
		at := rested.Add(time.Duration(i+1) * time.Minute)
		l := listing{start: at, end: at}
		for n, shoot := range look {
			frame := File{Name: string(rune('1' + n)), Size: int64(shoot), ModTime: rested.Add(ahead - time.Minute)}
			if shoot != 'A' {
				frame.ModTime = at.Add(ahead)
			}
			if was, known := find(v.last.files[names.Frame], frame.Name); known && was.Size == frame.Size {
				frame = was
			}
			l.files[names.Frame] = append(l.files[names.Frame], frame)
		}
		if i == 0 {
			v.kept = f.keptAtRest(l.files[names.Frame])
		}
		again := listing{start: at.Add(rule.settle), end: at.Add(rule.settle)}
		again.files[names.Frame] = slices.Clone(l.files[names.Frame])
		v.take(l, f.idlePrint, rule, false)
		v.take(again, f.idlePrint, rule, false)
		got += map[bool]string{true: "*", false: " "}[v.kept != nil]
	}
	return got
}

// A photo that spinsync found a moment ago was finished if it was not written to for settle before: its
// own times tell. A touched photo is the same one.
func TestMixByTheTimesOfAPhoto(t *testing.T) {
	start, rule := time.Now(), stillRule{settle: 2 * time.Second}
	for name, test := range map[string]struct {
		written []time.Duration // what each read finds, a read after every time
		every   time.Duration
		mixed   bool
	}{
		"written on":                      {[]time.Duration{0, time.Second}, time.Second / 10, false},
		"written over":                    {[]time.Duration{0, 2 * time.Second}, time.Second / 10, true},
		"written slowly, and seldom read": {[]time.Duration{0, 5 * time.Second, 10 * time.Second}, 5 * time.Second, true},
		"written over, and seldom read":   {[]time.Duration{0, 18 * time.Second}, 20 * time.Second, true},
		"written over between two reads":  {[]time.Duration{0, 7 * time.Second}, 5 * time.Second, true},
		"touched":                         {[]time.Duration{0, 0, 0}, time.Minute, false},
	} {
		v := live{}
		for i, written := range test.written {
			at := start.Add(time.Duration(i) * test.every)
			l := listing{start: at, end: at}
			photo := File{Name: "1.jpg", ModTime: start.Add(written), Changed: int64(1 + i/2)}
			l.files[names.Frame] = []File{photo, {Name: "2.jpg", ModTime: start}}
			v.take(l, Fingerprint{}, rule, false)
		}
		if got := v.kept != nil; got != test.mixed {
			t.Errorf("%s: mixed %v", name, got)
		}
	}
}

// An event that comes during a read may be about what was read already: the next read answers it,
// and until then the file is not still.
func TestEventDuringALookOutlivesIt(t *testing.T) {
	start := time.Now()
	rule, v := stillRule{settle: time.Second}, live{}
	look := func(after time.Duration) File {
		at := start.Add(after)
		l := listing{start: at, end: at.Add(100 * time.Millisecond)}
		l.files[names.Frame] = []File{{Name: "1.jpg"}}
		v.take(l, Fingerprint{}, rule, false)
		return v.last.files[names.Frame][0]
	}
	look(0)
	v.hint("1.jpg", start.Add(time.Minute+50*time.Millisecond))
	look(time.Minute)
	if f := look(2 * time.Minute); f.Still || !f.Since.Equal(v.last.end) {
		t.Errorf("after the event the file is still: %t, since %s", f.Still, f.Since)
	}
	if f := look(3 * time.Minute); !f.Still {
		t.Error("the event is never answered")
	}
}
