package daemon

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// Status tells how everything stands.
func (d *Daemon) Status() status.Status {
	status, _ := d.StatusSince(status.Status{})
	return status
}

// StatusSince is the status, and whether it is the same as an earlier one. When no folder changed
// since then and no worker had one, it takes the products from the earlier status: at rest it takes
// no time, however many folders there are.
func (d *Daemon) StatusSince(before status.Status) (current status.Status, same bool) {
	current = status.Status{
		Started: d.Started, Paused: d.board.paused.Load(),
		Service: d.Service.Breakers.Status(d.config.Service.BaseURL), Roots: d.Files.RootStatus(),
		UploadLimit: d.Throttle.Held(time.Now()), AccessKeyFields: d.Service.AccessKeys.Found(),
	}
	current.StateFile, _ = d.Records.Trouble.Load().(string)
	current.Settings, _ = d.settings.Load().(string)
	if d.board.resting(before) {
		current.Products, current.Generation = before.Products, before.Generation
		current.Recovery = before.Recovery
		return current, sameBesideProducts(before, current)
	}
	d.board.list(&current)
	current.Recovery = recoveryTold(current.Products, d.unopened)
	return current, false
}

// resting reports whether the products are as they were in an earlier status.
func (b *board) resting(before status.Status) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	entered, _ := b.queue.Entered()
	return before.Generation == status.Generation{Whole: true, Stirs: b.stirs, Entered: entered}
}

func sameBesideProducts(a, b status.Status) bool {
	a.Products, b.Products = nil, nil
	return reflect.DeepEqual(a, b)
}

// list gives a status its products.
func (b *board) list(current *status.Status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	entered, standing := b.queue.Entered()
	current.Generation = status.Generation{Whole: !standing, Stirs: b.stirs, Entered: entered}
	current.Products = make([]status.ProductStatus, 0, len(b.folders))
	for _, f := range b.inOrder() {
		current.Products = append(current.Products, b.shown(f))
		current.Generation.Whole = current.Generation.Whole && !f.busy
	}
}

// TellSettings shows in the status which settings of sync.toml are not in force; empty when all
// are.
func (d *Daemon) TellSettings(told string) {
	d.settings.Store(status.OneLine(told))
	d.board.mu.Lock()
	defer d.board.mu.Unlock()
	d.board.announce()
}

// inOrder are all folders by root, then path. The mutex is held.
func (b *board) inOrder() []*folder {
	if b.ordered == nil {
		b.ordered = slices.SortedFunc(maps.Values(b.folders), func(a, b *folder) int { return byPlace(a.key, b.key) })
	}
	return b.ordered
}

// shown is a folder's status as people see it. The mutex is held.
func (b *board) shown(f *folder) status.ProductStatus {
	p := f.status
	if p.State == "" {
		p.State, p.Cause = status.Collecting, status.Because(status.NotSeen)
	}
	p.SentBytes, p.Rush = f.sent.Load(), b.priorities.Has(f.key)
	if f.busy {
		p.Sending = b.Slots.Held(f.key)
	}
	switch {
	case f.awaitsPause():
		p.State, p.Cause, p.Detail, p.Since, p.NextTry = status.Paused, b.pauseUnderWay(p), "", f.paused, nil
	case b.awaitsTurn(f):
		p.State, p.Cause = status.Queued, status.Because(status.AwaitsTurn)
	}
	p.Reason = status.Sentence(p.Cause, func(verb string) string { return status.CommandFor(verb, b.shellName(f.key)) })
	return p
}

// awaitsPause reports whether a person paused the folder a moment ago and it is not planned anew
// yet. The mutex is held.
func (f *folder) awaitsPause() bool {
	return !f.paused.IsZero() && f.status.State != status.Paused && !f.status.State.OutlastsPause() &&
		(f.busy || f.last.Action != plan.Rest)
}

// pauseUnderWay is the cause of a folder that a person paused a moment ago: frames on their way
// still go through. The mutex is held.
func (b *board) pauseUnderWay(p status.ProductStatus) *status.Cause {
	c := status.Because(status.FolderPaused)
	if b.paused.Load() {
		c.Kind = status.AllPaused
	}
	if p.Sending > 0 {
		c.Parts = []status.Cause{*status.About(status.OnTheWay, p.Sending)}
	}
	return c
}

// awaitsTurn reports whether a folder has become complete by being quiet and no worker is free for
// it yet. The mutex is held.
func (b *board) awaitsTurn(f *folder) bool {
	return f.status.State == status.Collecting && f.last.Action == plan.Wait && !f.last.Until.IsZero() && b.queue.Standing(f.key)
}

// sortProducts sorts by root, then folder.
func sortProducts(products []status.ProductStatus) {
	slices.SortFunc(products, func(a, b status.ProductStatus) int { return byPlace(a.Key(), b.Key()) })
}

func byPlace(a, b syncstate.Folder) int {
	return cmp.Or(strings.Compare(a.Root, b.Root), strings.Compare(a.Path, b.Path))
}

// Changed returns a channel that is closed at the next change of the status.
func (d *Daemon) Changed() <-chan struct{} { return d.board.changed() }

func (b *board) changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.news
}

