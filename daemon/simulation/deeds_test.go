package simulation

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spinsync/daemon"
	"spinsync/syncstate"
)

// planDeeds has every folder photographed, and then something done at random times until the chaos
// ends.
func (w *world) planDeeds() {
	for _, f := range w.studio.folders {
		w.after(between(w.rng, 0, w.plan.chaos/2), func() { w.shoot(f) })
	}
	for at := w.gap(); at < w.plan.chaos; at += w.gap() {
		w.after(at, w.someDeed)
	}
	w.planMisfortunes()
	if w.fleet == nil {
		w.planReloads()
		w.planPasses()
	}
	w.planSpellings()
}

func (w *world) gap() time.Duration {
	return time.Duration(w.rng.ExpFloat64()*float64(w.plan.studio.gap)) + between(w.rng, 0, time.Second)
}

// someDeed does one of all the things that people do, or that happen to machines.
func (w *world) someDeed() {
	r := w.rng
	switch x := r.Float64(); {
	case x < w.plan.studio.kills:
		w.endLife()
		return
	case x < w.plan.studio.kills+w.plan.studio.roots:
		w.troubleRoot(pick(r, w.studio.roots...))
		return
	}
	f := pick(r, w.studio.folders...)
	if f.root.away {
		return
	}
	if !f.present {
		w.shoot(f)
		return
	}
	pick(r, w.deeds()...)(f)
}

func (w *world) deeds() []func(*folder) {
	return []func(*folder){
		w.shoot, w.shoot, w.reshoot, w.reshoot, w.rewrite, w.rewrite, w.rewriteSlowly, w.rewriteSlowly, w.replaceFrame,
		w.removeFrame, w.addFrame, w.touchFrame, w.copyOver, w.swapFrames, w.mark,
		w.describe, w.describe, w.undescribe, w.writeProductFile, w.litter,
		w.renameFolder, w.removeFolder, w.describeRemotely, w.describeRemotely, w.undescribeRemotely, w.cutNetwork, w.useVerbs,
	}
}

// shoot photographs what a set still lacks, one frame after the other.
func (w *world) shoot(f *folder) {
	if f.root.away || !f.present && w.isTaken(f) {
		return
	}
	if !f.present {
		w.studio.makeFolder(f)
	}
	pause := between(w.rng, 50*time.Millisecond, 4*time.Second)
	wait := time.Duration(0)
	defer func() { f.poses(wait) }()
	for i := range f.wanted {
		name := f.frameName(i)
		if f.files[name] == nil {
			w.carryOn(wait, func() { w.shootFrame(f, name) })
			wait += between(w.rng, 1, pause)
		}
	}
	if f.root.marker != "" {
		w.carryOn(wait+between(w.rng, 1, 10*time.Second), func() { w.mark(f) })
	}
	w.trace.add("%s: a set of %d is shot", f.name, f.wanted)
}

// shootFrame writes a frame as one camera program or another does.
func (w *world) shootFrame(f *folder, name string) {
	if f.root.away || !f.present {
		return
	}
	photo := w.studio.photo(w.rng)
	photo.shoot = f.shoot
	switch w.rng.IntN(6) {
	case 5:
		w.writeInOneTick(f, name, photo)
	case 0:
		w.writeInHalves(f, name, photo)
	case 1:
		w.writeByRename(f, name, photo)
	case 2:
		w.writeTwice(f, name, photo)
	default:
		w.studio.put(f, name, photo)
	}
	w.trace.add("%s: %s is written", f.name, name)
}

func (w *world) writeInHalves(f *folder, name string, photo *content) {
	n := 1 + w.rng.IntN(len(photo.data)-1)
	half := &content{data: photo.data[:n:n], rest: photo.data[n:], shoot: photo.shoot}
	w.studio.put(f, name, half)
	w.carryOn(between(w.rng, 100*time.Millisecond, 20*time.Second), func() { w.complete(f, name, half) })
}

// writeTwice writes a whole frame and soon afterwards another one over it, as programs do that add
// metadata. Until then it may have been sent.
func (w *world) writeTwice(f *folder, name string, photo *content) {
	w.studio.put(f, name, photo)
	w.carryOn(w.soon(), func() {
		if !f.root.away && f.files[name] == photo {
			w.studio.put(f, name, w.studio.photoOf(len(photo.data)))
			w.trace.add("%s: %s is written again", f.name, name)
		}
	})
}

