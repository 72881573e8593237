package dashboard

import (
	"slices"
	"time"

	"spinsync/daemon/status"
)

// A dayBoard sums up a day, from the records. A view that was only found on the service does not
// count.
type dayBoard struct {
	Shot     int // folders in which frames arrived
	OnTheWay int
	Live     int // folders whose view went live
	Frames   int // of these views
	Bytes    int64
	Median   time.Duration // from the last frame to live
	Late     time.Duration // the 95th percentile
	Slowest  time.Duration
	Sum      time.Duration
	Timed    int       // views of which the time is known
	Views    []dayView // the oldest first
}

// A dayView is a view that went live on the day.
type dayView struct {
	Live  time.Time
	Took  time.Duration // since its last frame
	Timed bool          // Took is known
	place int           // of the folder in the status
}

// newDay is the day of a time.
func newDay(products []status.ProductStatus, now time.Time) dayBoard {
	y, month, d := now.Local().Date()
	from, to := time.Date(y, month, d, 0, 0, 0, 0, time.Local), time.Date(y, month, d+1, 0, 0, 0, 0, time.Local)
	within := func(t time.Time) bool { return !t.Before(from) && t.Before(to) }
	var day dayBoard
	var took []time.Duration
	for i, p := range products {
		if within(p.Arrived) {
			day.Shot++
		}
		if p.PublishedAt == nil || p.Found || !within(*p.PublishedAt) {
			continue
		}
		view := dayView{Live: *p.PublishedAt, place: i}
		if since, known := sinceShot(p.Live); known {
			view.Took, view.Timed = since, true
			took = append(took, since)
			day.Sum += since
		}
		day.Views = append(day.Views, view)
		day.Frames += p.Images
		day.Bytes += p.Bytes
	}
	slices.SortFunc(day.Views, func(a, b dayView) int { return a.Live.Compare(b.Live) })
	slices.Sort(took)
	day.Live, day.Timed = len(day.Views), len(took)
	day.Median, day.Late, day.Slowest = percentile(took, 50), percentile(took, 95), percentile(took, 100)
	return day
}

// longestWait is the age of a view's last photo up to which the time from photo to view is shown.
// Older photos were not shot for the view of the day.
const longestWait = 12 * time.Hour

// sinceShot is the time from the last photo of a published view to its publication, which is
// recorded to the second.
func sinceShot(v status.Live) (took time.Duration, known bool) {
	took = v.PublishedAt.Sub(v.Shot)
	return max(0, took), !v.Shot.IsZero() && took > -time.Second && took < longestWait
}

func sameDay(a, b time.Time) bool {
	a, b = a.Local(), b.Local()
	return a.YearDay() == b.YearDay() && a.Year() == b.Year()
}

// percentile is the nearest rank in a sorted list, 0 in an empty one.
func percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*p+99)/100-1]
}
