package dashboard

import (
	"time"

	"spinsync/daemon/status"
)

// A sign tells the person at a turntable whether the product on it may go. Each root is one
// station.
type sign struct {
	Root      string
	Station   string // the root's short name
	StationID string // in the address of its page
	ID        string // of the newest folder
	Name      string
	Frames    int
	Of        int // frames of a full turn; 0 when unknown
	Clear     bool
	Need      string    // the remedy before the product may go; empty for none
	Arrived   time.Time // when its last frame came
	At        time.Time // when it became as it is
}

// sign updates a station's sign after a change of one of its folders. The sign is about the folder
// in which frames last arrived. It says whether that folder is complete: every frame is whole and
// read. The upload plays no part in it.
func (r *recorder) sign(p product, arrival bool, now time.Time) {
	current := r.signs[p.Root]
	switch {
	case arrival && !p.Arrived.Before(current.Arrived), p.ID == current.ID && p.Complete != current.Clear:
		r.signs[p.Root] = newSign(p, now)
	case p.ID == current.ID:
		r.signs[p.Root] = newSign(p, current.At)
	}
}

func newSign(p product, at time.Time) sign {
	return sign{
		Root: p.Root, ID: p.ID, Name: p.name(), Frames: p.Frames.Settled, Of: p.Frames.Expected,
		Clear: p.Complete, Need: p.need(), Arrived: p.Arrived, At: at,
	}
}

// need returns the remedy that the frames of a folder need from a person.
func (p product) need() string {
	missing := p.Frames.Expected - p.Frames.Settled
	switch {
	case p.State != status.Attention || p.Complete:
		return ""
	case p.Corrupt != "":
		return "shoot " + p.Corrupt + " again"
	case p.Frames.Expected > 0 && missing > 0:
		return counted(missing, "frame is", "frames are") + " missing"
	case p.Frames.Expected > 0 && missing < 0:
		return counted(-missing, "frame", "frames") + " too many"
	}
	return "see why"
}

// Tone is the colour of the sign.
func (s sign) Tone() tone {
	switch {
	case s.Need != "":
		return bad
	case s.Clear:
		return good
	case s.ID != "":
		return busy
	}
	return quiet
}

// Words are the text of the sign.
func (s sign) Words() string {
	switch {
	case s.Need != "":
		return "Needs you: " + s.Need
	case s.Clear:
		return "You may clear the table"
	case s.ID != "":
		return "Leave the table as it is"
	}
	return "Ready for the next product"
}

// arrived reports whether frames arrived, or changed.
func arrived(old, p product) bool { return p.Arrived.After(old.Arrived) }

// recallSigns starts with the folder of each root in which frames last arrived.
func (r *recorder) recallSigns(m *moment) {
	for p := range m.products() {
		if p.State != status.Missing && p.Arrived.After(r.signs[p.Root].At) {
			r.signs[p.Root] = newSign(p, p.Arrived)
		}
	}
}
