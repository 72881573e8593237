package dashboard

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spinsync/daemon"
	"spinsync/daemon/status"
)

// A restart does not empty the day, and the activity begins with its views.
func TestDayOutlivesARestart(t *testing.T) {
	inStudio(t, "", Options{}, func(t *testing.T, s *studio) {
		s.shoot("Summer/SKU-1", "frame_01.jpg", "frame_02.jpg")
		s.untilState("Summer/SKU-1", status.Published)
		s.shoot("Summer/SKU-1", "frame_01.jpg", "frame_02.jpg", "frame_03.jpg")
		before := s.until("the second revision is live", func(m *moment) bool { return m.day.Frames == 3 })
		if before.day.Live != 1 || before.day.Timed != 1 || before.day.Bytes == 0 {
			t.Errorf("the day is %+v", before.day)
		}
		holds(t, s.text("/folder/"+before.product(0).ID), "revision 1, ", " after the last frame")
		s.stop()
		s.start(Options{})
		after := s.until("the folders are read", func(m *moment) bool { return len(m.order) == 1 && m.allRead() })
		if diff := cmp.Diff(before.day, after.day, cmp.AllowUnexported(dayView{})); diff != "" {
			t.Error(diff)
		}
		if activity := s.text("/activity"); strings.Count(activity, `<li data-state="published">`) != 1 {
			t.Errorf("the activity is %s", activity)
		}
	})
}

// A view that is only found when a lost state file is rebuilt does not count as published today.
func TestFoundViewsAreNotOfToday(t *testing.T) {
	inStudio(t, "", Options{}, func(t *testing.T, s *studio) {
		s.shoot("Summer/SKU-1", "frame_01.jpg", "frame_02.jpg")
		s.untilState("Summer/SKU-1", status.Published)
		s.stop()
		if err := os.Remove(s.w.State); err != nil {
			t.Fatal(err)
		}
		d, end := s.w.Open()
		err := d.Rebuild(t.Context(), func(f daemon.Forecast) {
			if !f.Published {
				t.Errorf("it is not found: %+v", f)
			}
		})
		end()
		if err != nil {
			t.Fatal(err)
		}
		s.start(Options{})
		m := s.until("the folder is read and stands as published", func(m *moment) bool { return m.allRead() && m.counts[status.Published] == 1 })
		if m.day.Live != 0 || len(m.history.events) != 0 {
			t.Errorf("the day is %+v, and the events are %+v", m.day, m.history.events)
		}
		s.shoot("Summer/SKU-1", "frame_01.jpg", "frame_02.jpg", "frame_03.jpg")
		s.until("a new revision counts", func(m *moment) bool { return m.day.Live == 1 })
	})
}

// viewOf is a folder whose view went live then. Its last frame came this long before.
func viewOf(live time.Time, took time.Duration, images int) status.ProductStatus {
	p := status.ProductStatus{Folder: live.String(), State: status.Published}
	p.PublishedAt, p.Images, p.Bytes = &live, images, int64(10*images)
	if took != 0 {
		p.Shot = live.Add(-took)
	}
	return p
}

func after(s int) time.Time { return noon.Add(time.Duration(s) * time.Second) }

// The day has its own views alone. It has no time since the last frame for a view whose frames are
// of another day, or came at an unknown time.
func TestDayCountsTodayOnly(t *testing.T) {
	arrived := func(at time.Time) status.ProductStatus {
		return status.ProductStatus{State: status.Queued, Arrived: at}
	}
	found := viewOf(after(40), time.Second, 99)
	found.Found = true
	products := []status.ProductStatus{
		viewOf(noon.AddDate(0, 0, -1), time.Second, 99), viewOf(after(3600), 0, 4), viewOf(after(30), 30*time.Second, 1),
		viewOf(after(20), 20*time.Second, 3), viewOf(after(50), longestWait, 5), found, {},
		arrived(after(1)), arrived(noon.AddDate(0, 0, -1)),
		viewOf(noon, -time.Second/2, 6), // recorded to the second
		viewOf(noon, -time.Minute, 7),   // by a clock that was set
	}
	want := dayBoard{
		Shot: 1, OnTheWay: 2, Live: 6, Frames: 26, Bytes: 260,
		Median: 20 * time.Second, Late: 30 * time.Second, Slowest: 30 * time.Second, Sum: 50 * time.Second, Timed: 3,
		Views: []dayView{
			{Live: noon, Timed: true}, {Live: noon}, {Live: after(20), Took: 20 * time.Second, Timed: true},
			{Live: after(30), Took: 30 * time.Second, Timed: true}, {Live: after(50)}, {Live: after(3600)},
		},
	}
	m := stand(after(4000), products...)
	if diff := cmp.Diff(want, m.day, cmpopts.IgnoreUnexported(dayView{})); diff != "" {
		t.Error(diff)
	}
	tomorrow := newDay(products, noon.AddDate(0, 0, 1))
	if diff := cmp.Diff(dayBoard{}, tomorrow); diff != "" {
		t.Error("the next day", diff)
	}
}

