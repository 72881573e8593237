package simulation

import (
	"cmp"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// account is the one in sync.toml.
func (w *world) account() syncstate.Account {
	return syncstate.Account{BaseURL: baseURL, Username: w.plan.username}
}

// changeAccount has a person write another user into sync.toml, and some time later the first one
// again. What one account did the records of the other know nothing of.
func (w *world) changeAccount() {
	if !w.luck.lost.until.IsZero() || !w.useAccount(colleague, w.trace.began) {
		return
	}
	since := time.Now()
	w.carryOn(between(w.luck.rng, time.Second, w.plan.chaos/2), func() { w.useAccountAgain(since) })
}

func (w *world) useAccountAgain(since time.Time) {
	if !w.useAccount(username, since) {
		w.carryOn(time.Second, func() { w.useAccountAgain(since) })
	}
}

// useAccount starts the program with another user, and reports whether it ran. Nothing is known of what
// happened since that time.
func (w *world) useAccount(user string, since time.Time) bool {
	l := w.current.Load()
	if l.isOver() {
		return false
	}
	w.trace.add("life %d is stopped, and %s is the user in sync.toml", l.number, user)
	l.end()
	w.checkRecordsIn(l.state)
	w.luck.fileLost = true // and with it what would be checked with the other account
	w.plan.username = user
	w.forget(since)
	return true
}

// sayMuch has a person use verbs one after the other, also where they are no remedy.
func (w *world) sayMuch() {
	r := w.luck.rng
	f := pick(r, w.studio.folders...)
	for range 2 + r.IntN(4) {
		say := pick(r, w.acceptFrames, w.acceptFrames, w.acceptAllFrames, w.retryTwice, w.retryAllTwice)
		w.carryOn(between(r, 0, 2*time.Minute), func() {
			if l := w.current.Load(); !l.isOver() {
				say(l, f)
			}
		})
	}
}

func (w *world) keyOf(f *folder) syncstate.Folder {
	root := f.root.path
	if w.fleet != nil {
		root = filepath.Join(w.current.Load().computer.dir, f.root.name)
	}
	return syncstate.Folder{Root: root, Path: f.name}
}

// accept notes that a person accepted the frames of a folder, at a time that is zero if nobody did.
func (f *folder) accept(at time.Time) {
	if at.After(f.said) {
		f.said = at
	}
	if f.accepted.IsZero() || !at.IsZero() && at.Before(f.accepted) {
		f.accepted = at
	}
}

func (w *world) acceptFrames(l *life, f *folder) {
	w.trace.add("%s: retry as is", f.name)
	f.accept(time.Now())
	_ = l.daemon.Do(daemon.RetryAsIs, w.keyOf(f)) // it may not be known yet
}

func (w *world) acceptAllFrames(l *life, _ *folder) {
	w.trace.add("retry all as is")
	for _, f := range w.studio.folders {
		f.accept(time.Now())
	}
	w.verb(l, l.daemon.Do(daemon.RetryAsIs, syncstate.Folder{}))
}

// retryTwice may be the word that a view is not the folder's, where a person is asked that.
func (w *world) retryTwice(l *life, f *folder) {
	w.trace.add("%s: retry, twice", f.name)
	if slices.ContainsFunc(l.daemon.Daemon().Status().Products, func(p status.ProductStatus) bool {
		return p.Key() == w.keyOf(f) && strings.Contains(p.Reason, "` makes another")
	}) {
		f.toldApart = time.Now()
	}
	for range 2 {
		_ = l.daemon.Do(daemon.Retry, w.keyOf(f))
	}
}

func (w *world) retryAllTwice(l *life, _ *folder) {
	w.trace.add("retry all, twice")
	for range 2 {
		w.verb(l, l.daemon.Do(daemon.Retry, syncstate.Folder{}))
	}
}

// A pause of a folder by its name. The zero pause never began.
type pause struct{ from, until time.Time }

// end notes that the pause ends, if there is one.
func (p *pause) end() {
	if !p.from.IsZero() && p.until.IsZero() {
		p.until = time.Now()
	}
}

// takeAwayPaused has a person pause a folder, take it away and put it back some time later.
func (w *world) takeAwayPaused() {
	r, l := random(w.seed, "paused"), w.current.Load()
	f := pick(r, w.studio.folders...)
	if l.isOver() || f.root.away || f.root.unwatched || !f.present || w.luck.guest ||
		l.daemon.Do(daemon.Pause, w.keyOf(f)) != nil || l.isOver() {
		return
	}
	w.trace.add("%s: paused, and taken away", f.name)
	f.paused = pause{from: time.Now()}
	w.giveBack(f, between(r, time.Second, time.Minute), w.studio.lend(f, filepath.Join(w.dir, "lent")))
}

// giveBack puts a folder back once its root is there.
func (w *world) giveBack(f *folder, after time.Duration, put func()) {
	w.carryOn(after, func() {
		if f.root.away {
			w.giveBack(f, time.Second, put)
			return
		}
		put()
		w.trace.add("%s is put back", f.name)
	})
}

// endPauses notes that the pauses of folders end.
func (w *world) endPauses() {
	for _, f := range w.studio.folders {
		f.paused.end()
	}
}

// judgePauses: no product is asked for in the name of a folder that is paused, but for a request on its
// way. A state file that was lost knows of no pause, and a folder without a product takes none along
// when its root gets another path.
func (w *world) judgePauses() {
	const onItsWay = 10 * time.Second
	if !w.luck.lost.from.IsZero() {
		return
	}
	for _, f := range w.studio.folders {
		if f.paused.from.IsZero() || !f.root.moved.IsZero() || w.hadNamesake(f) {
			continue
		}
		for _, c := range w.calls.all {
			if c.op == sandbox.CreateProduct && c.asked == f.sku() && c.began.After(f.paused.from.Add(onItsWay)) && c.began.Before(f.paused.until) {
				w.breaks("a product of %s was asked for at %s, while the folder was paused", f.name, c.began.Sub(w.trace.began))
			}
		}
	}
}

// hadNamesake reports whether another folder ever stood that has a folder's name, in whatever project.
func (w *world) hadNamesake(f *folder) bool {
	return slices.ContainsFunc(w.studio.folders, func(other *folder) bool {
		return other != f && other.sku() == f.sku() && len(other.history) > 1
	})
}

// A shoot is some of the photos of a set, from a time on.
type shoot struct {
	began time.Time
	sums  []string
}

// shootAfterWord has a person accept a set that lacks a frame while all is paused, remove it before it
// goes live, and shoot another one, which lacks a frame too.
func (w *world) shootAfterWord() {
	f := pick(random(w.seed, "word"), w.studio.folders...)
	if f.root.frames < 2 || f.root.away || !f.present || f.files[f.frameName(0)] == nil {
		return
	}
	w.trace.add("%s: %s is removed", f.name, f.frameName(0))
	w.studio.remove(f, f.frameName(0))
	w.acceptOnceAsked(f, 60)
}

// acceptOnceAsked has a person look for the question so many times.
func (w *world) acceptOnceAsked(f *folder, times int) {
	w.carryOn(5*time.Second, func() {
		l := w.current.Load()
		asks := func(p status.ProductStatus) bool {
			return p.Key() == w.keyOf(f) && p.State == status.Attention && p.Cause.Is(status.TooFew)
		}
		switch {
		case times == 0 || f.root.away || !f.present:
		case l.isOver() || l.daemon == nil || !slices.ContainsFunc(l.daemon.Daemon().Status().Products, asks):
			w.acceptOnceAsked(f, times-1)
		case l.daemon.Do(daemon.Pause, syncstate.Folder{}) == nil:
			w.acceptFrames(l, f)
			w.carryOn(5*time.Second, func() { w.shootOthers(f) })
		}
	})
}

// shootOthers replaces all frames of a folder by some others, and ends the pause.
func (w *world) shootOthers(f *folder) {
	defer w.resumeAll()
	if f.root.away || !f.present {
		return
	}
	f.after = &shoot{began: time.Now()}
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		if isFrame(name) {
			w.studio.remove(f, name)
		}
	}
	for i := 1; i < f.root.frames; i++ {
		w.takeOne(f, i)
		f.after.sums = append(f.after.sums, f.files[f.frameName(i)].sum)
	}
	w.trace.add("%s: another shoot begins", f.name)
}