// writeInOneTick writes a whole frame and soon afterwards another one of its size over it, before
// the file system's clock has gone on: only what the file holds tells the two apart. Any settle is
// longer than the tick of a clock.
func (w *world) writeInOneTick(f *folder, name string, photo *content) {
	w.studio.put(f, name, photo)
	w.carryOn(between(w.rng, time.Millisecond, 900*time.Millisecond), func() {
		if !f.root.away && f.files[name] == photo && time.Since(photo.modified) < time.Second {
			w.studio.putAt(f, name, w.studio.photoOf(len(photo.data)), photo.modified)
			w.trace.add("%s: %s is written again in one tick", f.name, name)
		}
	})
}

// complete writes the rest of a file, if it is still there. Like one that gets its name, it is of the
// shoot that is going on then: nothing shows that it was begun in an earlier one.
func (w *world) complete(f *folder, name string, half *content) {
	if f.root.away || f.files[name] != half {
		return
	}
	w.studio.put(f, name, &content{data: append(slices.Clone(half.data), half.rest...), whole: true, shoot: f.shoot})
	w.trace.add("%s: %s is completed", f.name, name)
}

func (w *world) writeByRename(f *folder, name string, photo *content) {
	temporary := pick(w.rng, name+".part", "~"+name+".tmp")
	w.studio.put(f, temporary, photo)
	w.carryOn(between(w.rng, 100*time.Millisecond, 20*time.Second), func() {
		if !f.root.away && f.files[temporary] == photo {
			photo.shoot = f.shoot
			w.studio.rename(f, temporary, name)
			w.trace.add("%s: %s gets its name", f.name, name)
		}
	})
}

// begin begins another shoot in a folder.
func (w *world) begin(f *folder) {
	w.studio.shoots++
	f.shoot = w.studio.shoots
}

// slowest is the longest that a camera program takes for a photo.
const slowest = 20 * time.Second

// poses notes that photos of a folder are taken from now on, the last one after so long.
func (f *folder) poses(long time.Duration) {
	if until := time.Now().Add(long + slowest); until.After(f.posing) {
		f.posing = until
	}
}

// reshoot takes all frames of a folder again. That is another shoot, unless one is going on.
func (w *world) reshoot(f *folder) {
	if time.Now().After(f.posing) {
		w.begin(f)
	}
	pause := between(w.rng, 50*time.Millisecond, 3*time.Second)
	wait := time.Duration(0)
	for i := range f.wanted {
		w.carryOn(wait, func() { w.shootFrame(f, f.frameName(i)) })
		wait += between(w.rng, 1, pause)
	}
	f.poses(wait)
	w.trace.add("%s: shot anew", f.name)
}

// someFrame is a whole frame of a folder, or "".
func (w *world) someFrame(f *folder) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		if isFrame(name) && f.files[name].whole {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return pick(w.rng, names...)
}

// onFrame does something with a frame, if there is one.
func (w *world) onFrame(f *folder, what string, do func(name string)) {
	if name := w.someFrame(f); name != "" {
		w.trace.add("%s: %s %s", f.name, name, what)
		do(name)
	}
}

// rewrite gives a frame another content of the same size, in place.
func (w *world) rewrite(f *folder) {
	w.onFrame(f, "is rewritten", func(name string) {
		w.studio.put(f, name, w.studio.photoOf(len(f.files[name].data)))
	})
}

// rewriteSlowly does so in two pieces, so that for a while the file is half old and half new.
func (w *world) rewriteSlowly(f *folder) {
	w.onFrame(f, "is being rewritten", func(name string) {
		next := w.studio.photoOf(len(f.files[name].data))
		mixed := slices.Clone(f.files[name].data)
		copy(mixed, next.data[:len(mixed)/2])
		w.studio.put(f, name, &content{data: mixed, whole: true})
		between := f.files[name]
		w.carryOn(w.soon(), func() {
			if !f.root.away && f.files[name] == between {
				w.studio.put(f, name, next)
				w.trace.add("%s: %s is rewritten", f.name, name)
			}
		})
	})
}

func (w *world) soon() time.Duration { return between(w.rng, time.Millisecond, 3*time.Second) }

func (w *world) replaceFrame(f *folder) {
	w.onFrame(f, "is replaced", func(name string) {
		w.studio.replace(f, name, w.studio.photoOf(len(f.files[name].data)))
	})
}

func (w *world) removeFrame(f *folder) {
	w.onFrame(f, "is removed", func(name string) { w.studio.remove(f, name) })
}

