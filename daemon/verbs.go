package daemon

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/publish"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A Verb is what a person can ask for one folder, or for all with the zero Folder. It changes
// records. A running daemon then checks the folders again; without one, the next daemon does at its
// start.
type Verb string

const (
	// Retry makes a folder act now: it ends waits and what held the folder for a person. With a
	// root alone it accepts the root as it is now. That root is offline as another volume than
	// before or as emptied, or a drive below it is away. Nothing else accepts a root.
	Retry Verb = "retry"
	// RetryAsIs is a Retry that takes the frames that are there for the whole set, and answers no
	// question about a project or a view.
	RetryAsIs Verb = "retry as is"
	// RetryNotMade is a Retry of one folder whose create without an answer made nothing.
	RetryNotMade Verb = "retry not made"
	// Forget drops the record of a folder that is gone, and leaves its view to others.
	Forget Verb = "forget"
	// DeleteView deletes the view of a folder that is gone.
	DeleteView Verb = "delete view"
	// Pause keeps a folder from being worked on until Resume.
	Pause Verb = "pause"
	// Resume ends a pause. Resuming all ends the pauses of single folders too.
	Resume Verb = "resume"
	// Prioritize has one folder go before all others until it is published as it is.
	Prioritize Verb = "prioritize"
	// EndPriority has the folder take its turn with the others.
	EndPriority Verb = "end priority"
)

func (v Verb) isRetry() bool { return v == Retry || v == RetryAsIs || v == RetryNotMade }

// acceptsRoot reports whether the verb accepts a root as it is now, and is about no folder.
func (v Verb) acceptsRoot(key syncstate.Folder) bool {
	return (v == Retry || v == RetryAsIs) && key.Root != "" && key.Path == ""
}

// begin does what comes before the records. Among all folders none can go first.
func (v Verb) begin(store *syncstate.Store, key syncstate.Folder) error {
	switch v {
	case RetryAsIs:
		return nil
	case Retry, RetryNotMade:
		if v == RetryNotMade && key.Path == "" {
			return errors.New("name the folder whose product is not there")
		}
		return giveUpProject(store, key)
	case Forget, DeleteView:
		if key.Path == "" {
			return errors.New("name the folder that is gone")
		}
		return nil
	case Pause, Resume:
		if key == (syncstate.Folder{}) {
			return pauseAll(store, v == Pause)
		}
		return nil
	case Prioritize, EndPriority:
		if key.Path == "" {
			return errors.New("only a product folder can go first; name a folder")
		}
		return nil
	}
	return fmt.Errorf("there is no verb %q", v)
}

// pauseAll begins or ends the pause of all folders. A pause that holds goes on.
func pauseAll(store *syncstate.Store, pause bool) error {
	since, err := syncstate.AllPaused.Read(store)
	switch {
	case err != nil:
		return err
	case !pause:
		since = time.Time{}
	case since.IsZero():
		since = status.WholeSecond(time.Now())
	}
	return syncstate.AllPaused.Set(store, since)
}

// change is what the verb does to the record of a folder that is named, or that is one of all.
func (v Verb) change(r *syncstate.Record, named bool) {
	switch v {
	case Retry, RetryAsIs, RetryNotMade:
		r.Wishes.NotMade = r.Wishes.NotMade || v == RetryNotMade && r.Product.UUID == ""
		retryRecord(r, v == RetryAsIs, named)
	case Forget:
		r.Absence.Removal, r.Trouble = syncstate.RemovalForget, nil
	case DeleteView:
		r.Trouble = nil
		allowDeletion(r)
	case Pause:
		if named && r.Wishes.Paused.IsZero() {
			r.Wishes.Paused = status.WholeSecond(time.Now())
		}
	case Resume:
		r.Wishes.Paused = time.Time{}
	case Prioritize, EndPriority:
		r.Wishes.Priority = v == Prioritize
	}
}

// allowDeletion has the view of a folder that is gone deleted. The view is compared with the record
// before, unless a person was asked just about a view that differs.
func allowDeletion(r *syncstate.Record) {
	if r.AsksToDelete() && r.Shown.Cause.Is(status.MayDeleteOther) {
		r.Absence.Removal, r.Doubted = syncstate.RemovalConfirmed, false
		return
	}
	r.Absence.Removal = syncstate.RemovalWished
}

