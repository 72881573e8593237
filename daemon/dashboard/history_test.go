package dashboard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

var noon = time.Date(2027, 1, 2, 12, 0, 0, 0, time.Local)

// momentWith is a moment with one folder in the given state.
func momentWith(at time.Time, state status.State, settled, expected int) *moment {
	p := status.ProductStatus{Root: "/shoots", Folder: "Summer/SKU-1", State: state, Since: at}
	p.Frames.Settled, p.Frames.Expected, p.TotalBytes = settled, expected, 1
	return momentOf(status.Status{Products: []status.ProductStatus{p}}, at)
}

// stand makes the moment with these folders of one root.
func stand(at time.Time, products ...status.ProductStatus) *moment {
	for i := range products {
		products[i].Root = "/shoots"
	}
	return momentOf(status.Status{Products: products, Roots: []watcher.RootStatus{{Path: "/shoots", Unread: true, Reason: "is being read"}}}, at)
}

// The table may be cleared when the folder is complete, and as long as no more frames arrive,
// whatever its upload does.
func TestTableMayBeClearedWhenAllIsRead(t *testing.T) {
	before := stand(noon)
	for i, step := range []struct {
		state    status.State
		settled  int
		arrives  bool
		complete bool
	}{
		{status.Collecting, 0, true, false}, {status.Uploading, 1, false, false}, {status.Retrying, 2, true, false},
		{status.Retrying, 3, true, true}, {status.Paused, 3, false, true}, {status.Processing, 3, false, true},
		{status.Processing, 3, true, false}, {status.Processing, 4, false, true}, {status.Published, 4, false, true},
		{status.Attention, 3, false, false},
	} {
		now := noon.Add(time.Duration(i+1) * time.Second)
		p := status.ProductStatus{Folder: "Summer/SKU-1", State: step.state, Complete: step.complete, Arrived: now}
		if old, ok := before.find(idOf(syncstate.Folder{Root: "/shoots", Path: "Summer/SKU-1"})); ok && !step.arrives {
			p.Arrived = old.Arrived
		}
		p.Frames.Settled = step.settled
		before = stand(now, p)
		if got := before.signalOf("/shoots"); got.Clear != step.complete || got.Frames != step.settled {
			t.Errorf("step %d, %+v: the signal is %+v", i, step, got)
		}
	}
}

// A folder in which no frame arrives is not the one on the table, whatever else happens in it,
// and at a start as well.
func TestSignalStaysWithTheNewestShoot(t *testing.T) {
	old := status.ProductStatus{Folder: "Summer/SKU-1", State: status.Published, Since: noon, Complete: true, Arrived: noon.Add(-time.Hour)}
	half := status.ProductStatus{Folder: "Summer/SKU-2", State: status.Collecting, Since: noon.Add(-time.Minute), Arrived: noon.Add(-time.Minute)}
	for i, state := range []status.State{status.Published, status.Collecting, status.Processing, status.Published} {
		old.State, old.Frames.Settled, old.Since = state, i, noon.Add(time.Duration(i)*time.Second)
		if got := stand(old.Since, old, half).signalOf("/shoots"); got.Name != "SKU-2" || got.Clear {
			t.Fatalf("while the other folder is %s the signal is %+v", state, got)
		}
	}
}