func (w *world) addFrame(f *folder) {
	if f.root.frames == 0 && f.wanted < 8 {
		f.wanted++
	}
	w.shoot(f)
}

func (w *world) touchFrame(f *folder) {
	w.onFrame(f, "is touched", func(name string) {
		w.studio.stamp(f, name, f.files[name])
		w.studio.copied[f.files[name].sum] = true
	})
}

func (w *world) copyOver(f *folder) {
	w.onFrame(f, "is copied over itself", func(name string) {
		same := *f.files[name]
		w.studio.replace(f, name, &same)
		w.studio.copied[same.sum] = true
	})
}

func (w *world) swapFrames(f *folder) {
	w.onFrame(f, "changes places", func(a string) {
		b := w.someFrame(f)
		if a == b {
			return
		}
		w.studio.rename(f, a, "swapped.bak")
		w.studio.rename(f, b, a)
		w.studio.rename(f, "swapped.bak", b)
	})
}

// mark writes the marker of a root that has one.
func (w *world) mark(f *folder) {
	if f.root.marker == "" || f.root.away || !f.present {
		return
	}
	w.studio.put(f, f.root.marker, &content{data: []byte("done")})
	w.trace.add("%s: marked as done", f.name)
}

// describe writes an alt text for a frame, or one after the other in both languages. Some have the
// same words as others.
func (w *world) describe(f *folder) {
	text := func() *content {
		return &content{data: fmt.Appendf(nil, "text %d", w.rng.IntN(pick(w.rng, 1, 1000)))}
	}
	w.onFrame(f, "is described", func(name string) {
		sidecars := sidecarsOf(name)
		if chance(w.rng, 0.4) {
			w.studio.put(f, pick(w.rng, sidecars...), text())
			return
		}
		w.studio.put(f, sidecars[0], text())
		w.carryOn(between(w.rng, 1, 2*f.root.settle), func() {
			if f.present && !f.root.away {
				w.studio.put(f, sidecars[1], text())
			}
		})
	})
}

// sidecarsOf are the files of a frame's alt texts, in English and German.
func sidecarsOf(name string) []string {
	stem := strings.TrimSuffix(name, ".jpg")
	return []string{stem + ".txt", stem + ".de.txt"}
}

func (w *world) undescribe(f *folder) {
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		if strings.HasSuffix(name, ".txt") && name != f.root.marker {
			w.studio.remove(f, name)
			w.trace.add("%s: %s is removed", f.name, name)
			return
		}
	}
}

// writeProductFile says something about the product, or takes it back, or has the products file
// name another manufacturer.
func (w *world) writeProductFile(f *folder) {
	if f.root.list != nil && chance(w.rng, 0.5) {
		w.studio.putList(f.root, pick(w.rng, "Supplier", "Another"))
		w.trace.add("%s of %s names %s", listName, f.root.name, f.root.listed)
		return
	}
	text := pick(w.rng, "", "manufacturer = \"Acme\"\n", "year = 1987\n", "title = \"Teapot of "+f.name+"\"\n", "title = \"Teapot\"\n")
	w.studio.put(f, "product.toml", &content{data: []byte(text)})
	w.trace.add("%s: product.toml says %q", f.name, text)
}

// litter leaves what no program of ours may care about.
func (w *world) litter(f *folder) {
	w.studio.put(f, pick(w.rng, "Thumbs.db", "._frame_01.jpg2", "notes.pdf"), &content{data: []byte("junk")})
}

const movedSuffix = "-moved"

// elsewhereSuffix ends the name of a folder that was moved to another root.
const elsewhereSuffix = "-there"

// unmoved is the name that a folder had before it was renamed.
func unmoved(name string) string { return strings.TrimSuffix(name, movedSuffix) }

// renameFolder moves a folder to another name, or back.
func (w *world) renameFolder(f *folder) {
	to := w.studio.folder(f.root, unmoved(f.name)+movedSuffix)
	if to == f {
		to = w.studio.folder(f.root, unmoved(f.name))
	}
	if !w.isTaken(to) {
		w.studio.moveFolder(f, to)
		w.trace.add("%s becomes %s", f.name, to.name)
	}
}

func (w *world) removeFolder(f *folder) {
	if chance(w.rng, 0.5) {
		w.studio.removeFolder(f)
		w.trace.add("%s is removed", f.name)
	}
}

