package simulation

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/servicetest"
	"spinsync/syncstate"
)

// A misfortune is what befalls a studio once in a day, if at all. It is apart from the deeds, so
// that another one leaves the rest of each day as it was.
type misfortune struct {
	name   string
	strike func(w *world)
}

var misfortunes = []misfortune{
	{"the disk of the state file is full", (*world).fillDisk},
	{"a file cannot be read", (*world).spoilFile},
	{"the clock is set back", (*world).setClockBack},
	{"a view is removed", (*world).removeView},
	{"a project is removed", (*world).removeProject},
	{"a folder gets into another project", (*world).moveToOtherProject},
	{"the state file comes from a backup", (*world).restoreBackup},
	{"the state file is lost", (*world).loseStateFile},
	{"something is deleted into a trash", (*world).trash},
	{"a photo is taken off the disk", (*world).evict},
	{"another program holds a file", (*world).holdFile},
	{"a server of a branch is silent", (*world).silenceBranch},
	{"product.toml is saved slowly", (*world).saveCountSlowly},
	{"an alt text is saved slowly", (*world).saveTextSlowly},
	{"a folder gets into another root", (*world).moveToOtherRoot},
	{"a root gets another path", (*world).renameRoot},
	{"photos are numbered anew", (*world).renumber},
	{"a drive tells one time until a file is closed", (*world).copyUnderOneTime},
	{"a picture is added to a view", (*world).addPicture},
	{"a person says much", (*world).sayMuch},
	{accountChanges, (*world).changeAccount},
	{"sync.toml watches a root in another way", (*world).changeSettings},
	{"a root is not watched for a while", (*world).unwatchRoot},
	{"a guest writes to a folder", (*world).inviteGuest},
	{"a power cut spoils a photo", (*world).spoilPhoto},
}

// laterMisfortunes are drawn each by itself, so that another one leaves the days as they were.
var laterMisfortunes = []misfortune{
	{"products.csv is saved slowly", (*world).saveListSlowly},
	{"sync.toml orders the photos in another way", (*world).changeOrder},
	{"a set is shot anew before it is live", (*world).shootTwice},
	{"a paused folder is away for a moment", (*world).takeAwayPaused},
	{"another shoot begins after retry --as-is", (*world).shootAfterWord},
	{"a folder is renamed, and a photo saved", (*world).renameAndSave},
	{sleeping, (*world).sleepOnce},
	{otherLayout, (*world).changeLayout},
	{guestWrites, (*world).haveGuestWrite},
}

// luck is what misfortunes are drawn from, and what they have left behind.
type luck struct {
	rng     *rand.Rand    // only the driver draws from it
	setBack time.Duration // of the clock, at the next start
	rest    time.Duration // before the next start, beside what it takes anyway
	backup  time.Time     // when the state file was copied
	lost    lostTime
	before  lostTime        // of the account that was at work in the lost time
	removed map[string]bool // products, by people

	fileLost bool // the state file, until the next start
	passes   bool // the next life is a sync

	guest     bool      // there are files of one
	guestLeft time.Time // when those of the last one were removed
	secret    string    // SHA-256 of a photo that is not for publication; empty for none

	half string // of an alt text that was being written, and never at rest; empty for none

	mu      sync.Mutex
	full    time.Time // until then the disk of the state file is
	spoiled []spoiled
}

// spoiled is a path that cannot be read for a while, and nothing below it.
type spoiled struct {
	path  string
	until time.Time
	err   error
}

func (s swarm) misfortunes() []misfortune {
	return slices.DeleteFunc(slices.Clone(misfortunes), func(m misfortune) bool { return !s.has(m.name) })
}

func (s swarm) laterMisfortunes() []misfortune {
	return slices.DeleteFunc(slices.Clone(laterMisfortunes), func(m misfortune) bool { return !s.has(m.name) })
}

func (w *world) planMisfortunes() {
	for _, m := range w.plan.misfortunes {
		w.after(between(w.luck.rng, 0, w.plan.chaos), func() { m.strike(w) })
	}
	for _, m := range w.plan.faults.laterMisfortunes() {
		w.after(between(random(w.seed, m.name), 0, w.plan.chaos), func() { m.strike(w) })
	}
}

