package dashboard

import (
	"time"

	"spinsync/daemon"
)

// A sign tells the person at a turntable whether the product on it may go. Each root is one station.
type sign struct {
	Root      string
	Station   string // the root's short name
	StationID string // in the address of its page
	ID        string // of the newest folder
	Name      string
	Frames    int
	Of        int // frames of a full turn; 0 when nobody knows
	Clear     bool
	At        time.Time // when it became as it is
}

// sign moves a station's sign on with what happened to one of its folders. The sign is about the folder in which frames
// last arrived, and says whether that is complete, every frame whole and read, whatever becomes of its upload.
func (r *recorder) sign(p product, arrival bool, now time.Time) {
	current := r.signs[p.Root]
	switch {
	case arrival, p.ID == current.ID && p.Complete != current.Clear:
		r.signs[p.Root] = newSign(p, now)
	case p.ID == current.ID:
		r.signs[p.Root] = newSign(p, current.At)
	}
}

func newSign(p product, at time.Time) sign {
	return sign{
		Root: p.Root, ID: p.ID, Name: p.name(), Frames: p.Frames.Settled, Of: p.Frames.Expected,
		Clear: p.Complete, At: at,
	}
}

// arrived reports whether frames arrived, or changed.
func arrived(old, p product) bool { return p.Arrived.After(old.Arrived) }

// recallSigns starts with the folder of each root in which frames last arrived.
func (r *recorder) recallSigns(m *moment) {
	for _, p := range m.products {
		if p.State != daemon.Missing && p.Arrived.After(r.signs[p.Root].At) {
			r.signs[p.Root] = newSign(p, p.Arrived)
		}
	}
}
