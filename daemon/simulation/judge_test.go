package simulation

import (
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/syncstate"
)

// judge holds what was done against the promises, once all is over.
func (w *world) judge() {
	w.judgeUnique()
	w.judgeProjects()
	w.judgeRevisions()
	w.judgeViews()
	w.judgeForms()
	w.judgeRefusals()
	w.judgeFlood()
	w.judgeMoves()
	w.judgeRemovals()
	w.judgeTexts()
	w.judgeGuest()
	w.judgePauses()
	w.judgeWords()
	w.judgeRequests()
	w.judgeRetryAfter()
	w.judgeLog()
	w.judgeStrictness()
}

// judgeUnique: a product folder has at most one product on the service, and a title at most one
// project.
func (w *world) judgeUnique() {
	made := 0
	projects, titles := map[string]bool{}, map[string]string{}
	alive := map[string]sandbox.Entry{}
	for _, e := range w.journal {
		switch e.Effect {
		case sandbox.ProjectCreated:
			if projects[e.Title] {
				w.breaks("project %s was created twice", e.Title)
			}
			projects[e.Title], titles[e.Project] = true, e.Title
		case sandbox.ProjectRemoved:
			delete(projects, e.Title)
		case sandbox.ProductCreated:
			if made++; made > w.most && w.most > 0 {
				w.breaks("%d products were made of %d folders", made, w.most)
			}
			namesakes := 0
			for _, other := range alive {
				if other.SKU == e.SKU && other.Project == e.Project && !w.isForgotten(other, e) && !w.studio.isOfOldPath(other, e) {
					namesakes++
				}
			}
			allowed := w.studio.renamed(e.SKU, e.Time) + w.studio.strangers(e.SKU, titles[e.Project], e.Time) + w.studio.toldApart(e.SKU, e.Time)
			if namesakes > allowed {
				w.breaks("product %s was created twice", e.SKU)
			}
			alive[e.Product] = e
		case sandbox.ProductUpdated:
			if was := alive[e.Product]; was.SKU == e.SKU && was.Title == e.Title {
				e.Time = was.Time // it has had that name since then
			}
			alive[e.Product] = e
		case sandbox.ProductDeleted:
			delete(alive, e.Product)
		}
	}
}

// renamed counts the folders of this SKU that had got another name by then. Their products may
// still have the old one.
func (s *studio) renamed(sku string, by time.Time) int {
	n := 0
	for _, f := range s.folders {
		for _, at := range f.left {
			if f.sku() == sku && at.Before(by) {
				n++
			}
		}
	}
	return n
}

// strangers counts the folders of this SKU that came into another project by then. Their products
// may stay in the project, and get the SKU there.
func (s *studio) strangers(sku, project string, by time.Time) int {
	n := 0
	for _, f := range s.folders {
		for _, at := range f.came {
			if f.sku() == sku && path.Dir(f.name) != project && at.Before(by) {
				n++
			}
		}
	}
	return n
}

// isOfOldPath reports whether a product was made before a root got another path, while its folder was gone:
// one that is shot there again is a new folder, where the drive has no id. With the product's title a person
// is asked; with another one it gets a product of its own.
func (s *studio) isOfOldPath(product, next sandbox.Entry) bool {
	return product.Title != next.Title && slices.ContainsFunc(s.folders, func(f *folder) bool {
		moved := f.root.moved
		return f.sku() == next.SKU && moved.After(product.Time) && moved.Before(next.Time) && !f.stood(moved, moved)
	})
}

// toldApart counts the folders of this SKU of which a person had said by then that they are others than
// their namesakes, by a title of their own or by a word.
func (s *studio) toldApart(sku string, by time.Time) int {
	n := 0
	for _, f := range s.folders {
		if f.sku() == sku && !f.toldApart.IsZero() && f.toldApart.Before(by) {
			n++
		}
	}
	return n
}

