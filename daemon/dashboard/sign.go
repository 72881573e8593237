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
// last arrived. What is complete stays so until more arrive, whatever becomes of its upload.
func (r *recorder) sign(p product, arrival bool, now time.Time) {
	current := r.signs[p.Root]
	switch {
	case arrival:
		r.signs[p.Root] = newSign(p, now)
	case p.ID == current.ID && !current.Clear && tableClear(p):
		r.signs[p.Root] = newSign(p, now)
	}
}

func newSign(p product, at time.Time) sign {
	return sign{
		Root: p.Root, ID: p.ID, Name: p.name(), Frames: p.Frames.Settled, Of: p.Frames.Expected,
		Clear: tableClear(p), At: at,
	}
}

// arrived reports whether frames arrived, or are arriving again.
func arrived(old, p product) bool {
	again := p.State == daemon.Collecting && old.State != daemon.Collecting && p.Frames.Settled > 0
	return again || p.Frames.Settled > old.Frames.Settled
}

// wakes reports whether a folder that was not done at the start is only being looked at again: its frames settle anew
// then, and none of them arrived.
func (r *recorder) wakes(p product, now time.Time) bool {
	const patience = 20 * time.Second
	since, known := r.waking[p.ID]
	switch {
	case !known:
		return false
	case since.IsZero() && p.TotalBytes > 0:
		since = now
		r.waking[p.ID] = now
	}
	if !since.IsZero() && now.Sub(since) > patience {
		delete(r.waking, p.ID)
	}
	return true
}

// recallSigns starts with the folder of each root that was last worked on.
func (r *recorder) recallSigns(m *moment) {
	for _, p := range m.products {
		if p.State == daemon.Missing || !p.Since.After(r.signs[p.Root].At) {
			continue
		}
		r.signs[p.Root] = newSign(p, p.Since)
	}
}

// tableClear reports whether a folder is complete, and every frame whole and read. A folder whose number of frames is
// known begins to upload with its first one; any other one begins when it is complete.
func tableClear(p product) bool {
	switch p.State {
	case daemon.Processing, daemon.Published:
		return true
	case daemon.Uploading, daemon.Queued:
		return p.Frames.Settled > 0 && p.Frames.Settled >= p.Frames.Expected
	}
	return false
}