// planReloads has sync.toml read again in some of the days.
func (w *world) planReloads() {
	r := random(w.seed, "reloads")
	if !chance(r, 0.3) {
		return
	}
	for range 1 + r.IntN(4) {
		w.after(between(r, 0, w.plan.chaos), func() { w.current.Load().reload() })
	}
}

// end mends what does not end by itself soon.
func (l *luck) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.full = time.Time{}
	l.spoiled = nil
}

func (w *world) fillDisk() {
	d := between(w.luck.rng, time.Second, 2*time.Minute)
	w.trace.add("the disk of the state file is full for %s", d.Round(time.Millisecond))
	w.luck.mu.Lock()
	defer w.luck.mu.Unlock()
	w.luck.full = time.Now().Add(d)
}

func (w *world) diskIsFull() bool {
	w.luck.mu.Lock()
	defer w.luck.mu.Unlock()
	return time.Now().Before(w.luck.full)
}

// spoilFile makes what lies at the place of a frame unreadable for a while, whatever is written
// there.
func (w *world) spoilFile() { w.spoilFrame(syscall.EIO, 3*time.Minute) }

// holdFile has another program hold a frame without sharing it.
func (w *world) holdFile() { w.spoilFrame(syscall.EBUSY, 10*time.Minute) }

func (w *world) spoilFrame(err error, most time.Duration) {
	f := pick(w.luck.rng, w.studio.folders...)
	w.spoilPath(f.path(f.frameName(w.luck.rng.IntN(f.wanted))), err, most)
}

// silenceBranch has the server of a part of a root not answer, in the words of Windows, where such
// an error is an fs.ErrNotExist.
func (w *world) silenceBranch() {
	f := pick(w.luck.rng, w.studio.folders...)
	w.spoilPath(filepath.Dir(f.path("")), fmt.Errorf("bad network path: %w", fs.ErrNotExist), 10*time.Minute)
}

func (w *world) spoilPath(name string, err error, most time.Duration) {
	d := between(w.luck.rng, time.Second, most)
	w.trace.add("%s cannot be read for %s: %v", strings.TrimPrefix(name, w.dir), d.Round(time.Millisecond), err)
	w.luck.mu.Lock()
	defer w.luck.mu.Unlock()
	w.luck.spoiled = append(w.luck.spoiled, spoiled{name, time.Now().Add(d), err})
}

func (w *world) spoilReading(name string) error {
	w.luck.mu.Lock()
	defer w.luck.mu.Unlock()
	for _, s := range w.luck.spoiled {
		if (name == s.path || strings.HasPrefix(name, s.path+"/")) && time.Now().Before(s.until) {
			return &fs.PathError{Op: "read", Path: name, Err: s.err}
		}
	}
	return nil
}

// setClockBack kills the program, and has the clock set back before the next start.
func (w *world) setClockBack() {
	if l := w.current.Load(); !l.isOver() {
		w.luck.setBack = between(w.luck.rng, time.Minute, 48*time.Hour)
		l.kill("and the clock set back by " + w.luck.setBack.Round(time.Second).String())
	}
}

// setBack makes a state file what it would be if the clock had been ahead until now: a bubble's own
// clock only goes on. What others told the times of, the service and the files, stays.
func (w *world) setBack(state string) {
	ahead := w.luck.setBack
	w.luck.setBack = 0
	if ahead == 0 {
		return
	}
	store, err := syncstate.Open(state, w.account())
	w.studio.must(err)
	defer store.Close()
	for key := range store.Heads() {
		w.studio.must(store.Update(key, func(r *syncstate.Record) error { shift(reflect.ValueOf(r), ahead); return nil }))
	}
	for _, title := range []string{"Summer", "Winter", catalogue} {
		w.studio.must(store.UpdateProject(title, func(r *syncstate.ProjectRecord) error { shift(reflect.ValueOf(r), ahead); return nil }))
	}
}

// shift adds to all times that were read from the clock.
func shift(v reflect.Value, d time.Duration) {
	switch value := v.Interface().(type) {
	case syncstate.File, syncstate.Form, []syncstate.Frame, []syncstate.RunFrame:
		return
	case time.Time:
		if !value.IsZero() {
			v.Set(reflect.ValueOf(value.Add(d)))
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			shift(v.Elem(), d)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			shift(v.Field(i), d)
		}
	}
}

