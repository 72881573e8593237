package daemon

import (
	"errors"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/publish"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A verb is a person's wish for one folder, or for all with the zero Folder. It changes records. A
// running daemon then looks at the folders again; without one, the next daemon does at its start.
type verb struct {
	key       syncstate.Folder
	allPaused *bool                        // pauses all, or ends that; nil: neither
	prepare   func(*syncstate.Store) error // what comes before the records; nil: nothing
	change    func(*syncstate.Record, prospect)
}

// A prospect is what awaits a folder whose record a verb changes.
type prospect struct {
	allPaused bool
	queued    status.Kind // the cause for a folder that waits for its turn
}

func (v verb) all() bool { return v.key == syncstate.Folder{} }

// A Word is what a person says along with a retry; empty for nothing.
type Word string

const (
	AsIs    Word = "as is"    // the frames that are there are the whole set
	NotMade Word = "not made" // a create without an answer made nothing
)

// retry has a folder act now; see Daemon.Retry.
func retry(key syncstate.Folder, word Word) verb {
	v := verb{key: key}
	v.prepare = func(store *syncstate.Store) error {
		if word == NotMade && key.Path == "" {
			return errors.New("name the folder whose product is not there")
		}
		return giveUpProject(store, key)
	}
	v.change = func(r *syncstate.Record, _ prospect) {
		r.NotMade = r.NotMade || word == NotMade && r.Product.UUID == ""
		retryRecord(r, word == AsIs, !v.all())
	}
	return v
}

func pause(key syncstate.Folder) verb {
	v := verb{key: key}
	if v.all() {
		v.allPaused = new(true)
	}
	v.change = func(r *syncstate.Record, _ prospect) { r.Paused = r.Paused || !v.all() }
	return v
}

func resume(key syncstate.Folder) verb {
	v := verb{key: key}
	if v.all() {
		v.allPaused = new(false)
	}
	v.change = func(r *syncstate.Record, next prospect) {
		r.Paused = false
		if !next.allPaused {
			status.ResumeRecord(r, next.queued)
		}
	}
	return v
}

// begin does what comes before the records.
func (v verb) begin(store *syncstate.Store) error {
	if v.allPaused != nil {
		return syncstate.AllPaused.Set(store, *v.allPaused)
	}
	if v.prepare != nil {
		return v.prepare(store)
	}
	return nil
}

// prioritize gives one folder priority, or takes it away. Among all folders none can go first.
func prioritize(key syncstate.Folder, first bool) verb {
	return verb{
		key: key,
		prepare: func(*syncstate.Store) error {
			if key.Path == "" {
				return errors.New("only a product folder can go first; name a folder")
			}
			return nil
		},
		change: func(r *syncstate.Record, _ prospect) { r.Priority = first },
	}
}

// giveUpProject forgets the project of a folder that a person names, if that is what the folder
// waits for.
func giveUpProject(store *syncstate.Store, key syncstate.Folder) error {
	head, err := store.Head(key)
	if err != nil || head.Trouble == nil || !head.Trouble.Cause.Is(status.ProjectGone) {
		return err
	}
	return store.UpdateProject(head.Project.Title, func(p *syncstate.ProjectRecord) error {
		if p.UUID == head.Project.UUID {
			*p = syncstate.ProjectRecord{Former: p.UUID}
		}
		return nil
	})
}

// retryRecord applies a retry to a record. It gives up an upload whose end failed, so that the
// folder is uploaded again. It has a product that is gone made anew, if the folder waits for that.
// As-is for all folders accepts those that wait for it, and no folder whose frames are arriving;
// as-is for a named one of these accepts the frames that there will be. The deletion of views is
// confirmed for each folder by its name.
func retryRecord(r *syncstate.Record, asIs, named bool) {
	switch state := status.State(r.State); {
	case asIs && named && (state == status.Collecting || state == status.Queued || state == status.Uploading):
		r.AsIs = syncstate.AsIsWhenQuiet
	case asIs && (named || state == status.Attention):
		r.AsIs = r.Settled
	}
	if before := r.Before; before != nil && isStopped(status.State(before.State)) {
		r.Before = nil // after the pause it is tried again
	}
	r.Panics = 0
	asked := r.Removal == syncstate.RemovalAsked
	r.Verify = r.Verify || (named || asked) && r.Product.UUID != ""
	if named && asked {
		r.Removal, r.Unreconciled = syncstate.RemovalConfirmed, false
	}
	if r.Run != nil {
		r.Run.Polls.Next, r.Run.Setbacks = time.Time{}, syncstate.Setbacks{}
	}
	if r.Trouble == nil {
		return
	}
	if finishFailed(r) {
		r.Run = publish.OwedRun(r.Run)
	}
	if r.Run != nil && !r.Run.IsBound() && r.Trouble.Kind == syncstate.NeedsPerson {
		r.Run = withoutForm(r.Run)
	}
	if r.Trouble.Cause.Is(status.ProductGone) {
		plan.ClearProduct(r)
		r.Unreconciled = false
	}
	if named && r.Trouble.Cause.Is(status.PreviousView) {
		r.Unreconciled = false
	}
	r.NoTwin = r.NoTwin || named && r.Trouble.Cause.Is(status.Twins)
	if named && r.Trouble.Cause.Is(status.ProjectGone) {
		r.Project, r.Intent = syncstate.Project{}, nil
	}
	if r.Trouble.Cause.Is(status.ViewReplaced) {
		r.Run = publish.OwedRun(r.Run)
	}
	r.Trouble = nil
}

// finishFailed reports whether a run waits for a person because the service does not take the
// upload as complete, or took it and does not get it processed.
func finishFailed(r *syncstate.Record) bool {
	refused := r.Trouble.Cause.Is(status.Refused) || r.Trouble.Cause.Is(status.FailedForGood)
	return r.Run.IsBound() &&
		(r.Trouble.Kind == syncstate.RetriedAndTold || refused && r.Run.Phase == syncstate.Finishing)
}

func isStopped(state status.State) bool {
	return state == status.Attention || state == status.Retrying
}

// withoutForm is a run that asks for a new upload form: the old one may be what a person was called
// for.
func withoutForm(run *syncstate.Run) *syncstate.Run {
	formless := *run
	formless.DropForm()
	return &formless
}
