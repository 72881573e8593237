package daemon

import (
	"time"

	"spinsync/daemon/status"
)

// logged is the newest log entry about a folder.
type logged struct {
	live time.Time     // when its newest revision was published
	stop *status.Cause // why it stands still; nil after a publication
}

func loggedOf(p status.ProductStatus) (l logged) {
	if p.PublishedAt != nil {
		l.live = *p.PublishedAt
	}
	if p.State == status.Attention || p.State == status.Missing {
		l.stop = p.Cause
	}
	return l
}

// NoteNews notes a log entry about a folder. It reports whether the entry before told another
// state: another revision, or a stop for another reason.
func (b *board) NoteNews(told status.ProductStatus) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[told.Key()]
	if !ok {
		return false
	}
	before := f.logged
	switch told.State {
	case status.Published:
		f.logged = loggedOf(told)
		return told.PublishedAt != nil && before.live != *told.PublishedAt
	case status.Attention, status.Missing:
		f.logged = loggedOf(told)
		return !f.logged.stop.Same(before.stop)
	}
	return false
}