// judgeRevisions: what was finished is one state of a folder, whole and in order, at an instant
// between the arrival of its last frame and its end.
func (w *world) judgeRevisions() {
	stored := map[string]time.Time{} // when the last file of a form arrived
	held := map[string]string{}      // SHA-256 by key, since a repeated request may come late and bring nothing new
	for _, e := range w.journal {
		switch e.Effect {
		case sandbox.FileStored:
			if e.Bound && held[e.Key] != e.File.SHA256 {
				held[e.Key] = e.File.SHA256
				form, _, _ := strings.Cut(e.Key, "/"+e.File.Name)
				stored[form] = e.Time
			}
		case sandbox.Uploaded:
			if e.Images != len(e.Files) {
				w.breaks("revision %d of %s has %d files, %d were announced", e.Revision, e.SKU, len(e.Files), e.Images)
			}
			if w.theirs.has(e.Files) {
				continue
			}
			whose := w.studio.ever(e.Files, stored[e.Path], e.Time)
			if w.plan.faults.has(oldCache) {
				whose = append(whose, w.studio.listed(e.Files, stored[e.Path], e.Time)...)
			}
			if len(whose) == 0 {
				w.breaks("revision %d of %s, finished at %s, is no state that its folder was in", e.Revision, e.SKU, e.Time.Sub(w.trace.began))
			} else if !slices.ContainsFunc(whose, func(m moment) bool { return w.isWhole(m, e) }) {
				w.breaks("revision %d of %s, finished at %s, has %d frames, which is no full turn", e.Revision, e.SKU, e.Time.Sub(w.trace.began), len(e.Files))
			} else if !w.plan.faults.has(oldCache) && !slices.ContainsFunc(whose, func(m moment) bool { return w.isOneShoot(m, e) }) {
				w.breaks("revision %d of %s, finished at %s, came too soon: its photos are of two shoots, or have no marker", e.Revision, e.SKU, e.Time.Sub(w.trace.began))
			}
		}
	}
}

// mostForms is far more upload forms than a product gets for some sets of photos in a day of failures,
// without those under which one of its photos was refused, or the finish.
const mostForms = 60

// judgeForms: a folder is not uploaded again and again without an end.
func (w *world) judgeForms() {
	issued, refused := map[string]int{}, map[form]bool{}
	for _, c := range w.calls.all {
		if under := formOf(c); isRefused(c) && !refused[under] {
			refused[under] = true
			issued[c.product]--
		}
	}
	for _, e := range w.journal {
		if e.Effect != sandbox.FormIssued {
			continue
		}
		most := mostForms + w.studio.changes(e.SKU)
		if issued[e.Product]++; issued[e.Product] == most {
			w.breaks("%s got %d upload forms", e.SKU, most)
		}
	}
}

// changes counts how often the folder of a product changed, under whatever name.
func (s *studio) changes(sku string) (n int) {
	for _, f := range s.folders {
		if firstSKU(f.sku()) == firstSKU(sku) {
			n += len(f.history)
		}
	}
	return n
}

// mostRefusals is more forms than a folder asks for when a host refuses one of its photos, until
// something else happens.
const mostRefusals = 12

// A form is known by the product that it is for and the path of its photos, or by its finish.
type form struct {
	product, path string
	finished      time.Time
}

func formOf(c *call) form {
	if c.kind == refusedFinish {
		return form{product: c.product, finished: c.began}
	}
	return form{product: c.product, path: path.Dir(c.file)}
}

func isRefused(c *call) bool { return c.kind == refusedPhoto || c.kind == refusedFinish }

// judgeRefusals: a set of which a photo or the finish is refused is not sent again and again, while nobody
// does anything and nothing goes wrong but that. A host that has no room may have some soon.
func (w *world) judgeRefusals() {
	events := w.trace.events()
	forms, until := map[string]map[form]bool{}, map[string]int{} // by product, since that event
	for _, c := range w.calls.all {
		if !isRefused(c) || c.ended.IsZero() || c.fault.Status == http.StatusInsufficientStorage {
			continue
		}
		passed, _ := slices.BinarySearch(events, c.began.Sub(w.trace.began))
		if forms[c.product] == nil || until[c.product] != passed {
			forms[c.product], until[c.product] = map[form]bool{}, passed
		}
		forms[c.product][formOf(c)] = true
		if len(forms[c.product]) == mostRefusals {
			w.breaks("%s was refused with %d forms one after the other", w.calls.names[c.product], mostRefusals)
		}
	}
}

