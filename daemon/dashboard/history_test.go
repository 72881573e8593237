package dashboard

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon"
	"spinsync/syncstate"
	"spinsync/watcher"
)

var noon = time.Date(2027, 1, 2, 12, 0, 0, 0, time.Local)

// told makes the moment at which one folder is told so.
func told(at time.Time, state daemon.State, settled, expected int) *moment {
	p := daemon.ProductStatus{Root: "/shoots", Folder: "Summer/SKU-1", State: state, Since: at}
	p.Frames.Settled, p.Frames.Expected, p.TotalBytes = settled, expected, 1
	return newMoment(daemon.Status{Products: []daemon.ProductStatus{p}}, at, idOf)
}

// The table may be cleared when the folder is complete, and as long as no more frames arrive, whether it is live or not.
func TestTableMayBeClearedWhenAllIsRead(t *testing.T) {
	type step struct {
		state             daemon.State
		settled, expected int
		clear             bool
	}
	for name, steps := range map[string][]step{
		"known count, uploading from the first frame on": {
			{daemon.Collecting, 1, 3, false}, {daemon.Uploading, 1, 3, false}, {daemon.Uploading, 2, 3, false},
			{daemon.Collecting, 2, 3, false}, {daemon.Uploading, 3, 3, true}, {daemon.Processing, 3, 3, true}, {daemon.Published, 3, 3, true},
		},
		"unknown count":                     {{daemon.Collecting, 5, 0, false}, {daemon.Uploading, 5, 0, true}},
		"trouble with the service":          {{daemon.Collecting, 5, 0, false}, {daemon.Uploading, 5, 0, true}, {daemon.Retrying, 5, 0, true}, {daemon.Attention, 5, 0, true}},
		"trouble before it is complete":     {{daemon.Collecting, 2, 3, false}, {daemon.Attention, 2, 3, false}, {daemon.Retrying, 2, 3, false}},
		"paused before it is complete":      {{daemon.Collecting, 2, 3, false}, {daemon.Paused, 3, 3, false}},
		"one more frame into a live folder": {{daemon.Published, 3, 0, true}, {daemon.Collecting, 3, 0, false}, {daemon.Uploading, 4, 0, true}},
		"a frame arrives during the upload": {{daemon.Uploading, 3, 0, true}, {daemon.Collecting, 4, 0, false}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecorder(nil)
			before := newMoment(daemon.Status{}, noon, idOf)
			for i, s := range steps {
				now := told(noon.Add(time.Duration(i)*time.Second), s.state, s.settled, s.expected)
				r.note(before, now)
				before = now
				if got := r.signs["/shoots"].Clear; got != s.clear {
					t.Errorf("step %d, %s with %d of %d: clear is %v", i, s.state, s.settled, s.expected, got)
				}
			}
		})
	}
}

// A known folder that is looked at for the first time after a start is not what stands on the table, though its frames
// settle anew. Frames that come later are.
func TestStartIsNoArrival(t *testing.T) {
	r := newRecorder(nil)
	before := told(noon, daemon.Attention, 0, 0)
	before.products[0].TotalBytes = 0
	before.products[0].Since = noon.AddDate(0, 0, -1)
	r.note(nil, before)
	for _, step := range []struct {
		after   time.Duration
		settled int
		shown   int
	}{{time.Second, 0, 0}, {2 * time.Second, 7, 0}, {time.Minute, 7, 0}, {2 * time.Minute, 8, 1}} {
		now := told(noon.Add(step.after), daemon.Attention, step.settled, 0)
		r.note(before, now)
		before = now
		now.status.Roots = []watcher.RootStatus{{Path: "/shoots"}}
		now.history = r.history()
		if signs := now.signs(); len(signs) != step.shown {
			t.Errorf("after %s the signs are %+v", step.after, signs)
		}
	}
}

