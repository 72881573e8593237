package publish

import (
	"math"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// The log has one line for each event: a folder went live, needs a person, or is gone. Progress and
// pauses show in the status alone.

// headline logs a folder's new state, unless the log has it already.
func (j *Job) headline(told status.ProductStatus) {
	if !j.Board.IsNews(told) {
		return
	}
	about := []any{"folder", j.Key.Path}
	if j.SeveralRoots {
		about = append(about, "root", j.Key.Root)
	}
	switch told.State {
	case status.Published:
		about = append(about, "frames", told.Frames.Uploaded, "revision", told.Revision)
		if !j.began.IsZero() {
			about = append(about, "upload_to_live_seconds", math.Round(10*time.Since(j.began).Seconds())/10)
		}
		j.Log.Info("published", about...)
	case status.Attention:
		about = append(about, "reason", status.Sentence(told.Cause, j.Command))
		if told.Detail != "" {
			about = append(about, "detail", told.Detail)
		}
		j.Log.Warn("needs attention", about...)
	case status.Missing:
		j.Log.Info("missing", append(about, "reason", status.Sentence(told.Cause, j.Command))...)
	}
}

// Tell shows people the step that begins for a folder. A new state is recorded with the next
// update, so that commands without a daemon tell it too.
func (j *Job) Tell(next plan.Step, s plan.Scene) {
	j.notice(s)
	told := status.ProductOf(j.Key, s.Record)
	told.State, told.Cause, told.Detail, told.NextTry, told.QuietAt =
		next.State, next.Cause, next.Detail, nextTry(next), next.QuietAt
	if s.Snapshot.Present {
		told.NotTaken = s.Snapshot.NotTaken
	}
	if !s.Snapshot.Idle { // else the record says it all
		told.Frames.Settled, told.Frames.Expected = s.Settled(), s.Rules.Announced(s.Snapshot.Frames)
		told.TotalBytes = s.TotalBytes()
		told.Title, told.SKU, told.Project =
			s.Wanted.Title, s.Wanted.SKU, status.FirstOf(s.Record.Project.Shown(), s.Wanted.Project)
		j.product = s.Wanted
	}

	known, news := j.Board.Show(&told, next.Looks())
	// The log leaves out a folder that goes without a product: it may be an old name only.
	if next.Mode != plan.ForHost && next.Action != plan.Forget {
		j.headline(told)
	}
	unnamed := j.nameIn(&s.Record)
	if news || known && (unnamed || next.Action == plan.Rest && !s.Record.Cause.Same(told.Cause)) {
		j.Told = &told
	}
}

// nameIn gives a record without a product the names that the product is to have, so that they can
// be told before there is one. It reports whether that changed it.
func (j *Job) nameIn(r *syncstate.Record) bool {
	if r.Product.UUID != "" || j.product == (plan.Product{}) || j.product.SameFields(r.Product) {
		return false
	}
	r.Product = j.product.Record("")
	return true
}

func nextTry(s plan.Step) *time.Time {
	if s.Mode == plan.Retold || s.Action != plan.Wait && s.Mode != plan.Aside || s.State != status.Retrying && s.State != status.Attention || s.Until.IsZero() {
		return nil
	}
	return &s.Until
}