// troubleRoot takes a root away, swaps it for an empty one, makes it unreadable, or empties it, and
// puts all back after a while.
func (w *world) troubleRoot(r *root) {
	if r.away {
		return
	}
	r.away = true
	aside := filepath.Join(w.dir, "aside-"+r.name)
	how := pick(w.rng, "unmounted", "swapped", "unreadable", "emptied")
	w.trace.add("%s is %s", r.name, how)
	undo, since := w.studio.hide(r, how, aside), time.Now()
	w.cache.clear()
	w.carryOn(between(w.rng, time.Second, 90*time.Second), func() {
		undo()
		w.cache.clear()
		r.away = false
		r.absences = append(r.absences, span{since, time.Now()})
		w.trace.add("%s is back", r.name)
	})
}

// hide makes a root unusable, and returns what puts it right.
func (s *studio) hide(r *root, how, aside string) (undo func()) {
	if how == "emptied" {
		return s.empty(r, aside)
	}
	s.must(os.Rename(r.path, aside))
	switch how {
	case "swapped":
		s.must(os.Mkdir(r.path, 0o755))
	case "unreadable":
		s.must(os.Symlink(r.path, r.path)) // which leads nowhere: too many levels
	}
	return func() {
		if how != "unmounted" {
			s.must(os.Remove(r.path))
		}
		s.must(os.Rename(aside, r.path))
	}
}

func (s *studio) empty(r *root, aside string) (undo func()) {
	s.must(os.Mkdir(aside, 0o755))
	entries, err := os.ReadDir(r.path)
	s.must(err)
	for _, e := range entries {
		s.must(os.Rename(filepath.Join(r.path, e.Name()), filepath.Join(aside, e.Name())))
	}
	s.stampRoot(r)
	return func() {
		for _, e := range entries {
			s.must(os.Rename(filepath.Join(aside, e.Name()), filepath.Join(r.path, e.Name())))
		}
		s.must(os.Remove(aside))
		s.stampRoot(r)
	}
}

func (s *studio) stampRoot(r *root) {
	now := time.Now()
	s.must(os.Chtimes(r.path, now, now))
	s.w.fleet.changed()
}

// cutNetwork unplugs the cable for a while.
func (w *world) cutNetwork(*folder) {
	d := between(w.rng, 2*time.Second, 90*time.Second)
	w.trace.add("the network is down for %s", d.Round(time.Millisecond))
	w.network.cut(w.current.Load(), d)
}

// useVerbs does what the dashboard's buttons do.
func (w *world) useVerbs(f *folder) {
	l := w.current.Load()
	if l.isOver() {
		return
	}
	key := w.keyOf(f)
	switch w.rng.IntN(5) {
	case 0, 1:
		w.trace.add("retry all")
		w.verb(l, l.daemon.Do(daemon.Retry, syncstate.Folder{}))
	case 2:
		w.trace.add("%s: pause", f.name)
		if l.daemon.Do(daemon.Pause, key) == nil {
			w.carryOn(between(w.rng, time.Second, 30*time.Second), func() { w.resumeAll() })
		}
	case 3:
		w.trace.add("pause all")
		w.verb(l, l.daemon.Do(daemon.Pause, syncstate.Folder{}))
		w.carryOn(between(w.rng, time.Second, 30*time.Second), func() { w.resumeAll() })
	case 4:
		verb := daemon.EndPriority
		if chance(w.rng, 0.8) {
			verb = daemon.Prioritize
		}
		w.trace.add("%s: %s", f.name, verb)
		_ = l.daemon.Do(verb, key) // it may not be known yet
	}
}

func (w *world) resumeAll() {
	if l := w.current.Load(); !l.isOver() {
		w.trace.add("resume all")
		w.endPauses()
		w.verb(l, l.daemon.Do(daemon.Resume, syncstate.Folder{}))
	}
}

// verb judges how a verb went. It may fail only with the life.
func (w *world) verb(l *life, err error) {
	if err != nil && l.store.Err() == nil && !l.isOver() && (w.fleet == nil || !w.calmSince.IsZero()) {
		w.breaks("a verb failed: %v", err)
	}
}

// endLife kills the daemon, or stops it and starts it again.
func (w *world) endLife() {
	l := w.current.Load()
	if l.isOver() {
		return
	}
	if chance(w.rng, 0.6) {
		l.kill("just so")
		return
	}
	w.trace.add("life %d is stopped", l.number)
	l.end()
}
