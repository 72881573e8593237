package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/plan"
	"spinsync/daemon/publish"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// Retry makes a folder act now: it ends waits and what held it for a person. With asIs the frames
// that are there count as the whole set. The zero Folder means all. A root alone means that it is
// right as it stands at this time, although it is offline as another volume than before or as
// emptied, or a drive below it is away; nothing else accepts a root.
func (d *Daemon) Retry(key syncstate.Folder, asIs bool) error {
	if isRoot(key) {
		return d.acceptRoot(key.Root)
	}
	return d.tryAgain(key, asIs)
}

func isRoot(key syncstate.Folder) bool { return key.Root != "" && key.Path == "" }

func (d *Daemon) acceptRoot(path string) error {
	for _, r := range d.Files.Roots() {
		if r.Path == path && r.Untrusted {
			d.Files.Accept(path)
			return nil
		}
	}
	return errNotDoubted
}

var errNotDoubted = errors.New("the root is neither offline as another volume than before nor as emptied, and no drive below it is away; there is nothing to accept")

func (d *Daemon) tryAgain(key syncstate.Folder, asIs bool) error {
	d.Service.Breakers.Open()
	d.Service.Permissions.Forget()
	if err := giveUpProject(d.Records.Store, key); err != nil {
		return err
	}
	return d.amend(key, func(r *syncstate.Record) error { return retryRecord(r, asIs, key != syncstate.Folder{}) })
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
			*p = syncstate.ProjectRecord{}
		}
		return nil
	})
}

// retryRecord applies a retry to a record. It gives up a finished upload that the service does not
// get through, so that the folder is uploaded again. It has a product that is gone made anew, if
// the folder waits for that. As-is for all folders accepts those that wait for it, and no folder
// whose frames are arriving; as-is for a named one of these accepts the frames that there will be.
// The deletion of views is confirmed for each folder by its name.
func retryRecord(r *syncstate.Record, asIs, named bool) error {
	switch state := status.State(r.State); {
	case asIs && named && (state == status.Collecting || state == status.Queued || state == status.Uploading):
		r.AsIs = syncstate.AsIsWhenQuiet
	case asIs && (named || state == status.Attention):
		r.AsIs = r.Settled
	}
	if before := r.Before; before != nil && (status.State(before.State) == status.Attention || status.State(before.State) == status.Retrying) {
		r.Before = nil // after the pause it is tried again
	}
	r.Panics = 0
	asked := r.Removal == syncstate.RemovalAsked
	r.Verify = r.Verify || (named || asked) && r.Product.UUID != ""
	if named && asked {
		r.Removal, r.Unreconciled = syncstate.RemovalConfirmed, false
	}
	if r.Run != nil {
		r.Run.NextPoll, r.Run.ShortForms, r.Run.Refused = time.Time{}, 0, 0
	}
	if r.Trouble == nil {
		return nil
	}
	if r.Run != nil && !r.Run.FinishSent.IsZero() && r.Trouble.Person {
		r.Run = publish.Afresh(r.Run)
	}
	if r.Run != nil && r.Run.FinishSent.IsZero() && r.Trouble.NextTry.IsZero() {
		r.Run = withoutForm(r.Run)
	}
	if r.Trouble.Cause.Is(status.ProductGone) {
		plan.ClearProduct(r)
		r.Unreconciled = false
	}
	if named && r.Trouble.Cause.Is(status.FormerView) {
		r.Unreconciled = false
	}
	r.NoTwin = r.NoTwin || named && r.Trouble.Cause.Is(status.Twins)
	if named && r.Trouble.Cause.Is(status.ProjectGone) {
		r.Project, r.Intent = syncstate.Project{}, nil
	}
	if r.Trouble.Cause.Is(status.ViewReplaced) {
		r.Run = publish.Afresh(r.Run)
	}
	r.Trouble = nil
	return nil
}

// withoutForm is a run that asks for a new upload form: the old one may be what a person was called
// for.
func withoutForm(run *syncstate.Run) *syncstate.Run {
	formless := *run
	formless.Form = nil
	return &formless
}

// Pause keeps a folder, or all with the zero Folder, from being worked on until Resume.
func (d *Daemon) Pause(key syncstate.Folder) error { return d.setPaused(key, true) }

// Resume ends a pause. Resuming all ends the pauses of single folders too.
func (d *Daemon) Resume(key syncstate.Folder) error { return d.setPaused(key, false) }

func (d *Daemon) setPaused(key syncstate.Folder, paused bool) error {
	if key == (syncstate.Folder{}) {
		if err := d.Records.SetPaused(paused); err != nil {
			return d.notSaved(err)
		}
		d.board.paused.Store(paused)
		d.logPause(key, paused)
	}
	err := d.change(key, func(r *syncstate.Record) error {
		r.Paused = paused && (r.Paused || key != syncstate.Folder{})
		if !paused && !d.board.paused.Load() {
			status.ResumeRecord(r, status.Resumed)
		}
		return nil
	}, d.board.revisit)
	if err == nil && key != (syncstate.Folder{}) {
		d.logPause(key, paused)
	}
	return err
}

// amend changes the records a person named and has their folders looked at anew.
func (d *Daemon) amend(key syncstate.Folder, change func(*syncstate.Record) error) error {
	return d.change(key, change, func(k syncstate.Folder, r syncstate.Record) {
		d.Files.Refresh(k.Root, k.Path)
		d.board.revisit(k, r)
	})
}