// lostTime is what a state file from a backup knows nothing of.
type lostTime struct{ from, until time.Time }

func (l lostTime) holds(t time.Time) bool { return t.After(l.from) && t.Before(l.until) }

// restoreBackup has a person copy the state file, of the program that runs or was stopped for it, and
// some time later stop the program, put the copy in place, and start it when everything that was asked
// for meanwhile is in the service's lists: what is in none nobody could know of.
func (w *world) restoreBackup() {
	backup := pick(random(w.seed, "backup"), w.makeBackup, w.copyRunning)
	if backup() {
		w.after(between(w.luck.rng, time.Second, 2*time.Minute), w.putBack)
	}
}

// makeBackup has a person stop the program and copy its state file, and reports whether it ran.
func (w *world) makeBackup() bool {
	l := w.current.Load()
	if l.isOver() {
		return false
	}
	w.trace.add("life %d is stopped for a backup", l.number)
	l.end()
	w.studio.must(copyFile(w.backupFile(), l.state))
	w.luck.backup = time.Now()
	return true
}

// copyRunning copies the state file of a program that runs, and reports whether it does.
func (w *world) copyRunning() bool {
	l := w.current.Load()
	if l.isOver() {
		return false
	}
	w.disk.Lock()
	defer w.disk.Unlock()
	w.trace.add("the state file of life %d is copied", l.number)
	w.studio.must(copyFile(w.backupFile(), l.state))
	w.luck.backup = time.Now()
	return true
}

func (w *world) backupFile() string { return filepath.Join(w.dir, "state", "backup.db") }

// loseStateFile has a person stop the program and remove its state file.
func (w *world) loseStateFile() {
	l := w.current.Load()
	if l.isOver() || !w.luck.lost.until.IsZero() {
		return
	}
	w.trace.add("life %d is stopped, its state file removed", l.number)
	l.end()
	w.studio.must(os.Remove(l.state))
	w.luck.fileLost = true
	w.forget(w.trace.began)
}

const longestDelay = 80 * time.Second // of a request

// putBack has a person stop the program and put the copy in the place of its state file.
func (w *world) putBack() {
	l := w.current.Load()
	if l.isOver() || !w.luck.lost.until.IsZero() {
		return
	}
	w.trace.add("life %d is stopped, its state file replaced by the backup", l.number)
	l.end()
	if w.hasLaterForm(w.backupFile(), w.luck.backup) {
		w.trace.add("the backup is not used")
		return
	}
	w.studio.must(copyFile(l.state, w.backupFile()))
	w.forget(w.luck.backup)
}

// hasLaterForm reports whether a product got another upload form since a backup in which it is
// uploaded. A finish publishes what came under the newest form, and the backup does not know
// that one: docs/state-file.md warns of it.
func (w *world) hasLaterForm(backup string, since time.Time) bool {
	store, err := syncstate.OpenReadOnly(backup, w.account())
	w.studio.must(err)
	defer store.Close()
	for _, record := range store.Heads() {
		run := record.Run
		if run != nil && run.Form != nil && w.calls.changed(record.Product.UUID, since) {
			return true
		}
	}
	return false
}

// forget notes that nothing is known of the time since then, until all that was asked for meanwhile
// is in the service's lists, and the program starts.
func (w *world) forget(since time.Time) {
	w.luck.rest = w.plan.odd.listLag + longestDelay
	w.luck.before, w.luck.lost = w.luck.lost, lostTime{since, time.Now().Add(w.luck.rest)}
}

// removeView lets somebody else delete a product.
func (w *world) removeView() {
	products, err := w.service.Products()
	w.studio.must(err)
	if len(products) == 0 {
		return
	}
	p := pick(w.luck.rng, products...)
	w.luck.removed[p.UUID] = true
	w.trace.add("somebody removes the view of %s", p.SKU)
	w.studio.must(w.person.DeleteProduct(w.t.Context(), p.UUID))
}

// addPicture lets somebody else add a picture to a view, beside those of the folder.
func (w *world) addPicture() {
	products, err := w.service.Products()
	w.studio.must(err)
	products = slices.DeleteFunc(products, func(p sandbox.Product) bool { return len(p.Revisions) == 0 })
	strict, ok := w.service.(*servicetest.Server)
	if !ok || len(products) == 0 {
		return
	}
	p := pick(w.luck.rng, products...)
	w.trace.add("somebody adds a picture to the view of %s", p.SKU)
	strict.AddPicture(p.UUID)
}