// A table signal shows what the frames need from a person, and no trouble of the upload.
func TestSignalShowsWhatAPersonHasToDo(t *testing.T) {
	for _, test := range []struct {
		p    status.ProductStatus
		want string
		tone tone
	}{
		{status.ProductStatus{State: status.Attention, Frames: status.FrameCounts{Settled: 6, Expected: 12}}, "Needs you: 6 frames are missing", bad},
		{status.ProductStatus{State: status.Attention, Frames: status.FrameCounts{Settled: 13, Expected: 12}}, "Needs you: 1 frame too many", bad},
		{status.ProductStatus{State: status.Attention, Frames: status.FrameCounts{Settled: 11, Expected: 12}, Corrupt: "frame_04.jpg"}, "Needs you: shoot frame_04.jpg again", bad},
		{status.ProductStatus{State: status.Attention, Frames: status.FrameCounts{Settled: 12}}, "Needs you: see why", bad},
		{status.ProductStatus{State: status.Attention, Frames: status.FrameCounts{Settled: 12, Expected: 12}}, "Needs you: see why", bad},
		{status.ProductStatus{State: status.Attention, Complete: true}, "You may clear the table", good},
		{status.ProductStatus{State: status.Collecting, Frames: status.FrameCounts{Settled: 6, Expected: 12}}, "Leave the table as it is", busy},
	} {
		test.p.Folder, test.p.Arrived = "Summer/SKU-1", noon
		if got := stand(noon, test.p).signalOf("/shoots"); got.Words() != test.want || got.Tone() != test.tone {
			t.Errorf("%+v: %s, %q", test.p, got.Tone(), got.Words())
		}
	}
}

// The order in which a start finds folders does not show which was shot last. The times of their
// frames do.
func TestSignalFollowsTheFramesAtAStart(t *testing.T) {
	older := status.ProductStatus{Folder: "Summer/SKU-9", State: status.Collecting}
	newer := status.ProductStatus{Folder: "Summer/SKU-10", State: status.Collecting}
	newer.Arrived = noon.Add(-time.Minute)
	older.Arrived, older.Complete = noon.Add(-2*time.Minute), true
	if got := stand(noon, older, newer).signalOf("/shoots"); got.Name != "SKU-10" || got.Clear {
		t.Errorf("the signal is %+v", got)
	}
}

// A table signal to leave the table has no end of its own; a signal to clear it has one.
func TestOnlyAClearSignalAges(t *testing.T) {
	for _, complete := range []bool{false, true} {
		p := status.ProductStatus{Folder: "Summer/SKU-1", State: status.Collecting, Complete: complete, Arrived: noon}
		if got := stand(noon.Add(2*signalAge), p).signals(); (len(got) == 0) != complete {
			t.Errorf("complete %v: the signals are %+v", complete, got)
		}
		p.State = status.Missing
		if got := stand(noon, p).signals(); len(got) != 0 {
			t.Errorf("of a folder that is gone the signals are %+v", got)
		}
	}
}

