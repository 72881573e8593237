package publish

import (
	"cmp"
	"log/slog"
	"math"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A screen shows people the steps of one folder, and logs what is news.
type screen struct {
	key     syncstate.Folder
	display Display
	log     *slog.Logger

	live    bool                  // a view was published that was not shown since
	logged  syncstate.Shown       // why the folder needs a person or is gone, until it is published
	began   time.Time             // when its run began; zero for a view that was found
	before  status.ProductStatus  // as the worker took the folder
	pending *status.ProductStatus // the status last shown, while it is not recorded
	content string                // for which it was shown
	product plan.Product          // the wanted one; zero when it is not known
}

// begin notes what is shown as a worker takes the folder.
func (sc *screen) begin() { sc.before, _ = sc.display.Last(sc.key) }

// since is since when a folder has the state that is shown next. A view at which a worker has looked again,
// and of which nothing was changed, stands since before.
func (sc *screen) since(shown, was status.ProductStatus) time.Time {
	standing := shown.State == status.Published && sc.before.State == shown.State &&
		shown.PublishedAt != nil && sc.before.PublishedAt != nil
	switch {
	case shown.State == was.State:
		return was.Since
	case standing && sc.before.PublishedAt.Equal(*shown.PublishedAt) && sc.before.Updates == shown.Updates:
		return sc.before.Since
	}
	return status.WholeSecond(time.Now())
}

// keep records the status last shown, if it is not recorded yet.
func (sc *screen) keep(r *syncstate.Record) {
	if sc.pending == nil {
		return
	}
	sc.pending.Keep(r)
	r.Shown.Content = sc.content
	sc.nameIn(r)
}

// kept notes that the status last shown is recorded, and whether a view was published with it.
func (sc *screen) kept(before, after syncstate.Record) {
	sc.pending = nil
	was, is := before.Published, after.Published
	if is == nil || was != nil && was.At.Equal(is.At) {
		return
	}
	if sc.live, sc.began = true, (time.Time{}); before.Run != nil && !is.Found {
		sc.began = before.Run.Started
	}
}

// drop gives up recording the status last shown: the folder has no record any more.
func (sc *screen) drop() { sc.pending = nil }

// command is a command of spinsync for the folder.
func (sc *screen) command(verb string) string {
	return status.CommandFor(verb, sc.display.NameInShell(sc.key))
}

// The log has one line for each event: a folder went live, needs a person, or is gone. Progress and
// pauses show in the status alone.

// headline logs a folder's new state.
func (sc *screen) headline(shown status.ProductStatus) {
	about := []any{"folder", sc.key.Path, "root", sc.key.Root}
	if shown.Product != "" {
		about = append(about, "product", shown.Product)
	}
	switch shown.State {
	case status.Published:
		about = append(about, "frames", shown.Frames.Uploaded, "revision", shown.Revision)
		if !sc.began.IsZero() {
			about = append(about, "upload_to_live_seconds", math.Round(10*time.Since(sc.began).Seconds())/10)
		}
		if shown.Cause != nil {
			about = append(about, "reason", status.Sentence(shown.Cause, sc.command))
		}
		sc.log.Info("published", about...)
	case status.Attention:
		about = append(about, "reason", status.Sentence(shown.Cause, sc.command))
		if shown.Detail != "" {
			about = append(about, "detail", shown.Detail)
		}
		sc.log.Warn("needs attention", about...)
	case status.Missing:
		sc.log.Info("missing", append(about, "reason", status.Sentence(shown.Cause, sc.command))...)
	}
}

// show shows the step that begins for a folder, and logs what is news: a folder that is shot while
// it waits for a person waits for the same. The log leaves out a folder that goes without a
// product: it may be an old name only.
func (sc *screen) show(next plan.Step, s plan.Scene) {
	shown := sc.showUnlogged(next, s)
	switch {
	case shown.State == status.Published:
		if sc.logged = (syncstate.Shown{}); sc.live {
			sc.live = false
			sc.headline(shown)
		}
	case shown.State != status.Attention && shown.State != status.Missing || next.Action == plan.Forget:
	case shown.Cause.Same(sc.logged.Cause):
	case shown.State == status.State(s.Record.Shown.State) && shown.Cause.Same(s.Record.Shown.Cause): // as before a restart
	default:
		sc.logged = syncstate.Shown{Cause: shown.Cause, Detail: shown.Detail}
		sc.headline(shown)
	}
}

// hasLogged reports whether this is the request for whose failure the folder needs a person.
func (sc *screen) hasLogged(detail string) bool { return detail != "" && detail == sc.logged.Detail }

// showUnlogged is show without the log. A new state is recorded with the next update, so that
// commands without a daemon show it too, and so is the content about which a person is asked.
func (sc *screen) showUnlogged(next plan.Step, s plan.Scene) (shown status.ProductStatus) {
	sc.showFrames(s)
	was, known := sc.display.Last(sc.key)
	planned := s.Shown(next)
	shown = sc.statusOf(next, s, planned)
	shown.Since = sc.since(shown, was)
	if shown.State == was.State && next.State == status.Paused {
		shown.Cause, shown.Detail = was.Cause, was.Detail // which the record may not have
	}
	shown.Arrived, shown.Complete, shown.Corrupt = was.Arrived, was.Complete, was.Corrupt
	sc.display.Show(shown)
	unnamed := sc.nameIn(&s.Record)
	recorded := s.Record.Shown
	news := !recorded.Cause.Same(shown.Cause) || shown.State == status.Attention && recorded.Content != planned.Content
	if known && (unnamed || shown.State != was.State || next.Action == plan.Idle && news) {
		sc.pending, sc.content = &shown, planned.Content
	}
	return shown
}

// statusOf is the status of a folder whose state and reason are planned. It keeps the wanted
// product for nameIn.
func (sc *screen) statusOf(next plan.Step, s plan.Scene, planned syncstate.Shown) status.ProductStatus {
	shown := status.ProductOf(sc.key, s.Record)
	shown.State, shown.Cause, shown.Detail, shown.NextTry = status.State(planned.State), planned.Cause, planned.Detail, nil
	if shown.State == next.State {
		shown.NextTry, shown.QuietAt = nextTry(next), next.QuietAt
	}
	switch {
	case s.Facts.Snapshot.Present:
		shown.NotTaken, shown.Gone = s.Facts.Snapshot.NotTaken, false
	case s.Facts.Snapshot.Absent.Reads > 0: // else it was not looked for yet
		shown.Gone = true
	}
	if !s.Facts.Snapshot.Idle { // else the record has it all
		shown.Frames.Settled, shown.Frames.Expected = s.Resting(), s.Facts.Rules.FullTurn(s.Facts.Snapshot.Frames)
		shown.TotalBytes = s.Facts.TotalBytes()
		shown.Title, shown.SKU, shown.Project =
			s.Facts.Wanted.Title, s.Facts.Wanted.SKU, cmp.Or(s.Record.Project.Shown(), s.Facts.Wanted.Project)
		sc.product = s.Facts.Wanted
	}
	return shown
}

// nameIn gives a record without a product the wanted names, so that they can be shown before there
// is a product. It reports whether that changed it.
func (sc *screen) nameIn(r *syncstate.Record) bool {
	if r.Product.UUID != "" || sc.product == (plan.Product{}) || sc.product.SameFields(r.Product) {
		return false
	}
	r.Product = sc.product.WithUUID("")
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
func (sc *screen) showFrames(s plan.Scene) {
	if !s.Facts.Snapshot.Present || s.Facts.Snapshot.Err != nil {
		return
	}
	c := Condition{Arrived: s.Arrival(), Complete: s.IsWholeSet(), Settled: -1}
	if !c.Complete {
		c.Corrupt, c.Broken = s.Set.Corrupt, s.Set.BrokenFrames()
	}
	if !s.Facts.Snapshot.Idle {
		c.Settled = s.Resting()
	}
	sc.display.ShowFrames(sc.key, c)
}