func TestPercentileIsTheNearestRank(t *testing.T) {
	for _, c := range []struct{ n, median, late int }{{0, 0, 0}, {1, 1, 1}, {2, 1, 2}, {3, 2, 3}, {20, 10, 19}, {100, 50, 95}, {101, 51, 96}} {
		var list []time.Duration
		for i := range c.n {
			list = append(list, time.Duration(i+1))
		}
		if median, late := percentile(list, 50), percentile(list, 95); int(median) != c.median || int(late) != c.late {
			t.Errorf("of %d: %d and %d", c.n, median, late)
		}
	}
}

// TestPlot: each view is a dot, higher the longer it took and never above the edge, and each hour a
// bar. Hours are marked, also of a day that has just begun.
func TestPlot(t *testing.T) {
	hour := time.Hour
	day := newDay([]status.ProductStatus{
		viewOf(noon, 30*time.Second, 1), viewOf(noon.Add(hour), 15*time.Second, 1), viewOf(noon.Add(hour+30*time.Minute), 0, 1),
		viewOf(noon.Add(hour), 15*time.Second, 1), // falls upon another dot
	}, noon)
	day.Late = 20 * time.Second // as if there were a hundred
	p := day.Plot()
	want := &plot{
		Dots: "M264 0h0M308 27h0", Bars: "M265 110V74H307V110ZM309 110V0H351V110Z",
		Hours: []plotHour{{0, "6:00"}, {88, "8:00"}, {176, "10:00"}, {264, "12:00"}},
		Top:   "20 s", TopHour: 3,
		Text: "The day: 4 views, at most 3 in an hour; typically live 15 s after their last frame, the slowest 30 s",
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
	early := newDay([]status.ProductStatus{viewOf(noon.Add(-12*hour), 0, 1), viewOf(noon.Add(-11*hour), 0, 1)}, noon).Plot()
	if early.Dots != "" || early.Top != "" || early.Hours[0] != (plotHour{0, "0:00"}) || early.Hours[3] != (plotHour{264, "6:00"}) {
		t.Errorf("without a time, and after midnight: %+v", early)
	}
	if p := newDay(nil, noon).Plot(); p != nil {
		t.Errorf("of an empty day: %+v", p)
	}
}

func TestPlotsEdgeIsRound(t *testing.T) {
	for of, want := range map[time.Duration]time.Duration{
		0: 10 * time.Second, 10 * time.Second: 10 * time.Second, 11 * time.Second: 20 * time.Second, 31 * time.Second: time.Minute,
		30 * time.Minute: 30 * time.Minute, 31 * time.Minute: time.Hour, 90 * time.Minute: 2 * time.Hour,
	} {
		if got := roundUp(of); got != want {
			t.Errorf("of %s: %s, want %s", of, got, want)
		}
	}
}

// TestDayTurnsThoughNothingChanges: at rest a moment differs from the last one by the time alone, until
// midnight.
func TestDayTurnsThoughNothingChanges(t *testing.T) {
	inStudio(t, "", Options{}, func(t *testing.T, s *studio) {
		s.shoot("Summer/SKU-1", "1.jpg")
		s.untilState("Summer/SKU-1", status.Published)
		time.Sleep(time.Minute)
		b := s.page.board
		b.mu.Lock()
		defer b.mu.Unlock()
		for days, want := range []bool{true, false} {
			earlier := *b.now
			earlier.at = time.Now().AddDate(0, 0, -days)
			b.now = &earlier
			if _, same := b.moment(); same != want {
				t.Errorf("after %d days the moment is the same: %t", days, same)
			}
		}
	})
}