// mostSent is how often one photo may be sent to one product once all is well: under a form that was
// abandoned when a folder was tidied up, under the next, and as often as a person has it uploaded again.
const mostSent = 4

// judgeFlood: no photo is sent again and again while nobody touches it and nothing goes wrong. An upload
// that seems overtaken is begun again some times before a person is asked.
func (w *world) judgeFlood() {
	if w.seemsOvertaken() {
		return
	}
	sent := map[string]int{} // by product and photo
	for _, e := range w.journal {
		if e.Effect != sandbox.FileStored || w.calmSince.IsZero() || e.Time.Before(w.calmSince) {
			continue
		}
		product, _, _ := strings.Cut(e.Key, "/")
		photo := product + e.File.SHA256
		if sent[photo]++; sent[photo] == mostSent+w.helped+1 {
			w.breaks("%s was sent %d times while all was well", e.Key, sent[photo])
		}
	}
}

// A moment is a folder in one of its states.
type moment struct {
	folder *folder
	state  state
}

// ever are the moments between two instants in which a folder held exactly these files, whole and in this
// order.
func (s *studio) ever(files []sandbox.File, from, to time.Time) (moments []moment) {
	return s.momentsOf(files, s.w.fleet.seenFrom(from), to)
}

func (s *studio) momentsOf(files []sandbox.File, from, to time.Time) (moments []moment) {
	for _, f := range s.folders {
		for _, st := range f.during(from, to) {
			if st.holds(files) {
				moments = append(moments, moment{f, st})
			}
		}
	}
	return moments
}

// isWhole reports whether a revision has as many frames as product.toml or the root of its folder says. Once
// a person accepted another number there, it may have any: which set was meant is not judged.
func (w *world) isWhole(m moment, revision sandbox.Entry) bool {
	f := m.folder
	if !f.accepted.IsZero() && f.accepted.Before(revision.Time) {
		return true
	}
	known := append(slices.Clone(f.root.turns), turn{until: time.Now(), from: f.root.turnSince, frames: f.root.frames})
	if said := m.state.said; said != nil && said.count > 0 && !w.mayBeUnheard(m, revision.Time) {
		known = []turn{{until: revision.Time, frames: said.count}}
	}
	return slices.ContainsFunc(known, func(t turn) bool {
		held := t.from.Before(revision.Time) && !t.until.Before(revision.Time.Add(-patience))
		return held && (t.frames == 0 || t.frames == len(revision.Files))
	})
}