// judgeWords: what a person said of the frames of one shoot is no word about the next.
func (w *world) judgeWords() {
	for _, f := range w.studio.folders {
		if f.after == nil || f.said.After(f.after.began) || len(f.root.turns) > 0 {
			continue
		}
		for _, e := range w.journal {
			others := func(file sandbox.File) bool { return !slices.Contains(f.after.sums, file.SHA256) }
			if e.Effect == sandbox.Uploaded && len(e.Files) > 0 && !slices.ContainsFunc(e.Files, others) {
				w.breaks("revision %d of %s, of %d frames, went live by a word about the shoot before", e.Revision, e.SKU, len(e.Files))
			}
		}
	}
}

// changeSettings has a person write into sync.toml that a root is watched in another way. Some stop the
// program for that, others have it read the file again.
func (w *world) changeSettings() {
	i := w.luck.rng.IntN(len(w.studio.roots))
	l, root := w.current.Load(), w.studio.roots[i]
	if l.isOver() || root.away {
		return
	}
	change := func() { w.changeRoot(i) }
	if chance(random(w.seed, "settings"), 0.5) && l.reloadAfter(change) {
		w.trace.add("life %d reads sync.toml, which has %+v", l.number, root.rootPlan)
		return
	}
	l.end()
	change()
	w.trace.add("life %d is stopped, and sync.toml has %+v", l.number, root.rootPlan)
}

