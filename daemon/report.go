package daemon

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// Status tells how everything stands.
func (d *Daemon) Status() Status {
	status, _ := d.StatusSince(Status{})
	return status
}

// StatusSince is the status, and whether it is the same as an earlier one. When no folder changed
// since then and no worker had one, it takes the products from the earlier status: at rest it takes
// no time, however many folders there are.
func (d *Daemon) StatusSince(before Status) (status Status, same bool) {
	status = Status{
		Started: d.started, Paused: d.board.paused.Load(),
		Service: d.service.breakers.status(d.config.Service.BaseURL), Roots: d.files.rootStatus(),
		UploadLimit: d.throttle.Held(time.Now()), AccessKeyFields: d.service.accessKeys.found(),
	}
	status.StateFile, _ = d.records.trouble.Load().(string)
	status.Settings, _ = d.settings.Load().(string)
	if d.board.resting(before) {
		status.Products, status.lull = before.Products, before.lull
		status.Recovery = before.Recovery
		return status, sameBesideProducts(before, status)
	}
	d.board.list(&status)
	status.Recovery = recoveryTold(status.Products, d.unopened)
	return status, false
}

// resting reports whether the products are as they were in an earlier status.
func (b *board) resting(before Status) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	entered, _ := b.queue.Entered()
	return before.lull == lull{whole: true, stirs: b.stirs, entered: entered}
}

func sameBesideProducts(a, b Status) bool {
	a.Products, b.Products = nil, nil
	return reflect.DeepEqual(a, b)
}

// list gives a status its products.
func (b *board) list(status *Status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	entered, standing := b.queue.Entered()
	status.lull = lull{whole: !standing, stirs: b.stirs, entered: entered}
	status.Products = make([]ProductStatus, 0, len(b.folders))
	for _, f := range b.inOrder() {
		status.Products = append(status.Products, b.shown(f))
		status.lull.whole = status.lull.whole && !f.busy
	}
}

// TellSettings shows in the status which settings of sync.toml are not in force; empty when all
// are.
func (d *Daemon) TellSettings(told string) {
	d.settings.Store(oneLine(told))
	d.board.mu.Lock()
	defer d.board.mu.Unlock()
	d.board.announce()
}

// oneLine joins a text that has a line for each mistake: a reason is one line.
func oneLine(text string) string { return strings.ReplaceAll(text, "\n  ", "; ") }

// inOrder are all folders by root, then path. The mutex is held.
func (b *board) inOrder() []*folder {
	if b.ordered == nil {
		b.ordered = slices.SortedFunc(maps.Values(b.folders), func(a, b *folder) int { return byPlace(a.key, b.key) })
	}
	return b.ordered
}

// shown is a folder's status as people see it. The mutex is held.
func (b *board) shown(f *folder) ProductStatus {
	p := f.status
	if p.State == "" {
		p.State, p.Cause = Collecting, because(status.NotSeen)
	}
	p.SentBytes, p.Rush = f.sent.Load(), b.priorities.Has(f.key)
	if f.busy {
		p.Sending = b.slots.Held(f.key)
	}
	switch {
	case f.awaitsPause():
		p.State, p.Cause, p.Detail, p.Since, p.NextTry = Paused, b.pauseUnderWay(p), "", f.paused, nil
	case b.awaitsTurn(f):
		p.State, p.Cause = Queued, because(status.AwaitsTurn)
	}
	p.Reason = status.Sentence(p.Cause, func(verb string) string { return status.CommandFor(verb, b.shellName(f.key)) })
	return p
}

// awaitsPause reports whether a person paused the folder a moment ago and it is not planned anew
// yet. The mutex is held.
func (f *folder) awaitsPause() bool {
	return !f.paused.IsZero() && f.status.State != Paused && !f.status.State.outlastsPause() &&
		(f.busy || f.last.action != rest)
}