// isOneShoot reports whether the photos of a revision come from one shoot, and where each folder of a root
// has a marker, that it came after the photos. Otherwise somebody wanted them so: nothing came to them for
// quiet, the folder got its name or place with them, or a person accepted their number. A new state file
// does not know which photos came first, nor does a new process of a folder that is new to it, where it
// finds them in the order of their times, and an old cache does not tell when one took the place of another.
// Nothing tells a photo that was worked on from one that was shot anew: where each took the place of another
// one they are of one shoot, too. A drive that is away longer than spinsync needs to notice it stops the time,
// and so does a folder that is away and comes back as it was.
func (w *world) isOneShoot(m moment, revision sandbox.Entry) bool {
	f, frames := m.folder, m.state.frames
	same := func(st state) bool { return st.holds(revision.Files) }
	at := slices.IndexFunc(f.history, func(st state) bool { return st.since.Equal(m.state.since) && same(st) })
	mixed := slices.ContainsFunc(frames, func(s shot) bool { return s.shoot != frames[0].shoot }) && f.isHalfReplaced(at)
	if !mixed && !f.root.marks || !f.accepted.IsZero() && f.accepted.Before(revision.Time) {
		return true
	}
	if !f.root.marks && w.isFoundInOrder(f, frames, revision.Time) {
		return true
	}
	next := at + 1
	for next < len(f.history) && !f.history[next].since.After(revision.Time) && same(f.history[next]) {
		next++
	}
	marked := f.history[next-1].marked.Add(max(tick, when(w.fleet != nil, 2*time.Second))) // to which stations cut times down
	if !slices.ContainsFunc(frames, func(s shot) bool { return s.came.After(marked) }) {
		return true
	}
	came := f.since(at, same)
	asItWas := func(st state) bool { return !st.present || slices.Equal(st.frames, frames) }
	held := span{f.since(at, asItWas), revision.Time}
	if came.Before(held.from) {
		held.from = came
	}
	if next < len(f.history) {
		if ended := w.fleet.seenUntil(f.history[next].since); ended.Before(held.until) {
			held.until = ended
		}
	}
	long := w.machine.awake(held)
	for _, away := range f.root.absences {
		long -= max(0, held.overlap(away)-noticed)
	}
	for i, st := range f.history[:at] {
		if !st.present {
			long -= held.overlap(span{st.since, f.history[i+1].since})
		}
	}
	forgotten := slices.ContainsFunc(frames, func(s shot) bool { return s.came.Before(w.luck.lost.until) })
	return forgotten || long >= f.root.leastQuiet || slices.ContainsFunc(f.came, came.Equal)
}

// isHalfReplaced reports whether some photos of a folder in one of its states took the place of others,
// and the rest did not since then. A photo that takes the place of another one twice begins again, unless
// the one before was there for less than it takes to settle.
func (f *folder) isHalfReplaced(last int) bool {
	var seen, old []shot // old ones are from before the first that took the place of another
	for _, st := range f.history[:last+1] {
		if !st.present {
			continue
		}
		for _, s := range st.frames {
			at := slices.IndexFunc(seen, func(was shot) bool { return was.name == s.name && was != s })
			if at >= 0 && st.since.Sub(seen[at].came) >= f.root.settle && !slices.Contains(old, seen[at]) {
				old = slices.Clone(seen)
			}
		}
		old = slices.DeleteFunc(old, func(s shot) bool { return !slices.Contains(st.frames, s) })
		seen = st.frames
	}
	return len(old) > 0
}

// isFoundInOrder reports whether a process found all photos of a revision, one written after the other in
// their order. Their times say nothing to one that knew the folder before, and had not published it.
func (w *world) isFoundInOrder(f *folder, frames []shot, finished time.Time) bool {
	key := syncstate.Folder{Root: f.root.path, Path: f.name}
	found := func(s start) bool {
		late := func(photo shot) bool { return photo.came.After(s.at) }
		return s.at.Before(finished) && !s.awaited[key] && !slices.ContainsFunc(frames, late)
	}
	byTime := func(a, b shot) int { return a.modified.Compare(b.modified) }
	return slices.ContainsFunc(w.starts, found) && slices.IsSortedFunc(frames, byTime)
}

// since is since when a folder was in states of a kind, up to one of that kind.
func (f *folder) since(last int, is func(state) bool) time.Time {
	for last > 0 && is(f.history[last-1]) {
		last--
	}
	return f.history[last].since
}

// tick is the time in which a photo may be written over without another time: nothing tells then that
// the marker came in between.
const tick = time.Second

// noticed is how soon spinsync sees that a drive is away.
const noticed = 5 * time.Second

// overlap is how long two times have in common.
func (s span) overlap(t span) time.Duration {
	if t.from.After(s.from) {
		s.from = t.from
	}
	if t.until.Before(s.until) {
		s.until = t.until
	}
	return max(0, s.until.Sub(s.from))
}

// holds reports whether a folder had exactly these files.
func (st state) holds(files []sandbox.File) bool {
	return st.present && slices.EqualFunc(st.frames, files, func(s shot, f sandbox.File) bool { return s.whole && s.sum == f.SHA256 })
}