// changeRoot changes how a root is watched.
func (w *world) changeRoot(i int) {
	r, changed := w.luck.rng, w.studio.roots[i]
	switch plan := &w.plan.roots[i]; r.IntN(4) {
	case 0:
		plan.settle, plan.quiet = pick(r, time.Second, 5*time.Second), pick(r, 5*time.Second, 30*time.Second)
		changed.leastQuiet = min(changed.leastQuiet, plan.quiet)
	case 1:
		changed.turns = append(changed.turns, turn{changed.turnSince, time.Now(), plan.frames})
		changed.turnSince = time.Now()
		if plan.frames = when(plan.frames == 0, pick(r, 3, 5)); plan.frames > 0 {
			w.studio.turnHas(changed, plan.frames)
		}
	case 2:
		if plan.marker != "" && chance(r, 0.5) { // else they lie there when it is named again
			w.studio.removeAll(changed, plan.marker)
		}
		plan.marker = when(plan.marker == "", markerName)
		changed.marks = false
	case 3:
		plan.onRemove = pick(r, "keep", "delete")
		if plan.onRemove == "delete" && changed.deletes.IsZero() {
			changed.deletes = time.Now()
		}
	}
	changed.rootPlan = w.plan.roots[i]
}

// changeOrder has a person write into sync.toml that the photos of a root go by their names, or by the
// numbers in them. Some stop the program for that, others have it read the file again.
func (w *world) changeOrder() {
	rng := random(w.seed, "order")
	i := rng.IntN(len(w.studio.roots))
	l, root := w.current.Load(), w.studio.roots[i]
	if l.isOver() || root.away {
		return
	}
	change := func() {
		root.order = cmp.Or(when(root.order == "name", "natural"), "name")
		w.plan.roots[i].order, root.sorted = root.order, time.Now()
		w.trace.add("%s is in the order %q", root.name, root.order)
		for _, f := range w.studio.folders {
			if f.root == root && f.present {
				w.studio.remember(f, time.Now())
			}
		}
	}
	if chance(rng, 0.5) && l.reloadAfter(change) {
		return
	}
	w.trace.add("life %d is stopped for another order", l.number)
	l.end()
	change()
}

const otherLayout = "sync.toml reads the names of folders in another way"

// catalogue is a project that no folder is named after.
const catalogue = "Catalogue"

// changeLayout has a person write into sync.toml that all folders of a root belong to one project, and
// some time later to another, or each to its own again. The directory above a folder may name its
// manufacturer.
func (w *world) changeLayout() {
	r := random(w.seed, "layout")
	i, layout, projects := r.IntN(len(w.studio.roots)), pick(r, "*/{sku}", "{manufacturer}/{sku}"), []string{catalogue, "Summer"}
	first := r.IntN(len(projects))
	w.readNames(r, i, layout, projects[first])
	w.carryOn(between(r, time.Second, w.plan.chaos), func() {
		if chance(r, 0.5) {
			w.readNames(r, i, "", "")
			return
		}
		w.readNames(r, i, layout, projects[1-first])
	})
}

func (w *world) readNames(r *rand.Rand, i int, layout, project string) {
	l, root := w.current.Load(), w.studio.roots[i]
	if l.isOver() || root.away {
		w.carryOn(time.Second, func() { w.readNames(r, i, layout, project) })
		return
	}
	change := func() {
		root.layout, root.project = layout, project
		w.plan.roots[i].layout, w.plan.roots[i].project = layout, project
		root.among = append(root.among, naming{time.Now(), project})
		w.trace.add("%s has the layout %q and the project %q", root.name, layout, project)
	}
	if chance(r, 0.5) && l.reloadAfter(change) {
		return
	}
	w.trace.add("life %d is stopped for another layout", l.number)
	l.end()
	change()
}