// announce wakes all callers that wait for a change. The mutex is held.
func (b *board) announce() {
	b.stirs++
	close(b.news)
	b.news = make(chan struct{})
}

// A stand is a state and since when it is the folder's.
type stand struct {
	state status.State
	since time.Time
}

// standBefore is how a folder stood before it was paused, as far as its record tells.
func standBefore(r syncstate.Record) stand {
	if before := status.BeforePause(&r, status.Resumed); status.State(r.State) == status.Paused && !before.Since.IsZero() {
		return stand{status.State(before.State), before.Since}
	}
	return stand{}
}

// since is when a folder came into its present state. A folder that was only looked at or paused,
// and is found as before, never left its state. The daemon's mutex is held.
func (f *folder) since(state status.State) time.Time {
	switch {
	case state == f.status.State:
		return f.status.Since
	case state == status.Paused && !f.paused.IsZero():
		return f.paused
	case state == f.before.state:
		return f.before.since
	}
	return status.WholeSecond(time.Now())
}

// Show puts a known folder's status on display, with the time since when it is in that state. It
// reports whether the state is another one. looks says that the folder is only looked at for the
// time being.
func (b *board) Show(told *status.ProductStatus, looks bool) (known, news bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.folders[told.Key()]
	if !ok {
		return false, false
	}
	news = f.status.State != told.State
	told.Since, told.Arrived = f.since(told.State), f.status.Arrived
	told.Complete, told.Torn = f.status.Complete, f.status.Torn
	switch {
	case !looks && told.State != status.Paused,
		f.status.State == status.Uploading && told.State == status.Paused: // a pause ends an upload
		f.before = stand{}
	case f.before == stand{}:
		f.before = stand{f.status.State, f.status.Since}
	}
	f.status = *told
	b.announce()
	return true, news
}

func (d *Daemon) keepStatus(told status.ProductStatus) {
	err := d.Records.Update(told.Key(), func(r *syncstate.Record) error { told.Keep(r); return nil })
	if err != nil {
		d.Records.Failed(err)
	}
}

// keepReasons records the reasons that people were told last. While the daemon runs only changes of
// the state are recorded, because a reason changes with each frame.
func (d *Daemon) keepReasons() {
	for _, told := range d.board.unrecorded() {
		record, err := d.Records.Head(told.Key())
		if err != nil {
			d.Records.Failed(err)
			return
		}
		if record.State != "" && !record.Cause.Same(told.Cause) {
			d.keepStatus(told)
		}
	}
}

// unrecorded lists the statuses whose reason the state file may not have.
func (b *board) unrecorded() []status.ProductStatus {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []status.ProductStatus
	for _, f := range b.folders {
		if p := b.shown(f); !p.Cause.Same(f.recorded) {
			all = append(all, p)
		}
	}
	sortProducts(all)
	return all
}

// IsRecorded notes the reason that the state file gives for a folder's state.
func (b *board) IsRecorded(told *status.ProductStatus) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f, ok := b.folders[told.Key()]; ok {
		f.recorded = told.Cause
	}
}

// RecordedStatus is the status as far as the configuration and a state file tell it, without a
// daemon. Started is zero. No root is online; each shows the volume on which it stood before.
// Without a state file store is nil.
func RecordedStatus(c *config.Config, store *syncstate.Store) (s status.Status, err error) {
	s.Service.URL = c.Service.BaseURL
	watched := map[string]bool{}
	for _, w := range c.Watch {
		watched[w.Path] = true
		s.Roots = append(s.Roots, watcher.RootStatus{Path: w.Path, Unread: true, Reason: "no daemon is running"})
	}
	if store == nil {
		s.Recovery = LostStateFile(c.State.Path)
		return s, nil
	}
	for i, r := range s.Roots {
		record, err := store.Root(r.Path)
		if err != nil {
			return s, err
		}
		s.Roots[i].Volume = volumeOf(record.Volume)
	}
	for key, record := range store.Heads() {
		if watched[key.Root] {
			p := status.ProductOf(key, record)
			p.Reason = status.Sentence(p.Cause, recordedCommands(c, store, key))
			s.Products = append(s.Products, p)
		}
	}
	sortProducts(s.Products)
	if err := store.Err(); err != nil {
		return s, err
	}
	if s.Paused, err = store.Paused(); err != nil {
		return s, err
	}
	if s.AccessKeyFields, err = store.AccessKeyFields(); err != nil {
		return s, err
	}
	older, err := store.FromBackup()
	s.Recovery = recoveryTold(s.Products, older)
	return s, err
}

// FrameSent counts one more uploaded frame for those who watch.
func (b *board) FrameSent(key syncstate.Folder) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f, ok := b.folders[key]; ok {
		f.status.Frames.Uploaded++
		f.status.Cause = &status.Cause{
			Kind: status.Sending, Count: f.status.Frames.Uploaded,
			Of: max(f.status.Frames.Expected, f.status.Frames.Settled),
		}
		b.announce()
	}
}

// NewRun starts counting sent bytes anew.
func (b *board) NewRun(key syncstate.Folder) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f, ok := b.folders[key]; ok {
		f.sent.Store(0)
	}
}