// The activity has each stage of a shoot once, however many frames come one by one.
func TestActivityIsNoFlood(t *testing.T) {
	r := newRecorder(nil)
	before := momentOf(status.Status{}, noon)
	for i, state := range []status.State{
		status.Collecting, status.Uploading, status.Collecting, status.Uploading, status.Collecting, status.Uploading,
		status.Processing, status.Retrying, status.Processing, status.Paused, status.Processing,
		status.Retrying, status.Uploading, status.Retrying, status.Uploading, status.Processing,
	} {
		now := momentWith(noon, state, i+1, 99)
		r.note(before, now)
		before = now
	}
	var got []status.State
	for _, e := range r.events {
		got = append(got, e.State)
	}
	want := []status.State{
		status.Collecting, status.Uploading, status.Processing, status.Retrying, status.Processing, status.Paused, status.Processing,
		status.Retrying, status.Processing,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The pause of a folder whose view is live ends in the activity too, and is no publication there. A
// pause of thousands of folders is one line.
func TestPausesAreInTheActivityOnce(t *testing.T) {
	for ofAll, title := range map[bool]string{false: "SKU-1", true: "Everything"} {
		r := newRecorder(nil)
		before := momentWith(noon, status.Published, 3, 0)
		r.note(nil, before)
		for _, state := range []status.State{status.Paused, status.Published} {
			now := momentWith(noon, state, 3, 0)
			now.status.Paused = ofAll && state == status.Paused
			r.note(before, now)
			before = now
		}
		if len(r.events) != 2 || r.events[0].State != status.Paused || r.events[1].State != resumed || r.events[1].Title != title {
			t.Errorf("of all %t: the events are %+v", ofAll, r.events)
		}
	}
}

// The activity ends with the view that was deleted, not with one that is being deleted. A folder that
// a person has forgotten keeps its view.
func TestDeletedViewIsInTheActivity(t *testing.T) {
	for _, kind := range []status.Kind{status.GoneDeleting, status.Gone} {
		r := newRecorder(nil)
		r.compare(stand(noon, status.ProductStatus{Folder: "Summer/SKU-1", Cause: status.Because(kind)}), stand(noon))
		if told := len(r.events) == 1 && r.events[0].State == deleted; told != (kind == status.GoneDeleting) {
			t.Errorf("%s: the events are %+v", kind, r.events)
		}
	}
}

// A folder that gets another name is no publication of the day, and none in the activity.
func TestRenameIsNoPublication(t *testing.T) {
	inStudio(t, "", Options{}, func(t *testing.T, s *studio) {
		s.shoot("Summer/SKU-1", "frame_01.jpg", "frame_02.jpg")
		s.untilState("Summer/SKU-1", status.Published)
		if err := os.Rename(filepath.Join(s.w.Root, "Summer", "SKU-1"), filepath.Join(s.w.Root, "Summer", "SKU-2")); err != nil {
			t.Fatal(err)
		}
		s.untilState("Summer/SKU-2", status.Published)
		m, _ := s.page.board.latest()
		if m.day.Live != 1 {
			t.Errorf("the day is %+v", m.day)
		}
		if activity := s.text("/activity"); strings.Count(activity, `<li data-state="published">`) != 1 {
			t.Errorf("the activity is %s", activity)
		}
	})
}

// What stops all work, and what keeps a root or the service away, makes the page unhealthy.
func TestHealthKnowsEveryTrouble(t *testing.T) {
	for name, status := range map[string]status.Status{
		"the state file": {StateFile: "no space left"},
		"a root":         {Roots: []watcher.RootStatus{{Path: "/shoots", Reason: "is not there"}}},
		"the service":    {Service: status.ServiceStatus{Trouble: "no answer"}},
	} {
		if m := momentOf(status, noon); m.status.Trouble() == "" {
			t.Errorf("nothing is said of %s", name)
		}
	}
	if trouble := stand(noon).status.Trouble(); trouble != "" {
		t.Errorf("without trouble it says %q", trouble)
	}
}

func TestThroughputIsWhatWasSent(t *testing.T) {
	r := newRecorder(nil)
	before := momentWith(noon, status.Uploading, 1, 0)
	r.note(nil, before)
	for i, sent := range []int64{100, 400, 400, 50} { // the last count started again
		now := momentWith(noon.Add(time.Duration(i+1)*time.Second), status.Uploading, 1, 0)
		now.status.Products[0].SentBytes = sent
		r.note(before, now)
		before = now
	}
	if r.total != 450 || r.measures.rate() != 112.5 {
		t.Errorf("%d bytes at %v a second", r.total, r.measures.rate())
	}
}

// A history that was handed out is never written again, and the memory is bounded.
func TestHistoryIsBounded(t *testing.T) {
	r := newRecorder(nil)
	r.event(event{Title: "first"})
	old := r.history().events
	for i := range 5 * mostEvents {
		r.event(event{Title: grouped(i)})
	}
	if len(old) != 1 || old[0].Title != "first" {
		t.Errorf("what was handed out is %v", old)
	}
	now := r.history().events
	if len(now) != mostEvents || now[mostEvents-1].Title != grouped(5*mostEvents-1) {
		t.Errorf("%d events are shown, the last is %+v", len(now), now[len(now)-1])
	}
	if n := len(r.events); n > 2*mostEvents {
		t.Errorf("%d events are kept", n)
	}
}

// Where nothing is due, the verdict counts the folders.
func TestVerdictOfIdleFolders(t *testing.T) {
	for state, want := range map[status.State]string{status.Paused: "1 folder is paused", status.Missing: "1 folder is gone; what was published is kept"} {
		m := stand(noon, status.ProductStatus{State: state})
		m.status.Roots[0].LastRead = noon
		if v := m.verdict(); v.Sentence != want {
			t.Errorf("of a folder that is %s: %+v", state, v)
		}
	}
}