// The activity tells each stage of a shoot once, however many frames come one by one.
func TestActivityIsNoFlood(t *testing.T) {
	r := newRecorder(nil)
	before := newMoment(daemon.Status{}, noon, idOf)
	for i, state := range []daemon.State{
		daemon.Collecting, daemon.Uploading, daemon.Collecting, daemon.Uploading, daemon.Collecting, daemon.Uploading,
		daemon.Processing, daemon.Retrying, daemon.Processing, daemon.Paused, daemon.Processing,
	} {
		now := told(noon, state, i+1, 99)
		r.note(before, now)
		before = now
	}
	var got []daemon.State
	for _, e := range r.events {
		got = append(got, e.State)
	}
	want := []daemon.State{
		daemon.Collecting, daemon.Uploading, daemon.Processing, daemon.Retrying, daemon.Processing, daemon.Paused, daemon.Processing,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A pause of thousands of folders is one line.
func TestPauseOfAllIsToldOnce(t *testing.T) {
	r := newRecorder(nil)
	live, paused, again := told(noon, daemon.Published, 3, 0), told(noon, daemon.Paused, 3, 0), told(noon, daemon.Published, 3, 0)
	paused.status.Paused = true
	r.note(nil, live)
	r.note(live, paused)
	r.note(paused, again)
	if len(r.events) != 2 || r.events[0].State != daemon.Paused || r.events[1].State != resumed {
		t.Errorf("the events are %+v", r.events)
	}
}

func TestLastFrameIsWhenTheNewestWasWritten(t *testing.T) {
	at := func(m int) time.Time { return noon.Add(time.Duration(m) * time.Minute) }
	for _, c := range []struct {
		name       string
		written    time.Time
		seen       time.Time
		live, want time.Time
	}{
		{name: "just shot", written: at(0), seen: at(0), live: at(1), want: at(0)},
		{name: "copied with its old time", written: at(-600), seen: at(0), live: at(1), want: at(0)},
		{name: "touched since", written: at(2), seen: at(0), live: at(1)},
		{name: "found at the start", written: at(-60), live: at(1), want: at(-60)},
		{name: "found at the start, of another day", written: at(-24 * 60), live: at(1)},
	} {
		r := newRecorder(nil)
		p := product{ID: "x"}
		p.PublishedAt = &c.live
		if !c.seen.IsZero() {
			r.lastTime["x"] = c.seen
		}
		frames := []syncstate.Frame{{File: syncstate.File{ModTime: c.written.Add(-time.Minute)}}, {File: syncstate.File{ModTime: c.written}}}
		if got := r.lastFrame(p, frames); !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestDayCountsTodayOnly(t *testing.T) {
	m := newMoment(daemon.Status{}, noon, idOf)
	m.history.runs = []run{
		{Frames: 99, LastFrame: noon.AddDate(0, 0, -1), Live: noon.AddDate(0, 0, -1).Add(time.Hour)},
		{Frames: 1, Bytes: 10, LastFrame: noon, Live: noon.Add(30 * time.Second)},
		{Frames: 2, Bytes: 20, LastFrame: noon, Live: noon.Add(10 * time.Second)},
		{Frames: 3, Bytes: 30, LastFrame: noon, Live: noon.Add(20 * time.Second)},
		{Frames: 4, Live: noon.Add(time.Hour)}, // nobody knows since when
	}
	want := dayBoard{Live: 4, Frames: 10, Bytes: 60, Median: 20 * time.Second, Late: 30 * time.Second, Sum: time.Minute, Timed: 3}
	if diff := cmp.Diff(want, m.day()); diff != "" {
		t.Error(diff)
	}
}

func TestThroughputIsWhatWasSent(t *testing.T) {
	r := newRecorder(nil)
	before := told(noon, daemon.Uploading, 1, 0)
	r.note(nil, before)
	for i, sent := range []int64{100, 400, 400, 50} { // the last count began anew
		now := told(noon.Add(time.Duration(i+1)*time.Second), daemon.Uploading, 1, 0)
		now.products[0].SentBytes = sent
		r.note(before, now)
		before = now
	}
	if r.total != 450 || r.currentRate() != 112.5 {
		t.Errorf("%d bytes at %v a second", r.total, r.currentRate())
	}
}

// What was handed out is never written again, and the memory is bounded.
func TestHistoryIsBounded(t *testing.T) {
	r := newRecorder(nil)
	r.event(event{Title: "first"})
	old := r.history().events
	for range 5 * mostEvents {
		r.event(event{})
	}
	if len(old) != 1 || old[0].Title != "first" {
		t.Errorf("what was handed out is %v", old)
	}
	if n := len(r.events); n < mostEvents || n > 2*mostEvents {
		t.Errorf("%d events are kept", n)
	}
}