// A naming is the project of all folders of a root from a time on, empty where each names its own.
type naming struct {
	since   time.Time
	project string
}

// isIn reports whether sync.toml had a folder in a project at some time between two.
func (f *folder) isIn(project string, from, until time.Time) bool {
	is := naming{}
	for _, next := range append(slices.Clone(f.root.among), naming{since: until}) {
		if next.since.After(from) && cmp.Or(is.project, path.Dir(f.name)) == project {
			return true
		}
		if is = next; !next.since.Before(until) {
			break
		}
	}
	return false
}

// mayBeIn reports whether sync.toml ever had a folder in a project.
func (f *folder) mayBeIn(project string) bool { return f.isIn(project, time.Time{}, time.Now()) }

// judgeProjects: a product is made in the project that sync.toml gives its folder.
func (w *world) judgeProjects() {
	for _, e := range w.journal {
		wants := func(f *folder) bool { return w.mayBeMadeFor(f, e) }
		if e.Effect == sandbox.ProductCreated && !slices.ContainsFunc(w.studio.folders, wants) {
			w.breaks("product %s was made in the project %s, to which its folder does not belong", e.SKU, w.titleOf(e.Project))
		}
	}
}

// mayBeMadeFor reports whether sync.toml had a folder in the project in which a product of its SKU was made, or
// had it there until the request was on its way.
func (w *world) mayBeMadeFor(f *folder, made sandbox.Entry) bool {
	const onItsWay = 10 * time.Second
	sent := w.calls.asked(made)
	return f.sku() == made.SKU && f.isIn(w.titleOf(made.Project), sent.Add(-onItsWay), sent)
}

// removeAll removes the files of one name from the folders of a root.
func (s *studio) removeAll(r *root, name string) {
	for _, f := range s.folders {
		if f.root == r && f.files[name] != nil {
			s.remove(f, name)
		}
	}
}

// turnHas has so many frames shot of each folder of a root from now on.
func (s *studio) turnHas(r *root, frames int) {
	for _, f := range s.folders {
		if f.root == r {
			f.wanted = frames
		}
	}
}

// unwatchRoot has a person stop the program and take one of several roots out of sync.toml, and write it
// in again some time later.
func (w *world) unwatchRoot() {
	i := w.luck.rng.IntN(len(w.plan.roots))
	if len(w.plan.roots) == 1 || slices.ContainsFunc(w.plan.roots, func(r rootPlan) bool { return r.unwatched }) || !w.watchRoot(i, false) {
		return
	}
	w.carryOn(between(w.luck.rng, time.Second, w.plan.chaos/2), func() { w.watchAgain(i) })
}

func (w *world) watchAgain(i int) {
	if !w.watchRoot(i, true) {
		w.carryOn(time.Second, func() { w.watchAgain(i) })
	}
}

// watchRoot starts the program with a root in sync.toml or without it, and reports whether it ran.
func (w *world) watchRoot(i int, watched bool) bool {
	l := w.current.Load()
	if l.isOver() {
		return false
	}
	change := func() {
		w.plan.roots[i].unwatched = !watched
		w.studio.roots[i].watch(watched)
	}
	if chance(random(w.seed, "unwatching"), 0.5) && l.reloadAfter(change) {
		w.trace.add("life %d reads sync.toml again, and %s is in it: %v", l.number, w.plan.roots[i].name, watched)
		return true
	}
	w.trace.add("life %d is stopped, and %s is in sync.toml: %v", l.number, w.plan.roots[i].name, watched)
	l.end()
	change()
	return true
}

// watch notes that a root is in sync.toml from now on, or is not.
func (r *root) watch(watched bool) {
	if r.unwatched = !watched; r.unwatched {
		r.unwatchings = append(r.unwatchings, span{from: time.Now()})
		return
	}
	r.unwatchings[len(r.unwatchings)-1].until = time.Now()
}

// wasUnwatched reports whether a root was not in sync.toml at a time.
func (r *root) wasUnwatched(at time.Time) bool {
	return slices.ContainsFunc(r.unwatchings, func(s span) bool {
		return s.from.Before(at) && (s.until.IsZero() || s.until.After(at))
	})
}

// guestFile begins the name of each file of a guest.
const guestFile = "guest_"