// giveUpProject forgets the project of a folder that a person names, if that is what the folder
// waits for. A folder that is still to be compared has none recorded.
func giveUpProject(store *syncstate.Store, key syncstate.Folder) error {
	head, err := store.Head(key)
	if err != nil || head.Project.Title == "" || head.Trouble == nil || !head.Trouble.Cause.Is(status.ProjectRefused) {
		return err
	}
	return store.UpdateProject(head.Project.Title, func(p *syncstate.ProjectRecord) error {
		if p.UUID == head.Project.UUID {
			*p = syncstate.ProjectRecord{}
		}
		return nil
	})
}

// retryRecord applies a retry to a record. It gives up an upload whose end failed, so that the
// folder is uploaded again. It has a product that is gone made again, if the folder waits for that.
// As-is accepts the frames of a folder whose count a person is asked about. For a named folder
// whose frames are arriving it accepts those that there will be. In every other state it is a plain
// retry: what it accepted would be a set of later. Questions about a view or a project are answered by
// the name of the folder, and by no word about its frames.
func retryRecord(r *syncstate.Record, asIs, named bool) {
	if r.Unread != nil && named { // it is lost, and the folder as one of which the state file was lost
		*r = syncstate.Record{Wishes: r.Wishes, Doubted: true}
		return
	}
	switch state, cause := status.State(r.Shown.State), r.Shown.Cause; {
	case !asIs:
	case state == status.Attention && (cause.Is(status.TooFew) || cause.Is(status.TooMany)):
		r.Wishes.AsIs = cmp.Or(r.Shown.Content, r.Wishes.AsIs, syncstate.AsIsWhenQuiet) // Content is empty after a retry
	case named && (state == status.Collecting || state == status.Queued || state == status.Uploading):
		r.Wishes.AsIs = syncstate.AsIsWhenQuiet
	}
	r.Panics, r.Shown.Content = 0, ""
	asked := r.AsksToDelete() && status.AsksToDelete(r.Shown.Cause)
	r.Wishes.Verify = r.Wishes.Verify || (named || asked) && r.Product.UUID != ""
	named = named && !asIs
	if named && asked {
		allowDeletion(r)
	}
	if r.Run != nil {
		// A finish without an answer may still arrive: it is looked for as often as before the retry.
		r.Run.Looks, r.Run.Setbacks = syncstate.Tries{}, syncstate.Setbacks{}
	}
	if r.Trouble == nil {
		return
	}
	if finishFailed(r) {
		r.Run = publish.OwedRun(r.Run)
	}
	if r.Run != nil && !r.Run.IsBound() && (r.Trouble.Kind == syncstate.NeedsPerson || wasRefused(r.Trouble)) {
		r.Run = withoutForm(r.Run)
	}
	if r.Trouble.Cause.Is(status.ProductGone) {
		plan.ClearProduct(r)
		r.Doubted = false
	}
	if named && r.Trouble.Cause.Is(status.PreviousView) {
		r.Doubted = false
	}
	if named && r.Trouble.Cause.Is(status.OthersView) {
		r.Run, r.Doubted = publish.OwedRun(r.Run), false
	}
	r.Wishes.NoTwin = r.Wishes.NoTwin || named && (r.Trouble.Cause.Is(status.Twins) || r.Trouble.Cause.Is(status.FromEmptied))
	if named && r.Trouble.Cause.Is(status.ProjectRefused) {
		if r.Project = (syncstate.Project{}); r.Run.In(syncstate.Making) {
			r.Run = nil
		}
	}
	if r.Trouble.Cause.Is(status.ViewReplaced) {
		r.Run = publish.OwedRun(r.Run)
	}
	r.Trouble = nil
}

// finishFailed reports whether a run waits for a person because the service does not take the
// upload as complete, or took it and does not get it processed. Where something else answers in the
// service's place, the run goes on.
func finishFailed(r *syncstate.Record) bool {
	switch {
	case !r.Run.IsBound(), r.Trouble.Cause.Is(status.ListRefused), r.Trouble.Cause.Is(status.Failed):
		return false
	case wasRefused(r.Trouble):
		return r.Run.Phase == syncstate.Finishing
	}
	return r.Trouble.Kind == syncstate.RetriedAndShown
}

// wasRefused reports whether a request was refused for so long that a person is called.
func wasRefused(t *syncstate.Trouble) bool {
	return t.Cause.Is(status.Refused) || t.Cause.Is(status.FailedForGood)
}

func isStopped(state status.State) bool {
	return state == status.Attention || state == status.Retrying
}

// withoutForm is a run that asks for a new upload form: the old one may be what a person was called
// for. The new one waits for nothing.
func withoutForm(run *syncstate.Run) *syncstate.Run {
	formless := *run
	formless.DropForm()
	formless.GivenUp = false
	return &formless
}
