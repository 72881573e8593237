package daemon

import (
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/status"
)

// logged is the newest log entry about a folder.
type logged struct {
	live time.Time     // when its newest revision was published
	stop *status.Cause // why it stopped; nil after a publication
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

// isForTheLog reports whether a step is worth an entry in the log, and notes it as the newest one: the
// entry before has another revision, or a stop for another reason. The log leaves out waits for a host,
// which it has for itself, and a folder that goes without a product: it may be an old name only.
func (f *folder) isForTheLog(shown status.ProductStatus, next plan.Step) (news bool) {
	if next.ForHost || next.Action == plan.Forget {
		return false
	}
	now := loggedOf(shown)
	switch shown.State {
	case status.Published:
		news = shown.PublishedAt != nil && f.logged.live != now.live
	case status.Attention, status.Missing:
		news = !now.stop.Same(f.logged.stop)
	default:
		return false
	}
	f.logged = now
	return news
}