// judgeRemovals: nothing is removed but the view of a folder that is gone for good, below a root
// whose configuration says so and where other folders stand.
func (w *world) judgeRemovals() {
	for _, e := range w.journal {
		if e.Effect == sandbox.ProductDeleted && !w.luck.removed[e.Product] && !w.mayRemove(e, w.calls.sent(sandbox.DeleteProduct, e.Product, e.Time)) {
			w.breaks("the view %s was removed at %s", e.SKU, e.Time.Sub(w.trace.began))
		}
	}
}

// mayRemove reports whether a folder of the removed view's SKU had been gone for a while at a time.
// One that was renamed may have been removed before the service heard of its new name. One that has
// none of the view's frames any more is another one for the program, whatever its name was.
func (w *world) mayRemove(view sandbox.Entry, at time.Time) bool {
	const gone = 5 * time.Second
	for _, f := range w.studio.folders {
		if !f.root.deleted(at) || firstSKU(f.sku()) != firstSKU(view.SKU) {
			continue
		}
		for i, st := range f.history {
			ends := i+1 < len(f.history) && f.history[i+1].since.Before(at)
			removed := i > 0 && f.history[i-1].present &&
				(!slices.ContainsFunc(f.left, st.since.Equal) || !w.shows(view, f.history[i-1]))
			if !st.present && !ends && !w.awaySince(f, i).After(at.Add(-gone)) && (f.sku() == view.SKU || removed) {
				return true
			}
		}
	}
	return false
}

// firstSKU is what a SKU was before its folder was renamed or moved.
func firstSKU(sku string) string {
	first := unmoved(strings.TrimSuffix(unmoved(sku), elsewhereSuffix))
	return strings.Replace(first, "sku", "SKU", 1)
}

// awaySince is since when a folder was away in one of its states. It may have been back unseen for
// less time than it takes to settle, and than a cache tells a listing from before, or than a root without
// any folder, which is not believed, is left alone.
func (w *world) awaySince(f *folder, i int) time.Time {
	since := f.history[i].since
	for back := i - 1; back >= 0; back-- {
		if f.history[back].present {
			continue
		}
		came, unseen := f.history[back+1].since, f.root.settle+when(w.plan.faults.has(oldCache), listingLasts)
		if w.studio.lacksFolders(f.root, came) {
			unseen = max(unseen, leftAlone)
		}
		if since.Sub(came) < unseen {
			return w.awaySince(f, back)
		}
		break
	}
	return since
}

// leftAlone is how long a root that is not believed is not read again: until the survey after the least time
// between two whole reads.
const leftAlone = 10 * time.Second

// lacksFolders reports whether a root had no product folder just before a time.
func (s *studio) lacksFolders(r *root, at time.Time) bool {
	return !slices.ContainsFunc(s.folders, func(f *folder) bool { return f.root == r && f.stood(at.Add(-1), at) })
}

// shows reports whether the last revision of a removed view has a frame of a folder.
func (w *world) shows(removed sandbox.Entry, st state) bool {
	shown := false
	for _, e := range w.journal {
		if e.Effect == sandbox.Uploaded && e.Product == removed.Product && e.Time.Before(removed.Time) {
			shown = slices.ContainsFunc(e.Files, func(file sandbox.File) bool {
				return slices.ContainsFunc(st.frames, func(s shot) bool { return s.sum == file.SHA256 })
			})
		}
	}
	return shown
}

// judgeTexts: no alt text is set that was half written.
func (w *world) judgeTexts() {
	for _, e := range w.journal {
		for _, text := range e.AltTexts {
			if e.Effect == sandbox.AltTextsSet && w.luck.half != "" && text == w.luck.half {
				w.breaks("the alt text %q was set while it was being written", text)
			}
		}
	}
}

// budget is how many calls may be made in any minute for each folder of a world.
const budget = 120

