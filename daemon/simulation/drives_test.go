package simulation

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/watcher"
)

// drive is what the roots of a day lie on.
func (w *world) drive() watcher.Drive {
	d := watcher.Drive{Spoil: w.spoilReading}
	if w.plan.faults.has(ignoredCase) {
		d.Spelling = spelling
	}
	return d
}

// spelling is a path as its directories list it, in whatever letter case it is asked for.
func spelling(root, below string) string {
	if _, err := os.Lstat(filepath.Join(root, below)); err == nil {
		return below
	}
	at := "."
	for seg := range strings.SplitSeq(below, "/") {
		entries, _ := os.ReadDir(filepath.Join(root, at)) // none, where there is no directory
		isSame := func(e os.DirEntry) bool { return strings.EqualFold(e.Name(), seg) }
		if i := slices.IndexFunc(entries, isSame); i >= 0 {
			seg = entries[i].Name()
		}
		at = path.Join(at, seg)
	}
	return at
}

// planSpellings has folders renamed by letter case alone in the days whose drives ignore it.
func (w *world) planSpellings() {
	if !w.plan.faults.has(ignoredCase) {
		return
	}
	r := random(w.seed, ignoredCase)
	for range 1 + r.IntN(5) {
		w.after(between(r, 0, w.plan.chaos), func() { w.spellOtherwise(pick(r, w.studio.folders...)) })
	}
}

func (w *world) spellOtherwise(f *folder) {
	if f.root.away || !f.present {
		return
	}
	to := w.studio.folder(f.root, spelledOtherwise(f.name))
	w.studio.moveFolder(f, to)
	w.trace.add("%s is spelled %s", f.name, to.name)
}

// spelledOtherwise is the name of a folder in another letter case, or back.
func spelledOtherwise(name string) string {
	if other := strings.Replace(name, "/SKU", "/sku", 1); other != name {
		return other
	}
	return strings.Replace(name, "/sku", "/SKU", 1)
}

// isTaken reports whether a folder stands at a place, by this name or by one that its drive takes for
// the same.
func (w *world) isTaken(place *folder) bool {
	return slices.ContainsFunc(w.studio.folders, func(f *folder) bool {
		same := f == place || w.plan.faults.has(ignoredCase) && strings.EqualFold(f.name, place.name)
		return f.root == place.root && f.present && same
	})
}

// judgeSpelling: a folder that is renamed by letter case alone keeps its view. Nobody copies a folder
// here, so that no product is made for photos that are live. One that was made before may get them:
// the folder may be back under a name that it had with other photos.
func (w *world) judgeSpelling() {
	if w.plan.faults.has(accountChanges) || !w.luck.lost.from.IsZero() {
		return
	}
	live, made := map[string]sandbox.Entry{}, map[string]time.Time{} // the last revision of each product
	for _, e := range w.journal {
		switch e.Effect {
		case sandbox.ProductCreated:
			made[e.Product] = e.Time
		case sandbox.ProductDeleted:
			delete(live, e.Product)
		case sandbox.ProjectRemoved:
			maps.DeleteFunc(live, func(_ string, other sandbox.Entry) bool { return other.Project == e.Project })
		case sandbox.Uploaded:
			for _, other := range live {
				spelled := other.SKU != e.SKU && strings.EqualFold(other.SKU, e.SKU)
				twice := made[e.Product].After(other.Time) && slices.Equal(sums(other.Files), sums(e.Files))
				if spelled && twice && !w.studio.movedMeanwhile(e.SKU) {
					w.breaks("the photos of %s went live a second time as %s", other.SKU, e.SKU)
				}
			}
			live[e.Product] = e
		}
	}
}

// movedMeanwhile reports whether a folder of this SKU was renamed while its root got another path: before the
// service heard of its new name, or before it was compared at its new path. docs/state-file.md warns of it.
func (s *studio) movedMeanwhile(sku string) bool {
	const meanwhile = 10 * time.Minute
	return slices.ContainsFunc(s.folders, func(f *folder) bool {
		isNear := func(renamed time.Time) bool { return renamed.Sub(f.root.moved).Abs() < meanwhile }
		return strings.EqualFold(f.sku(), sku) && slices.ContainsFunc(f.left, isNear)
	})
}

func sums(files []sandbox.File) (all []string) {
	for _, f := range files {
		all = append(all, f.SHA256)
	}
	return all
}
