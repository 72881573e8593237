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

// NoteLogEntry notes a log entry about a folder. It reports whether the entry before told another
// state: another revision, or a stop for another reason.
func (b *board) NoteLogEntry(told status.ProductStatus) (news bool) {
	b.folders.with(told.Key(), func(f *folder) {
		now := loggedOf(told)
		switch told.State {
		case status.Published:
			news = told.PublishedAt != nil && f.logged.live != now.live
		case status.Attention, status.Missing:
			news = !now.stop.Same(f.logged.stop)
		default:
			return
		}
		f.logged = now
	})
	return news
}