// judgeRequests: the daemon does not hammer, and polls at decent intervals.
func (w *world) judgeRequests() {
	all := slices.Clone(w.calls.all)
	slices.SortFunc(all, func(a, b *call) int { return a.began.Compare(b.began) })
	limit := budget * len(w.studio.folders)
	for i := limit; i < len(all); i++ {
		if all[i].began.Sub(all[i-limit].began) < time.Minute {
			w.breaks("%d calls were made in the minute before %s", limit, all[i].began.Sub(w.trace.began))
			break
		}
	}
	polled := map[string]*call{}
	for _, c := range all {
		if c.op != sandbox.ReadStatus {
			continue
		}
		switch last := polled[c.product]; {
		case last == nil || c.began.Sub(last.began) >= time.Second:
		case c.late:
		case last.broke():
			continue // Go's HTTP client repeats what only reads by itself when a connection breaks under it
		default:
			w.breaks("the status of %s was asked for again after %s, at %s", w.calls.names[c.product], c.began.Sub(last.began), c.began.Sub(w.trace.began))
		}
		polled[c.product] = c
	}
}

// broke reports whether the connection ended without an answer.
func (c *call) broke() bool { return c.fault.DropBefore || c.fault.DropAfter || c.cut }

// wasAnswered reports whether the program got what the service answered, whole.
func (c *call) wasAnswered() bool {
	return !c.ended.IsZero() && !c.broke() && c.fault.Status == 0 && c.fault.CutBody == 0
}

// judgeRetryAfter: for as long as a host asked for rest, nothing new is sent to it. A sender that
// went away heard nothing of it.
func (w *world) judgeRetryAfter() {
	for _, c := range w.calls.all {
		rest := restOf(c)
		if rest == 0 || c.cut || c.ended.IsZero() || c.op == sandbox.Upload && w.plan.limit != "" { // which begins long before it arrives
			continue
		}
		for _, other := range w.calls.all {
			passed := w.machine.passed(span{c.ended, other.began})
			tooSoon := passed > time.Second && passed < rest-time.Second
			if tooSoon && other.life == c.life && (other.op == sandbox.Upload) == (c.op == sandbox.Upload) {
				w.breaks("%s asked for %s of rest at %s, and %s came at %s", c, rest, c.ended.Sub(w.trace.began), other, other.began.Sub(w.trace.began))
				return
			}
		}
	}
}

// restOf is how long the answer to a call asked for no more of them.
func restOf(c *call) time.Duration {
	text := c.fault.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if until, err := http.ParseTime(text); err == nil {
		return until.Sub(c.ended)
	}
	return 0
}

// judgeLog: neither the password nor what signs an upload is ever written down.
func (w *world) judgeLog() {
	for _, secret := range w.secrets {
		if strings.Contains(w.log.String(), secret) {
			w.breaks("the log holds a secret")
		}
	}
}

// checkRecords looks at the state file of a life that has ended.
func (w *world) checkRecords(l *life) {
	w.checkRecordsIn(l.state)
	store, err := syncstate.OpenReadOnly(l.state, w.account())
	if err != nil {
		w.breaks("the state file: %v", err)
		return
	}
	defer store.Close()
	products, err := w.service.Products()
	if err != nil {
		w.t.Fatal(err)
	}
	owned, asked := map[string]bool{}, map[string]bool{}
	for key, record := range store.Heads() {
		owned[record.Product.UUID] = true
		if intent := record.Run.Asked(); intent != nil && !w.stands(w.place(key)) { // it is looked for when the folder is back, or known to be gone
			asked[intent.SKU] = true
		}
	}
	for _, p := range products {
		if !owned[p.UUID] && !asked[p.SKU] && !w.lostFromSight(p, owned) {
			w.breaks("the view %s belongs to no folder, and nobody knows of it", p.SKU)
		}
		w.checkPublished(store, p)
	}
}