// removeProject lets somebody else delete a project and all that is in it.
func (w *world) removeProject() {
	products, err := w.service.Products()
	w.studio.must(err)
	if len(products) == 0 {
		return
	}
	project := pick(w.luck.rng, products...).Project
	for _, p := range products {
		if p.Project == project {
			w.luck.removed[p.UUID] = true
		}
	}
	w.trace.add("somebody removes project %s", w.titleOf(project))
	w.studio.must(w.service.RemoveProject(project))
}

// titleOf is the title of a project.
func (w *world) titleOf(project string) string {
	w.calls.mu.Lock()
	defer w.calls.mu.Unlock()
	return w.name(project)
}

func (w *world) moveToOtherProject() {
	f := pick(w.luck.rng, w.studio.folders...)
	if f.root.away || !f.present {
		return
	}
	project := "Summer"
	if strings.HasPrefix(f.name, project) {
		project = "Winter"
	}
	to := w.studio.folder(f.root, path.Join(project, path.Base(f.name)))
	if !w.isTaken(to) {
		w.studio.moveFolder(f, to)
		w.trace.add("%s becomes %s", f.name, to.name)
	}
}

// moveToOtherRoot moves a folder to another root, under another name: in both roots a name stands for
// the same product.
func (w *world) moveToOtherRoot() {
	f, other := pick(w.luck.rng, w.studio.folders...), pick(w.luck.rng, w.studio.roots...)
	if f.root.away || !f.present || other.away || other == f.root || other.unwatched || other.frames > 0 || other.marker != f.root.marker || other.order != f.root.order || other.numbered != f.root.numbered {
		return
	}
	to := w.studio.folder(other, f.name+elsewhereSuffix)
	if !w.isTaken(to) {
		w.studio.moveFolder(f, to)
		w.trace.add("%s becomes %s of %s", f.name, to.name, path.Base(other.path))
	}
}

// renameRoot has a person stop the program, give a root another path, and write that into sync.toml.
func (w *world) renameRoot() {
	i := w.luck.rng.IntN(len(w.studio.roots))
	l, r := w.current.Load(), w.studio.roots[i]
	if l.isOver() || r.away {
		return
	}
	w.trace.add("life %d is stopped, and %s gets another path", l.number, r.name)
	l.end()
	from := r.path
	r.name += "-b"
	r.path, r.moved = filepath.Join(w.dir, r.name), time.Now()
	w.studio.must(os.Rename(from, r.path))
	w.plan.roots[i].name = r.name
	trashed := map[string]*content{}
	for name, c := range w.studio.trashed {
		if below, err := filepath.Rel(from, name); err == nil && filepath.IsLocal(below) {
			name = filepath.Join(r.path, below)
		}
		trashed[name] = c
	}
	w.studio.trashed = trashed
}

// renumber has a person take out a photo, or put one in, and renumber those behind it. Somebody has
// written on one of the images before.
func (w *world) renumber() {
	f, r := pick(w.luck.rng, w.studio.folders...), w.luck.rng
	w.describeRemotely(f)
	from := r.IntN(f.wanted)
	last := from
	for f.files[f.frameName(last)] != nil && f.files[f.frameName(last)].whole {
		last++
	}
	switch {
	case f.root.away || last == from:
		return
	case chance(r, 0.5):
		w.trace.add("%s: %s is taken out, and those behind it get its place", f.name, f.frameName(from))
		w.studio.remove(f, f.frameName(from))
		for i := from + 1; i < last; i++ {
			w.studio.rename(f, f.frameName(i), f.frameName(i-1))
		}
	case f.files[f.frameName(last)] == nil && last < 9:
		w.trace.add("%s: a photo comes before %s", f.name, f.frameName(from))
		for i := last - 1; i >= from; i-- {
			w.studio.rename(f, f.frameName(i), f.frameName(i+1))
		}
		w.studio.put(f, f.frameName(from), w.studio.photoOf(900))
	}
}

