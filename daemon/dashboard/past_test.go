package dashboard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A restart empties neither the day nor a folder's history, and tells nothing twice.
func TestPastOutlivesARestart(t *testing.T) {
	s := newStudio(t, "", Options{})
	s.shoot("Summer/SKU-1", "frame_01.jpg", "frame_02.jpg")
	s.untilState("Summer/SKU-1", status.Published)
	s.shoot("Summer/SKU-1", "frame_01.jpg", "frame_02.jpg", "frame_03.jpg")
	before := s.until("the second revision is live", func(m *moment) bool { return len(m.history.runs) == 2 })
	s.stop()
	s.start(Options{})
	after := s.until("the folders are read", func(m *moment) bool { return len(m.order) == 1 && m.allRead() })
	// Times are recorded to the millisecond, and told in the file's own zone.
	if diff := cmp.Diff(before.history.runs, after.history.runs, cmpopts.EquateApproxTime(time.Millisecond), cmp.AllowUnexported(run{})); diff != "" {
		t.Error(diff)
	}
	if now := after.day(); now.Live != 1 || now.Timed != 2 || now.Median == 0 {
		t.Errorf("the day is %+v", now)
	}
	if activity := s.text("/activity"); strings.Count(activity, `<li data-state="published">`) != 2 {
		t.Errorf("the activity is %s", activity)
	}
	page := s.text("/folder/" + after.product(0).ID)
	for _, want := range []string{"Revision 0", "Revision 1", "after the last frame"} {
		if !strings.Contains(page, want) {
			t.Errorf("the folder's page does not tell %q", want)
		}
	}
	if strings.Index(page, "Revision 1") > strings.Index(page, "Revision 0") {
		t.Error("the newest revision does not stand first")
	}
}

// What a pass published today is of the day too.
func TestDayCountsWhatNoPageSaw(t *testing.T) {
	s := newStudio(t, "", Options{})
	s.stop()
	s.shoot("Summer/SKU-1", "frame_01.jpg", "frame_02.jpg")
	d, end := daemontest.Open(t, daemon.Options{Config: s.c})
	err := d.Sync(t.Context())
	end()
	if err != nil {
		t.Fatal(err)
	}
	var size int64
	for _, name := range []string{"frame_01.jpg", "frame_02.jpg"} {
		info, err := os.Stat(filepath.Join(s.root, "Summer", "SKU-1", name))
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	s.start(Options{})
	m := s.until("the folder is read", func(m *moment) bool { return m.allRead() })
	if day := m.day(); day.Live != 1 || day.Frames != 2 || day.Bytes != size {
		t.Errorf("the day is %+v, of %d bytes", day, size)
	}
}

// A view that is only found when a lost state file is made anew does not count as published today.
func TestFoundViewsAreNotOfToday(t *testing.T) {
	s := newStudio(t, "", Options{})
	s.shoot("Summer/SKU-1", "frame_01.jpg", "frame_02.jpg")
	s.untilState("Summer/SKU-1", status.Published)
	s.stop()
	if err := os.Remove(s.c.State.Path); err != nil {
		t.Fatal(err)
	}
	d, end := daemontest.Open(t, daemon.Options{Config: s.c})
	err := d.Rebuild(t.Context(), func(r daemon.Rebuilt) {
		if !r.Published {
			t.Errorf("it is not found: %+v", r)
		}
	})
	end()
	if err != nil {
		t.Fatal(err)
	}
	s.start(Options{})
	m := s.until("the folder is read and stands as published", func(m *moment) bool { return m.allRead() && m.counts[status.Published] == 1 })
	if day := m.day(); day.Live != 0 || len(m.history.runs) != 0 {
		t.Errorf("the day is %+v, of %+v", day, m.history.runs)
	}
	s.shoot("Summer/SKU-1", "frame_01.jpg", "frame_02.jpg", "frame_03.jpg")
	s.until("a new revision counts", func(m *moment) bool { return m.day().Live == 1 })
}

// The plot goes on where it ended, with rest where nothing was kept.
func TestPlotOutlivesARestart(t *testing.T) {
	at := func(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }
	r := newRecorder(nil)
	r.load(syncstate.History{Samples: []syncstate.Sample{
		{At: noon.Add(-2 * time.Hour), Queue: 9}, {At: at(0), Queue: 1}, {At: at(10), Queue: 2}, {At: at(100), Queue: 3},
	}}, at(200))
	want := []syncstate.Sample{
		{At: at(0), Queue: 1}, {At: at(10), Queue: 2}, {At: at(20)}, {At: at(90)}, {At: at(100), Queue: 3}, {At: at(110)}, {At: at(190)},
	}
	if diff := cmp.Diff(want, r.samples); diff != "" {
		t.Error(diff)
	}
}

// Publications are kept at once, samples a minute at a time, and idle ones not at all.
func TestLittleIsWritten(t *testing.T) {
	r := newRecorder(nil)
	r.keepSample(syncstate.Sample{At: noon})
	if _, due := r.unsavedPast(true); due {
		t.Error("an idle time is kept")
	}
	for i := range saveSamples {
		if _, due := r.unsavedPast(false); due {
			t.Errorf("%d samples are written", i)
		}
		r.keepSample(syncstate.Sample{At: noon, Queue: 1})
	}
	if h, due := r.unsavedPast(false); !due || len(h.Samples) != saveSamples {
		t.Errorf("%d samples are written", len(h.Samples))
	}
	r.countAndKeep(syncstate.Publication{Live: noon})
	if _, due := r.unsavedPast(false); !due {
		t.Error("a publication waits")
	}
	r.keepSample(syncstate.Sample{Queue: 1})
	if _, due := r.unsavedPast(true); !due {
		t.Error("the last samples are lost")
	}
}