// isForgotten reports whether a product was made in the time that the state file knows nothing of, and
// its folder got another title before it was published again: nothing then tells that it is the
// folder's. Where the whole file was lost, a folder that stood since the next start is compared first, if
// sync.toml had its root then: one of a root that comes later is a new one.
// A product that got its SKU in that time counts, too, where a folder of the SKU that a backup knows
// stood since: it goes on with the product. Each account knows nothing of the time of the other.
func (w *world) isForgotten(product, next sandbox.Entry) bool {
	if product.Title == next.Title {
		return false
	}
	lost := w.luck.lost
	stood := func(sku string) bool {
		return slices.ContainsFunc(w.studio.folders, func(f *folder) bool {
			met := w.isBackup() || !f.root.wasUnwatched(lost.until)
			return f.sku() == sku && met && f.stood(lost.until, next.Time)
		})
	}
	knew := w.skuAt(product.Product, lost.from)
	switch {
	case w.plan.faults.has(accountChanges):
		return true
	case lost.holds(product.Time) && (w.isBackup() || !stood(next.SKU)):
		return true
	}
	return w.isBackup() && knew != next.SKU && w.skuAt(product.Product, lost.until) == next.SKU && stood(knew)
}

// isBackup reports whether the state file comes from a backup, and was not lost as a whole.
func (w *world) isBackup() bool { return w.luck.lost.from.After(w.trace.began) }

// lostFromSight reports whether a view was made in the time that a state file from a backup knows
// nothing of, and no folder needs it: none of its name is in its project any more, or the one that
// is has another view, which it had before that time, perhaps until that was deleted, or found when
// nothing was known, or got in a time in which it had another name; or it is another one with another
// title, since the view's own folder went elsewhere, or sync.toml had it in another project when it got its
// view. A create that the file knows as sent counts, too, where its view got photos in that time: it counts as
// a view of others then.
func (w *world) lostFromSight(p sandbox.Product, owned map[string]bool) bool {
	if !w.luck.lost.holds(p.CreatedAt.Time) && !(w.isBackup() && w.luck.lost.holds(w.firstUpload(p.UUID))) {
		return false
	}
	products, err := w.service.Products()
	if err != nil {
		w.t.Fatal(err)
	}
	had := slices.ContainsFunc(products, func(other sandbox.Product) bool {
		knew := other.CreatedAt.Before(w.luck.lost.from) || w.luck.lost.from.Equal(w.trace.began)
		named := other.SKU == p.SKU || w.isBackup() && w.skuAt(other.UUID, w.luck.lost.from) == p.SKU
		return other.UUID != p.UUID && named && owned[other.UUID] && knew
	})
	deleted := func(e sandbox.Entry) bool {
		return e.Effect == sandbox.ProductDeleted && e.Time.After(w.luck.lost.until) && w.skuAt(e.Product, w.luck.lost.from) == p.SKU
	}
	had = had || w.isBackup() && slices.ContainsFunc(w.journal, deleted)
	standing := func(f *folder) bool {
		title, _, _ := f.says()
		titled, left := title != p.Title, slices.ContainsFunc(f.left, p.CreatedAt.Before)
		another := titled && left || w.isBackup() && (titled || left)
		return f.present && f.sku() == p.SKU && f.mayBeIn(w.titleOf(p.Project)) && !another && !w.wentOnElsewhere(f, p, owned)
	}
	return had || !slices.ContainsFunc(w.studio.folders, standing)
}

// wentOnElsewhere reports whether a folder got its view in another project than that of one which a backup
// does not know, since sync.toml had it there then.
func (w *world) wentOnElsewhere(f *folder, p sandbox.Product, owned map[string]bool) bool {
	return w.isBackup() && slices.ContainsFunc(w.journal, func(e sandbox.Entry) bool {
		since := e.Effect == sandbox.ProductCreated && e.Time.After(w.luck.lost.until)
		return since && owned[e.Product] && e.SKU == p.SKU && e.Project != p.Project && w.mayBeMadeFor(f, e)
	})
}

// firstUpload is when a product got its first photos; zero for never.
func (w *world) firstUpload(product string) time.Time {
	for _, e := range w.journal {
		if e.Product == product && e.Effect == sandbox.Uploaded {
			return e.Time
		}
	}
	return time.Time{}
}