// shootTwice has a set photographed, and slowly photographed anew at once. The line may be cut until some
// time in the second shoot.
func (w *world) shootTwice() {
	f, r := pick(w.luck.rng, w.studio.folders...), w.luck.rng
	if f.root.away || !f.present && w.isTaken(f) {
		return
	}
	if !f.present {
		w.studio.makeFolder(f)
	}
	w.trace.add("%s: %d photos are taken, and then others in their place", f.name, f.wanted)
	// The first set is seen: a drive without events is read every few seconds.
	at := f.root.settle + between(r, 10*time.Second, 20*time.Second)
	if long := between(r, at, at+time.Minute); chance(r, 0.7) {
		w.network.cut(w.current.Load(), long)
	}
	w.takeAll(f)
	for i := range f.wanted {
		w.carryOn(at, func() { w.takeAgain(f, i) })
		at += between(r, time.Second, 20*time.Second)
	}
	f.poses(at)
}

// renameAndSave has a folder get another name, and one of its photos saved at about the same time.
func (w *world) renameAndSave() {
	f, r := pick(w.luck.rng, w.studio.folders...), w.luck.rng
	to := w.studio.folder(f.root, unmoved(f.name)+movedSuffix)
	rename := func() {
		if !f.root.away && f.present && !w.isTaken(to) {
			w.renameFolder(f)
		}
	}
	save := func(f *folder) {
		if !f.root.away && f.present {
			w.rewrite(f)
		}
	}
	later := between(r, 0, f.root.quiet)
	if chance(r, 0.5) {
		save(f)
		w.carryOn(later, rename)
		return
	}
	rename()
	w.carryOn(later, func() { save(to) })
}

// takeAll puts photos of another shoot in the place of all that a folder has.
func (w *world) takeAll(f *folder) {
	w.begin(f)
	for i := range f.wanted {
		w.takeOne(f, i)
	}
}

// takeOne puts a photo of the shoot that goes on in the place of another one. Each photo has its own size,
// because the judge knows a renamed photo by its size and time.
func (w *world) takeOne(f *folder, i int) {
	name, photo := f.frameName(i), w.studio.photoOf(900+i)
	photo.shoot = f.shoot
	w.studio.put(f, name, photo)
	w.trace.add("%s: %s is taken", f.name, name)
}

// takeAgain puts a photo in the place of another one. The first begins another shoot, unless its place was
// empty: then nothing tells it from the one photo that was missing.
func (w *world) takeAgain(f *folder, i int) {
	if f.root.away || !f.present {
		return
	}
	if i == 0 && f.files[f.frameName(i)] != nil {
		w.begin(f)
	}
	w.takeOne(f, i)
}

// copyUnderOneTime has a program set the length of a photo first and write it piece by piece, on a drive
// that tells the same time all the while.
func (w *world) copyUnderOneTime() {
	f, r := pick(w.luck.rng, w.studio.folders...), w.luck.rng
	if f.root.away || !f.present {
		return
	}
	name, photo, opened := f.frameName(r.IntN(f.wanted)), w.studio.photoOf(5_000), time.Now()
	w.trace.add("%s: %s is copied under one time", f.name, name)
	pieces, step := 2+r.IntN(6), between(r, time.Second, 6*time.Second)
	var before *content
	for i := range pieces {
		piece := &content{data: make([]byte, len(photo.data))}
		copy(piece.data, photo.data[:len(photo.data)*i/pieces])
		if i == 0 {
			w.studio.putAt(f, name, piece, opened)
			before = piece
			continue
		}
		w.carryOn(time.Duration(i)*step, func() { before = w.writeOn(f, name, before, piece, opened) })
	}
	w.carryOn(45*time.Second, func() { w.writeOn(f, name, before, photo, opened) })
}

// writeOn writes the next piece of a file under its old time, unless another file lies there.
func (w *world) writeOn(f *folder, name string, before, next *content, opened time.Time) *content {
	if f.root.away || f.files[name] != before {
		return before
	}
	w.studio.putAt(f, name, next, opened)
	return next
}

// spoilPhoto has a power cut empty a photo under its old size and time. Another one of the folder is shot
// again, so that all of them are to be sent.
func (w *world) spoilPhoto() {
	f, r := pick(w.luck.rng, w.studio.folders...), w.luck.rng
	name, other := f.frameName(r.IntN(f.wanted)), f.frameName(r.IntN(f.wanted))
	photo := f.files[name]
	if f.root.away || photo == nil || !photo.whole {
		return
	}
	w.trace.add("%s: %s is spoilt, and %s shot again", f.name, name, other)
	spoilt := &content{data: make([]byte, len(photo.data))}
	w.studio.putAt(f, name, spoilt, photo.modified)
	w.studio.stamps[stampOf(f, name, spoilt)] = photo.sum // as it was recorded
	if other != name {
		w.studio.put(f, other, w.studio.photoOf(900))
	}
}

