package dashboard

import (
	"errors"
	"maps"
	"net/url"
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// asideSpan is how long a folder that needs a person stays put aside.
const asideSpan = 24 * time.Hour

// asides are the folders that people put aside, by ID. They are never changed, so that moments can
// share them.
type asides struct {
	of   map[string]syncstate.Aside
	ends time.Time // when the first of them is over; zero for none
}

// with returns a copy that holds the later asides too, and drops those that are over.
func (a *asides) with(later []syncstate.Aside, now time.Time) *asides {
	next := &asides{of: map[string]syncstate.Aside{}}
	maps.Copy(next.of, a.of)
	for _, l := range later {
		next.of[idOf(l.Folder)] = l
	}
	for id, l := range next.of {
		switch end := l.At.Add(asideSpan); {
		case l.Cause == nil || !now.Before(end):
			delete(next.of, id)
		case next.ends.IsZero() || end.Before(next.ends):
			next.ends = end
		}
	}
	return next
}

// at returns the asides that are not over yet.
func (a *asides) at(now time.Time) *asides {
	if a.ends.IsZero() || now.Before(a.ends) {
		return a
	}
	return a.with(nil, now)
}

// until returns the time at which a folder that was put aside is told again. It returns the zero
// time for any other folder, and for a folder whose trouble has changed since: that trouble is told
// at once.
func (a *asides) until(p *status.ProductStatus, id string) time.Time {
	if p.State != status.Attention {
		return time.Time{}
	}
	put, ok := a.of[id]
	if !ok || !put.Cause.Same(p.Cause) || !put.Since.Equal(p.Since) {
		return time.Time{}
	}
	return put.At.Add(asideSpan)
}

var errNothingAside = errors.New("only a product folder that needs a person can be put aside; name such a folder")

// putAside silences a folder that needs a person. The page tells of it again after a day or when
// its trouble changes. With the field off it does so at once.
func (p *Dashboard) putAside(key syncstate.Folder, form url.Values) error {
	m, _ := p.board.latest()
	found, ok := m.find(idOf(key))
	if !ok || found.State != status.Attention {
		return errNothingAside
	}
	put := syncstate.Aside{Folder: key, At: time.Now(), Since: found.Since, Cause: found.Cause}
	if form.Has("off") {
		put.Cause = nil
	}
	return p.board.putAside(put)
}

func (b *board) putAside(put syncstate.Aside) error {
	if err := b.d.Records.AddHistory(syncstate.History{Asides: []syncstate.Aside{put}}); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asides = b.asides.with([]syncstate.Aside{put}, put.At)
	return nil
}