// skuAt is the SKU that a product had at a time; empty before it was made.
func (w *world) skuAt(product string, at time.Time) (sku string) {
	for _, e := range w.journal {
		if e.Product == product && !e.Time.After(at) && (e.Effect == sandbox.ProductCreated || e.Effect == sandbox.ProductUpdated) {
			sku = e.SKU
		}
	}
	return sku
}

// checkPublished: what is recorded as published is what the service holds.
func (w *world) checkPublished(store *syncstate.Store, held sandbox.Product) {
	for key := range store.Heads() {
		record, err := store.Record(key)
		if err != nil || record.Product.UUID != held.UUID || record.Published == nil || record.Run != nil {
			continue
		}
		key = w.place(key)
		if !w.isWatched(key.Root) {
			continue
		}
		if w.isFromBackup(held.CreatedAt.Time) && !w.stands(key) { // it is held against the service when the folder is back
			continue
		}
		published := record.Published
		// A view was found beside an upload that an earlier process began, whose number the service
		// told.
		ahead := held.Open && published.Found && published.Revision > held.Status.SourceRevision
		if published.Revision != held.Status.SourceRevision && !ahead || len(published.Frames) != len(held.Images) {
			w.breaks("%s is recorded with revision %d of %d frames, the service has revision %d of %d",
				key.Path, published.Revision, len(published.Frames), held.Status.SourceRevision, len(held.Images))
			continue
		}
		files := held.Revisions[len(held.Revisions)-1].Files
		for i, f := range published.Frames {
			if w.studio.sums[string(f.Digest)] != files[i].SHA256 || f.ImageID != held.Images[i].ID {
				w.breaks("%s is recorded as image %d of %s, which is another", f.Name, f.ImageID, key.Path)
			}
		}
	}
}

func (w *world) stands(key syncstate.Folder) bool {
	return slices.ContainsFunc(w.studio.folders, func(f *folder) bool { return f.present && f.root.path == key.Root && f.name == key.Path })
}

// checkRecordsIn: a state file decodes to its last value, and every digest in it is that of the
// very file it stands for.
func (w *world) checkRecordsIn(state string) {
	if err := syncstate.Check(state); err != nil {
		w.breaks("the state file: %v", err)
		return
	}
	store, err := syncstate.OpenReadOnly(state, w.account())
	if err != nil {
		w.breaks("the state file: %v", err)
		return
	}
	defer store.Close()
	for key := range store.Heads() {
		record, err := store.Record(key)
		if err != nil {
			w.breaks("the record of %s: %v", key.Path, err)
			continue
		}
		key = w.place(key)
		if record.Product.UUID != "" && !w.isPlace(key) && w.isWatched(key.Root) {
			w.breaks("%s has a product, and is no product folder", key.Path)
		}
		w.checkRecord(key, record)
	}
}

// isPlace reports whether people ever had a product folder in a place.
func (w *world) isPlace(key syncstate.Folder) bool {
	return slices.ContainsFunc(w.studio.folders, func(f *folder) bool { return f.root.path == key.Root && f.name == key.Path })
}

func (w *world) checkRecord(key syncstate.Folder, r syncstate.Record) {
	digest := func(f syncstate.File, digest []byte, sending bool) {
		if sum, known := w.studio.sums[string(digest)]; !known || !w.studio.had(key.Path, f, sum, sending) {
			w.breaks("%s of %s is recorded with a digest that is not its own", f.Name, key.Path)
		}
	}
	if r.Published != nil {
		for _, f := range r.Published.Frames {
			digest(f.File, f.Digest, false)
		}
	}
	if r.Run == nil {
		return
	}
	if form := r.Run.Form; form != nil {
		w.secrets = append(w.secrets, form.Policy, form.Signature)
	}
	for _, f := range r.Run.Frames {
		if f.Uploaded {
			digest(f.File, f.Digest, !r.Run.IsBound())
		}
	}
}