// inviteGuest has somebody who may write to one folder put things there for a while that a program
// could wait for, or read for ever.
func (w *world) inviteGuest() {
	f := pick(w.luck.rng, w.studio.folders...)
	if f.root.away || !f.present || w.luck.guest {
		return
	}
	w.luck.guest = true
	w.trace.add("%s: a guest puts files there", f.name)
	w.studio.must(makePipe(f.path(guestFile + "pipe.jpg")))
	heads := map[string][]byte{"huge.jpg": smallJPEG[:len(smallJPEG)-2], "huge.tif": []byte("II*\x00\x08\x00\x00\x00")}
	for _, file := range slices.Sorted(maps.Keys(heads)) {
		name := f.path(guestFile + file)
		w.studio.must(os.WriteFile(name, heads[file], 0o644))
		w.studio.must(os.Truncate(name, 1<<36))
		w.studio.must(os.Chtimes(name, time.Now(), time.Now()))
	}
	w.studio.must(os.Chtimes(f.path(guestFile+"pipe.jpg"), time.Now(), time.Now()))
	w.studio.changed(f)
	w.carryOn(between(w.luck.rng, 10*time.Second, 10*time.Minute), w.dismissGuest)
}

// dismissGuest removes what a guest left, wherever its folder is by then.
func (w *world) dismissGuest() {
	if slices.ContainsFunc(w.studio.roots, func(r *root) bool { return r.away }) {
		w.carryOn(time.Second, w.dismissGuest)
		return
	}
	for _, f := range w.studio.folders {
		entries, err := os.ReadDir(f.path(""))
		if err != nil {
			continue
		}
		if left := slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !isGuests(e.Name()) }); len(left) > 0 {
			for _, e := range left {
				w.studio.must(os.Remove(filepath.Join(f.path(""), e.Name())))
			}
			w.studio.changed(f)
			w.trace.add("%s: the files of the guest are removed", f.name)
		}
	}
	w.luck.guest, w.luck.guestLeft = false, time.Now()
}

// A folder belongs to the project that sync.toml gives its root, or to that of its own name, at each time.
func TestProjectsOfAFolder(t *testing.T) {
	now := time.Now()
	at := func(minute int) time.Time { return now.Add(time.Duration(minute) * time.Minute) }
	f := &folder{name: "Winter/SKU-1", root: &root{among: []naming{{at(2), "Summer"}, {at(4), ""}}}}
	for _, test := range []struct {
		from, until int
		want        string
	}{
		{0, 1, "Winter"}, {1, 3, "Winter Summer"}, {3, 3, "Summer"}, {3, 5, "Winter Summer"}, {5, 6, "Winter"},
	} {
		var in []string
		for _, project := range []string{"Winter", "Summer"} {
			if f.isIn(project, at(test.from), at(test.until)) {
				in = append(in, project)
			}
		}
		if got := strings.Join(in, " "); got != test.want {
			t.Errorf("from minute %d to %d it is in %q, not in %q", test.from, test.until, got, test.want)
		}
	}
}

// A folder of a backup goes on in another project only with a view of its own, made while sync.toml had it there.
func TestGoesOnInAnotherProject(t *testing.T) {
	now := time.Now()
	at := func(minute int) time.Time { return now.Add(time.Duration(minute) * time.Minute) }
	var unknown sandbox.Product
	unknown.SKU, unknown.Project = "SKU-1", "c"
	for name, test := range map[string]struct {
		from, made int // of the time that is lost; of the other view
		in, owner  string
		want       bool
	}{
		"it got its view there":                 {1, 8, "s", "other", true},
		"it got it in the same project":         {1, 5, "c", "other", false},
		"it was not there":                      {1, 8, "w", "other", false},
		"it was there only later":               {1, 5, "s", "other", false},
		"it got its view in that time":          {1, 2, "s", "other", false},
		"another view is its own":               {1, 8, "s", "third", false},
		"the whole file was lost, and compared": {0, 8, "s", "other", false},
	} {
		f := &folder{name: "Summer/SKU-1", root: &root{among: []naming{{at(3), catalogue}, {at(6), ""}}}}
		w := &world{trace: trace{began: now}}
		w.luck.lost = lostTime{at(test.from), at(4)}
		w.calls.names = map[string]string{"c": catalogue, "s": "Summer", "w": "Winter"}
		w.journal = []sandbox.Entry{{Effect: sandbox.ProductCreated, Time: at(test.made), Product: "other", SKU: "SKU-1", Project: test.in}}
		if got := w.wentOnElsewhere(f, unknown, map[string]bool{test.owner: true}); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