// pauseUnderWay is the cause of a folder that a person paused a moment ago: frames on their way
// still go through. The mutex is held.
func (b *board) pauseUnderWay(p ProductStatus) *status.Cause {
	c := because(status.FolderPaused)
	if b.paused.Load() {
		c.Kind = status.AllPaused
	}
	if p.Sending > 0 {
		c.Parts = []status.Cause{*about(status.OnTheWay, p.Sending)}
	}
	return c
}

// awaitsTurn reports whether a folder has become complete by being quiet and no worker is free for
// it yet. The mutex is held.
func (b *board) awaitsTurn(f *folder) bool {
	return f.status.State == Collecting && f.last.action == wait && !f.last.until.IsZero() && b.queue.Standing(f.key)
}

// sortProducts sorts by root, then folder.
func sortProducts(products []ProductStatus) {
	slices.SortFunc(products, func(a, b ProductStatus) int { return byPlace(a.Key(), b.Key()) })
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

// tell shows people the step that begins for a folder. A new state is recorded with the next
// update, so that commands without a daemon tell it too.
func (j *job) tell(next step, s scene) {
	j.notice(s)
	told := statusOf(j.key, s.record)
	told.State, told.Cause, told.Detail, told.NextTry, told.QuietAt =
		next.state, next.cause, next.detail, nextTry(next), next.quiet
	if s.snapshot.Present {
		told.NotTaken = s.snapshot.NotTaken
	}
	if !s.snapshot.Idle { // else the record says it all
		told.Frames.Settled, told.Frames.Expected = s.settled(), s.announced(s.snapshot.Frames)
		told.TotalBytes = s.totalBytes()
		told.Title, told.SKU, told.Project =
			s.wanted.title, s.wanted.sku, first(s.record.Project.Shown(), s.wanted.project)
		j.product = s.wanted
	}

	known, news := j.board.show(&told, next.looks())
	// The log leaves out a folder that goes without a product: it may be an old name only.
	if !next.host && next.action != forget {
		j.headline(told)
	}
	unnamed := j.nameIn(&s.record)
	if news || known && (unnamed || next.action == rest && !s.record.Cause.Same(told.Cause)) {
		j.told = &told
	}
}

// nameIn gives a record without a product the names that the product is to have, so that they can
// be told before there is one. It reports whether that changed it.
func (j *job) nameIn(r *syncstate.Record) bool {
	if r.Product.UUID != "" || j.product == (product{}) || j.product.sameFields(r.Product) {
		return false
	}
	r.Product = j.product.record("")
	return true
}

// A stand is a state and since when it is the folder's.
type stand struct {
	state State
	since time.Time
}

// standBefore is how a folder stood before it was paused, as far as its record tells.
func standBefore(r syncstate.Record) stand {
	if before := beforePause(&r, status.Resumed); State(r.State) == Paused && !before.Since.IsZero() {
		return stand{State(before.State), before.Since}
	}
	return stand{}
}

// since is when a folder came into its present state. A folder that was only looked at or paused,
// and is found as before, never left its state. The daemon's mutex is held.
func (f *folder) since(state State) time.Time {
	switch {
	case state == f.status.State:
		return f.status.Since
	case state == Paused && !f.paused.IsZero():
		return f.paused
	case state == f.before.state:
		return f.before.since
	}
	return wholeSecond(time.Now())
}

// wholeSecond is a time as people are told of it.
func wholeSecond(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// show puts a known folder's status on display, with the time since when it is in that state. It
// reports whether the state is another one. looks says that the folder is only looked at for the
// time being.
func (b *board) show(told *ProductStatus, looks bool) (known, news bool) {
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
	case !looks && told.State != Paused,
		f.status.State == Uploading && told.State == Paused: // a pause ends an upload
		f.before = stand{}
	case f.before == stand{}:
		f.before = stand{f.status.State, f.status.Since}
	}
	f.status = *told
	b.announce()
	return true, news
}

// keep records the status that people were told.
func (p *ProductStatus) keep(r *syncstate.Record) {
	notePause(r, p.State)
	r.State, r.Cause, r.Detail, r.Since = string(p.State), p.Cause, p.Detail, p.Since
	r.Settled, r.Expected, r.Arrived = p.Frames.Settled, p.Frames.Expected, p.Arrived
	r.NotTaken = notTakenText(p.NotTaken)
}

func (d *Daemon) keepStatus(told ProductStatus) {
	err := d.records.Update(told.Key(), func(r *syncstate.Record) error { told.keep(r); return nil })
	if err != nil {
		d.records.failed(err)
	}
}

// keepReasons records the reasons that people were told last. While the daemon runs only changes of
// the state are recorded, because a reason changes with each frame.
func (d *Daemon) keepReasons() {
	for _, told := range d.board.unrecorded() {
		record, err := d.records.Head(told.Key())
		if err != nil {
			d.records.failed(err)
			return
		}
		if record.State != "" && !record.Cause.Same(told.Cause) {
			d.keepStatus(told)
		}
	}
}

// unrecorded lists the statuses whose reason the state file may not have.
func (b *board) unrecorded() []ProductStatus {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []ProductStatus
	for _, f := range b.folders {
		if p := b.shown(f); !p.Cause.Same(f.recorded) {
			all = append(all, p)
		}
	}
	sortProducts(all)
	return all
}

// isRecorded notes the reason that the state file gives for a folder's state.
func (b *board) isRecorded(told *ProductStatus) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f, ok := b.folders[told.Key()]; ok {
		f.recorded = told.Cause
	}
}