// isWatched reports whether a path is that of a root, and not the one that it had.
func (w *world) isWatched(path string) bool {
	return slices.ContainsFunc(w.studio.roots, func(r *root) bool { return r.path == path })
}

// trash has a person delete a folder, or a frame, by means of a program or a file server that keeps
// what is deleted below the root.
func (w *world) trash() {
	f := pick(w.luck.rng, w.studio.folders...)
	bin := pick(w.luck.rng, ".recycle/", ".Trash-1000/", "#recycle/", "Summer/.") + path.Base(f.name)
	if f.root.away || !f.present || len(f.files) == 0 || w.luck.guest {
		return
	}
	names := slices.Sorted(maps.Keys(f.files))
	if chance(w.luck.rng, 0.3) {
		names = names[:1]
	}
	w.studio.trash(f, bin, names)
	w.trace.add("%s: %d of %d files are deleted into %s", f.name, len(names), len(f.files)+len(names), bin)
}

// evict has iCloud take a photo off the disk for a while: a placeholder of long ago stands for it.
func (w *world) evict() {
	f := pick(w.luck.rng, w.studio.folders...)
	name := f.frameName(w.luck.rng.IntN(f.wanted))
	photo := f.files[name]
	if f.root.away || photo == nil || !photo.whole {
		return
	}
	w.trace.add("%s: %s is taken off the disk", f.name, name)
	placeholder := &content{data: []byte("bplist"), off: photo}
	w.studio.putAt(f, placeholderOf(name), placeholder, time.Now().Add(-time.Hour))
	w.studio.remove(f, name)
	w.fetch(name, placeholder)
}

func placeholderOf(name string) string { return "." + name + ".icloud" }

// fetch brings a photo back to the disk, wherever its folder is by then.
func (w *world) fetch(name string, placeholder *content) {
	w.carryOn(between(w.luck.rng, 10*time.Second, 5*time.Minute), func() {
		if w.studio.lends() {
			w.fetch(name, placeholder)
			return
		}
		for _, f := range w.studio.folders {
			switch {
			case f.files[placeholderOf(name)] != placeholder:
			case f.root.away:
				w.fetch(name, placeholder)
			default:
				if f.files[name] == nil {
					w.studio.putAt(f, name, placeholder.off, placeholder.off.modified)
					w.studio.copied[placeholder.off.sum] = true // another file has the photo now
					w.trace.add("%s: %s is on the disk again", f.name, name)
				}
				w.studio.remove(f, placeholderOf(name))
			}
		}
	})
}

// saveSlowly has a person save a file in place with a slow program, which cuts it off and writes it
// piece by piece, and never rests for as long as the settle time. It calls done with the last
// content that was written, and whether that is the whole file.
func (w *world) saveSlowly(f *folder, name string, last *content, pieces []*content, done func(last *content, whole bool)) {
	w.carryOn(between(w.luck.rng, f.root.settle/10, f.root.settle*8/10), func() {
		switch {
		case f.root.away || f.files[name] != last:
			done(last, false)
			return
		case len(pieces) == 0:
			w.trace.add("%s: %s is saved", f.name, name)
			done(last, true)
			return
		}
		w.studio.put(f, name, pieces[0])
		w.trace.add("%s: %s is written further", f.name, name)
		w.saveSlowly(f, name, pieces[0], pieces[1:], done)
	})
}

