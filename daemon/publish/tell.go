package publish

import (
	"cmp"
	"math"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// The log has one line for each event: a folder went live, needs a person, or is gone. Progress and
// pauses show in the status alone.

// headline logs a folder's new state.
func (l *ledger) headline(shown status.ProductStatus) {
	about := []any{"folder", l.Key.Path, "root", l.Key.Root}
	if shown.Product != "" {
		about = append(about, "product", shown.Product)
	}
	switch shown.State {
	case status.Published:
		about = append(about, "frames", shown.Frames.Uploaded, "revision", shown.Revision)
		if !l.began.IsZero() {
			about = append(about, "upload_to_live_seconds", math.Round(10*time.Since(l.began).Seconds())/10)
		}
		if shown.Cause != nil {
			about = append(about, "reason", status.Sentence(shown.Cause, l.Command))
		}
		l.Log.Info("published", about...)
	case status.Attention:
		about = append(about, "reason", status.Sentence(shown.Cause, l.Command))
		if shown.Detail != "" {
			about = append(about, "detail", shown.Detail)
		}
		l.Log.Warn("needs attention", about...)
	case status.Missing:
		l.Log.Info("missing", append(about, "reason", status.Sentence(shown.Cause, l.Command))...)
	}
}

// Tell shows the step that begins for a folder. A new state is recorded with the next update, so
// that commands without a daemon show it too.
func (l *ledger) Tell(next plan.Step, s plan.Scene) {
	l.showFrames(s)
	shown, planned := status.ProductOf(l.Key, s.Record), s.Shown(next)
	shown.State, shown.Cause, shown.Detail, shown.NextTry = status.State(planned.State), planned.Cause, planned.Detail, nil
	if shown.State == next.State {
		shown.NextTry, shown.QuietAt = nextTry(next), next.QuietAt
	}
	if s.Facts.Snapshot.Present {
		shown.NotTaken = s.Facts.Snapshot.NotTaken
	}
	if !s.Facts.Snapshot.Idle { // else the record has it all
		shown.Frames.Settled, shown.Frames.Expected = s.Resting(), s.Facts.Rules.FullTurn(s.Facts.Snapshot.Frames)
		shown.TotalBytes = s.Facts.TotalBytes()
		shown.Title, shown.SKU, shown.Project =
			s.Facts.Wanted.Title, s.Facts.Wanted.SKU, cmp.Or(s.Record.Project.Shown(), s.Facts.Wanted.Project)
		l.product = s.Facts.Wanted
	}

	news := l.Display.Show(&shown, next)
	if news.Log {
		l.headline(shown)
	}
	unnamed := l.nameIn(&s.Record)
	if news.State || news.Known && (unnamed || next.Action == plan.Idle && !s.Record.Cause.Same(shown.Cause)) {
		l.pending, l.content = &shown, planned.Content
	}
}

// nameIn gives a record without a product the wanted names, so that they can be shown before there
// is a product. It reports whether that changed it.
func (l *ledger) nameIn(r *syncstate.Record) bool {
	if r.Product.UUID != "" || l.product == (plan.Product{}) || l.product.SameFields(r.Product) {
		return false
	}
	r.Product = l.product.WithUUID("")
	return true
}

func nextTry(s plan.Step) *time.Time {
	failed := s.State == status.Retrying || s.State == status.Attention
	if s.Action != plan.Wait || !failed || s.Until.IsZero() {
		return nil
	}
	return &s.Until
}

// showFrames shows the condition of the frames.
func (l *ledger) showFrames(s plan.Scene) {
	if !s.Facts.Snapshot.Present || s.Facts.Snapshot.Err != nil {
		return
	}
	c := Condition{TableSignal: status.TableSignal{Arrived: s.Arrival(), Complete: s.IsWholeSet()}, Settled: -1}
	if !c.Complete {
		c.Corrupt, c.Broken = s.Set.Corrupt, s.Set.BrokenFrames()
	}
	if !s.Facts.Snapshot.Idle {
		c.Settled = s.Resting()
	}
	l.Display.ShowFrames(l.Key, c)
}