func nextTry(s step) *time.Time {
	if s.before || s.action != wait && !s.aside || s.state != Retrying && s.state != Attention || s.until.IsZero() {
		return nil
	}
	return &s.until
}

func (s scene) settled() int {
	n := 0
	for _, f := range s.snapshot.Frames {
		if r, read := s.readings[f.Name]; s.known(f) || f.Still && (!read || r.whole || !r.file.Same(identity(f))) {
			n++
		}
	}
	return n
}

func (s scene) totalBytes() int64 {
	var total int64
	for _, f := range s.snapshot.Frames {
		total += f.Size
	}
	return total
}

// statusOf is the status as far as a record alone tells it.
func statusOf(key syncstate.Folder, r syncstate.Record) ProductStatus {
	p := ProductStatus{
		Root: key.Root, Folder: key.Path, State: State(r.State), Cause: r.Cause, Detail: r.Detail, Since: r.Since,
		Frames: FrameCounts{Settled: r.Settled, Expected: r.Expected}, NotTaken: notTakenOf(r.NotTaken),
		Project: r.Project.Shown(), Product: r.Product.UUID, Title: r.Product.Title, SKU: r.Product.SKU,
		Unreconciled: r.Unreconciled,
		DeleteAsked:  r.Removal == syncstate.RemovalAsked, Arrived: r.Arrived,
		Complete: State(r.State) == Published, Rush: r.Rush, Paused: r.Paused,
	}
	if r.Published != nil {
		at := r.Published.At
		p.Revision, p.PublishedAt, p.Frames.Uploaded = r.Published.Revision, &at, r.Published.Images
		p.Found = r.Published.Found
	}
	if r.Run != nil {
		p.Frames.Uploaded = 0
		for _, f := range r.Run.Frames {
			if f.Uploaded {
				p.Frames.Uploaded++
			}
		}
	}
	if r.Trouble != nil && !r.Trouble.NextTry.IsZero() {
		next := r.Trouble.NextTry
		p.NextTry = &next
	}
	return p
}

// RecordedStatus is the status as far as the configuration and a state file tell it, without a
// daemon. Started is zero. No root is online; each shows the volume on which it stood before.
// Without a state file store is nil.
func RecordedStatus(c *config.Config, store *syncstate.Store) (s Status, err error) {
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
			p := statusOf(key, record)
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

// frameSent counts one more uploaded frame for those who watch.
func (b *board) frameSent(key syncstate.Folder) {
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

// newRun starts counting sent bytes anew.
func (b *board) newRun(key syncstate.Folder) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f, ok := b.folders[key]; ok {
		f.sent.Store(0)
	}
}