// change changes the records a person named, and calls then for each. Of all records those that are
// damaged are left out.
func (d *Daemon) change(
	key syncstate.Folder, change func(*syncstate.Record) error, then func(syncstate.Folder, syncstate.Record),
) error {
	keys, err := d.board.named(key)
	if err != nil {
		return err
	}
	for _, k := range keys {
		var changed syncstate.Record
		noted := d.board.noting(k, change)
		err := d.Records.Update(k, func(r *syncstate.Record) error {
			err := noted(r)
			changed = *r
			return err
		})
		if err != nil && !(key == (syncstate.Folder{}) && errors.Is(err, syncstate.ErrDamaged)) {
			return d.notSaved(err)
		}
		then(k, changed)
	}
	d.board.poke()
	return nil
}

// noting wraps a change: it first brings the recorded reason up to date, which a pause keeps. If
// the change is about the run or the product, a step under way for the folder does not record its
// outcome.
func (b *board) noting(key syncstate.Folder, change func(*syncstate.Record) error) func(*syncstate.Record) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var now status.ProductStatus
	f, known := b.folders[key]
	if known {
		now = f.status
	}
	return func(r *syncstate.Record) error {
		if status.State(r.State) == now.State {
			r.Cause = now.Cause
		}
		run, product := r.Run, r.Product.UUID
		err := change(r)
		if known && (r.Run != run || r.Product.UUID != product) {
			f.amended.Add(1)
		}
		return err
	}
}

// notSaved has a state file that failed under a verb opened again: no folder may have anything to
// record soon that would meet with it.
func (d *Daemon) notSaved(err error) error {
	if d.Records.Err() != nil {
		d.Records.Failed(err)
	}
	return err
}

// revisit plans a folder again although nothing on the disk changed. An upload under way hears at
// once that it is paused, and so do those who watch. The end of a pause is told at once too.
func (b *board) revisit(key syncstate.Folder, r syncstate.Record) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[key]
	if !ok {
		return
	}
	f.status.Paused = r.Paused
	switch paused := r.Paused || b.paused.Load(); {
	case !paused && f.status.State == status.Paused && r.State != "":
		f.status.State, f.status.Cause, f.status.Detail, f.status.Since = status.State(r.State), r.Cause, r.Detail, r.Since
		fallthrough
	case !paused:
		f.paused = time.Time{}
	case f.paused.IsZero():
		f.paused = status.WholeSecond(time.Now())
	}
	b.announce()
	b.requeue(f)
}

func (b *board) IsPaused(key syncstate.Folder) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[key]
	return ok && !f.paused.IsZero()
}

// revisitAll plans every folder again.
func (b *board) revisitAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.folders {
		b.requeue(f)
	}
}

func (b *board) named(key syncstate.Folder) ([]syncstate.Folder, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if key != (syncstate.Folder{}) {
		if _, ok := b.folders[key]; !ok {
			return nil, errUnknownFolder
		}
		return []syncstate.Folder{key}, nil
	}
	keys := make([]syncstate.Folder, 0, len(b.folders))
	for k := range b.folders {
		keys = append(keys, k)
	}
	return keys, nil
}

// Export lists every known product folder with its published images, one call of yield for each, by
// root and folder.
func (d *Daemon) Export(yield func(status.ExportedProduct) error) error {
	return exportStore(d.config, d.Records.Store, d.newestReason, yield)
}

// newestReason is why a folder is in its recorded state. The state file has the cause with which
// the state began.
func (d *Daemon) newestReason(key syncstate.Folder, r syncstate.Record) string {
	d.board.mu.Lock()
	defer d.board.mu.Unlock()
	cause := r.Cause
	if f, ok := d.board.folders[key]; ok && f.status.State == status.State(r.State) {
		cause = f.status.Cause
	}
	return status.Sentence(cause, func(verb string) string { return status.CommandFor(verb, d.board.shellName(key)) })
}

// History is what pages remembered of the past with Remember.
func (d *Daemon) History() (syncstate.History, error) { return d.Records.History() }

// Remember keeps events of the past, so that pages show them after a restart too.
func (d *Daemon) Remember(h syncstate.History) error { return d.Records.AddHistory(h) }

// Told returns for each receiver of news the time up to which it has heard of everything.
func (d *Daemon) Told() (map[string]time.Time, error) { return d.Records.Told() }

// SetTold records it.
func (d *Daemon) SetTold(name string, until time.Time) error { return d.Records.SetTold(name, until) }

// OpenFrame opens a frame of a product folder for showing it, but none below a root that does not
// answer.
func (d *Daemon) OpenFrame(key syncstate.Folder, name string) (*watcher.OpenFile, error) {
	if d.Files.HungRoots()[key.Root] {
		return nil, fmt.Errorf("the root %s does not answer", key.Root)
	}
	return d.Files.Open(key.Root, key.Path, name)
}

// SetUpload replaces the [upload] settings of the configuration. Uploads under way go on at the new
// rate within seconds.
func (d *Daemon) SetUpload(u config.Upload) {
	d.Throttle.Configure(u)
	d.Slots.Configure(u)
}

// Rescan reads all roots now, for instance after the machine woke up.
func (d *Daemon) Rescan(context.Context) {
	d.Service.Breakers.Reach()
	d.Files.Rescan()
}

// PasswordChanged ends all waits for the service at once: its client has another password now.
func (d *Daemon) PasswordChanged() {
	d.Service.Breakers.Open()
	d.board.mu.Lock()
	for _, f := range d.board.folders {
		f.dirty = f.dirty || f.busy // its worker may have met with the old password
	}
	d.board.mu.Unlock()
	d.board.queue.Hurry()
	d.board.poke()
}