// saveCountSlowly has product.toml alone tell of a photo more than there are, and one of them shot
// again. While the file is saved, the set is no more complete than before.
func (w *world) saveCountSlowly() {
	f, r := pick(w.luck.rng, w.studio.folders...), w.luck.rng
	name := f.frameName(0)
	if f.root.away || f.root.frames > 0 || f.files[name] == nil {
		return
	}
	count := f.wanted + 1
	said := func(text string) *content { return &content{data: []byte(text), count: count} }
	whole := fmt.Sprintf("frames = %d\n", count)
	first := said(whole)
	w.studio.put(f, "product.toml", first)
	w.studio.put(f, name, w.studio.photoOf(5_000))
	w.trace.add("%s: product.toml says %q, and is saved slowly", f.name, whole)
	pieces := []*content{said("")}
	for lasts := time.Duration(0); lasts < 2*f.root.quiet; lasts += f.root.settle / 3 {
		pieces = append(pieces, said(strings.Repeat("# a comment\n", len(pieces))))
	}
	w.carryOn(between(r, 0, f.root.quiet), func() {
		w.saveSlowly(f, "product.toml", first, append(pieces, said(whole)), func(last *content, whole bool) {
			if !whole {
				last.count = 0 // it lies there for longer than anybody takes to save
			}
			w.unsay(last)
		})
	})
}

// unsay takes a product.toml away again, wherever its folder is by then.
func (w *world) unsay(last *content) {
	w.carryOn(between(w.luck.rng, time.Second, time.Minute), func() {
		if w.studio.lends() {
			w.unsay(last)
			return
		}
		for _, f := range w.studio.folders {
			switch {
			case f.files["product.toml"] != last:
			case f.root.away:
				w.unsay(last)
			default:
				w.studio.remove(f, "product.toml")
				w.trace.add("%s: product.toml is removed", f.name)
			}
		}
	})
}

// saveTextSlowly has an alt text written slowly.
func (w *world) saveTextSlowly() {
	f := pick(w.luck.rng, w.studio.folders...)
	if f.root.away || f.files[f.frameName(0)] == nil {
		return
	}
	sidecar := strings.TrimSuffix(f.frameName(0), ".jpg") + ".de.txt"
	w.luck.half = "half of a text"
	first := &content{}
	w.studio.put(f, sidecar, first)
	w.trace.add("%s: %s is saved slowly", f.name, sidecar)
	var pieces []*content
	for i := range 20 {
		pieces = append(pieces, &content{data: []byte(w.luck.half + strings.Repeat(" ", i))})
	}
	whole := &content{data: []byte(w.luck.half + " and the remainder")}
	w.saveSlowly(f, sidecar, first, append(pieces, whole), func(_ *content, whole bool) {
		if !whole {
			w.luck.half = "" // it lies there for longer than anybody takes to write
		}
	})
}

// halfName is a manufacturer that products.csv names only while it is saved.
const halfName = "Half of a na"

// saveListSlowly has a person save products.csv in place with a slow program, which cuts it off and writes
// it piece by piece, and never rests for as long as any root's settle time.
func (w *world) saveListSlowly() {
	r := pick(random(w.seed, "saved list"), w.studio.roots...)
	if r.list == nil || r.away {
		return
	}
	w.trace.add("%s of %s is saved slowly", listName, r.name)
	whole := r.list.data
	half := bytes.ReplaceAll(whole, []byte(";"+r.listed), []byte(";"+halfName))
	pieces := [][]byte{{}}
	for i := range 20 {
		pieces = append(pieces, append(slices.Clone(half), strings.Repeat("\r\n", i)...))
	}
	w.studio.writeList(r, pieces[0])
	w.saveList(r, r.list, append(pieces[1:], whole), false)
}

// saveList writes the next piece, unless somebody else wrote the list. Where its root was away, a piece lay
// there for longer than anybody takes to save.
func (w *world) saveList(r *root, last *content, pieces [][]byte, rested bool) {
	w.carryOn(between(w.luck.rng, 100*time.Millisecond, 800*time.Millisecond), func() {
		rested = rested || r.away
		switch {
		case r.list != last:
			return
		case r.away:
			w.saveList(r, last, pieces, rested)
			return
		case !rested:
			w.checkNames()
		}
		w.studio.writeList(r, pieces[0])
		if len(pieces) > 1 {
			w.saveList(r, r.list, pieces[1:], rested)
			return
		}
		w.trace.add("%s of %s is saved", listName, r.name)
	})
}

// checkNames: no product gets what products.csv says while it is saved.
func (w *world) checkNames() {
	products, err := w.service.Products()
	w.studio.must(err)
	if slices.ContainsFunc(products, func(p sandbox.Product) bool { return p.Manufacturer == halfName }) {
		w.breaks("a product got the manufacturer %q of a list that was being saved", halfName)
	}
}
