package simulation

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"spinsync/apiclient/sandbox"
	"spinsync/watcher"
)

// drive is what the roots of a day lie on.
func (w *world) drive() watcher.Drive {
	d := watcher.Drive{Spoil: w.spoilReading}
	if w.plan.faults.has(ignoredCase) || w.plan.faults.has(ignoredForm) {
		d.Spelling = w.spelling
	}
	if w.plan.faults.has(oldCache) {
		d.Cache = &w.cache
	}
	return d
}

// isSameName reports whether the drives of a day take two names for the same.
func (w *world) isSameName(a, b string) bool {
	if w.plan.faults.has(ignoredForm) {
		a, b = norm.NFC.String(a), norm.NFC.String(b)
	}
	return a == b || w.plan.faults.has(ignoredCase) && strings.EqualFold(a, b)
}

// spelling is a path as its directories list it, however it is spelled when it is asked for.
func (w *world) spelling(root, below string) string {
	if _, err := os.Lstat(filepath.Join(root, below)); err == nil {
		return below
	}
	at := "."
	for seg := range strings.SplitSeq(below, "/") {
		entries, _ := os.ReadDir(filepath.Join(root, at)) // none, where there is no directory
		isSame := func(e os.DirEntry) bool { return w.isSameName(e.Name(), seg) }
		if i := slices.IndexFunc(entries, isSame); i >= 0 {
			seg = entries[i].Name()
		}
		at = path.Join(at, seg)
	}
	return at
}

// planSpellings has folders renamed by letter case alone in the days whose drives ignore it, and by the form
// of their letters, as where a share is mounted by another program.
func (w *world) planSpellings() {
	w.planSpelling(ignoredCase, inOtherCase)
	w.planSpelling(ignoredForm, inOtherForm)
}

func (w *world) planSpelling(kind string, otherwise func(name string) string) {
	if !w.plan.faults.has(kind) {
		return
	}
	r := random(w.seed, kind)
	for range 1 + r.IntN(5) {
		w.after(between(r, 0, w.plan.chaos), func() { w.spell(pick(r, w.studio.folders...), otherwise) })
	}
}

func (w *world) spell(f *folder, otherwise func(name string) string) {
	if f.root.away || !f.present {
		return
	}
	to := w.studio.folder(f.root, otherwise(f.name))
	w.studio.moveFolder(f, to)
	w.trace.add("%s is spelled %s", f.name, to.name)
}

// inOtherForm is the name of a folder with its letters taken apart, or put together again.
func inOtherForm(name string) string {
	if apart := norm.NFD.String(name); apart != name {
		return apart
	}
	return norm.NFC.String(name)
}

// inOtherCase is the name of a folder in another letter case, or back.
func inOtherCase(name string) string {
	if other := strings.Replace(name, "/SKU", "/sku", 1); other != name {
		return other
	}
	return strings.Replace(name, "/sku", "/SKU", 1)
}

// isTaken reports whether a folder stands at a place, by this name or by one that its drive takes for
// the same.
func (w *world) isTaken(place *folder) bool {
	return slices.ContainsFunc(w.studio.folders, func(f *folder) bool {
		return f.root == place.root && (f.present || f.lent) && w.isSameName(f.name, place.name)
	})
}

// judgeMoves: a folder that gets another name or place keeps its view, also where a few of its photos
// are saved at the same time. Nobody copies a folder here, so that no product is made for photos of
// which half are live. One that was made before may get them: the folder may be back under a name
// that it had with other photos. Where another folder has its old name, that one has its view. Copies,
// and files of a network drive, which has no numbers of files, tell a folder only where all are there.
// So nothing tells it where one of them changes again before the upload of the others begins. Where the
// root got another path, only very files tell it, and only all of them, as docs/state-file.md says.
func (w *world) judgeMoves() {
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
				all := shared(other.Files, e.Files, nil) == max(len(other.Files), len(e.Files))
				most := !w.withoutNumbers() && 2*shared(other.Files, e.Files, w.studio.copied) >= len(other.Files)
				untold := w.isOfMovedRoot(e.SKU, made[e.Product]) && (w.withoutNumbers() || !all) ||
					w.withoutNumbers() && w.studio.changedAsItCame(e.SKU, made[e.Product])
				if (all || most) && made[e.Product].After(other.Time) && !w.studio.replaced(other.SKU, e.Time) && !untold {
					w.breaks("the photos of %s went live a second time as %s", other.SKU, e.SKU)
				}
			}
			live[e.Product] = e
		}
	}
}

// withoutNumbers reports whether files are known without their numbers, as on a network drive.
func (w *world) withoutNumbers() bool { return w.plan.faults.has(oldCache) || w.fleet != nil }

// changedAsItCame reports whether a folder of this SKU changed between the time when it came to its place
// and a later one.
func (s *studio) changedAsItCame(sku string, until time.Time) bool {
	return slices.ContainsFunc(s.folders, func(f *folder) bool {
		return f.sku() == sku && slices.ContainsFunc(f.came, func(came time.Time) bool {
			return slices.ContainsFunc(f.history, func(st state) bool { return st.since.After(came) && st.since.Before(until) })
		})
	})
}

// isOfMovedRoot reports whether a product was made for a folder of this SKU that came to its place after the
// root there had got another path, or before, and the program did not find out in time.
func (w *world) isOfMovedRoot(sku string, made time.Time) bool {
	return slices.ContainsFunc(w.studio.folders, func(f *folder) bool {
		moved := func(came time.Time) bool {
			return !f.root.moved.IsZero() && (came.After(f.root.moved) || made.After(f.root.moved) && !w.notedRename(f.name))
		}
		return strings.EqualFold(f.sku(), sku) && slices.ContainsFunc(f.came, moved)
	})
}

// notedRename reports whether the program found out that a folder was renamed to this name.
func (w *world) notedRename(name string) bool {
	renamed := `msg="the folder was renamed" from=\S+ to=\S+/` + regexp.QuoteMeta(name) + " product="
	return regexp.MustCompile(renamed).MatchString(w.log.String())
}

// replaced reports whether a folder got another name or place, and another one stood in its place before a time.
func (s *studio) replaced(sku string, by time.Time) bool {
	return slices.ContainsFunc(s.folders, func(f *folder) bool {
		return strings.EqualFold(f.sku(), sku) && slices.ContainsFunc(f.left, func(left time.Time) bool {
			return slices.ContainsFunc(f.history, func(st state) bool { return st.present && st.since.After(left) && st.since.Before(by) })
		})
	})
}

// shared counts the files that are among others, without the copies.
func shared(files, others []sandbox.File, copied map[string]bool) (n int) {
	for _, f := range files {
		if !copied[f.SHA256] && slices.ContainsFunc(others, func(o sandbox.File) bool { return o.SHA256 == f.SHA256 }) {
			n++
		}
	}
	return n
}

// A network drive's cache believes for so long, at most, what it heard of a file, and of the names in a
// directory, which is opened to be listed.
const (
	cacheLasts   = 30 * time.Second
	listingLasts = 3 * time.Second
)

// A cache is what the machine remembers of network drives.
type cache struct {
	seed uint64
	dir  string // of the world

	mu    sync.Mutex
	known map[thing]known
}

type thing struct {
	what watcher.Question
	path string
}

// known is what was heard of a thing.
type known struct {
	what  any
	until time.Time
}

// Recall implements watcher.Cache. Whoever hears what a directory lists hears what stands in it, too.
func (c *cache) Recall(what watcher.Question, path string, read func() (any, error)) (any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := thing{what, path}
	if heard, ok := c.known[of]; ok && time.Now().Before(heard.until) {
		return heard.what, nil
	}
	told, err := read()
	if err != nil {
		return nil, err
	}
	r := random(c.seed, fmt.Sprint(strings.TrimPrefix(path, c.dir), what, instant()))
	most := pick(r, time.Second, listingLasts, cacheLasts)
	if what == watcher.Listing {
		most = min(most, listingLasts)
	}
	c.known[of] = known{told, time.Now().Add(between(r, 1, most))}
	if what == watcher.Listing {
		maps.DeleteFunc(c.known, func(of thing, _ known) bool { return of.what == watcher.Standing && filepath.Dir(of.path) == path })
	}
	return told, nil
}

// Forget implements watcher.Cache.
func (c *cache) Forget(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.known, thing{watcher.Entry, path})
	delete(c.known, thing{watcher.Named, path})
}

// clear is for a drive that was away.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.known)
}

// listed are the moments in which a folder had frames of just these names, as a cache may tell until a
// time, and had these very files, and perhaps others, between two: each frame is opened.
func (s *studio) listed(files []sandbox.File, from, to time.Time) (moments []moment) {
	for _, f := range s.folders {
		if !slices.ContainsFunc(f.during(from, to), func(st state) bool { return st.has(files) }) {
			continue
		}
		for _, st := range f.during(from.Add(-listingLasts), to) {
			if slices.EqualFunc(st.frames, files, func(s shot, file sandbox.File) bool { return strings.HasSuffix(file.Name, s.name) }) {
				moments = append(moments, moment{f, st})
			}
		}
	}
	return moments
}

// during are the states of a folder between two instants.
func (f *folder) during(from, to time.Time) (states []state) {
	for i, st := range f.history {
		ended := i+1 < len(f.history) && f.history[i+1].since.Before(from)
		if !ended && !st.since.After(to) {
			states = append(states, st)
		}
	}
	return states
}

// has reports whether a folder had all these files, and perhaps others.
func (st state) has(files []sandbox.File) bool {
	lacks := func(file sandbox.File) bool {
		return !slices.ContainsFunc(st.frames, func(s shot) bool { return s.whole && s.sum == file.SHA256 })
	}
	return st.present && !slices.ContainsFunc(files, lacks)
}

// mayBeUnheard reports whether a folder got its product.toml so short a time before an upload ended that the
// cache of its drive did not list it when the upload began.
func (w *world) mayBeUnheard(m moment, ended time.Time) bool {
	came := m.state.since
	for _, st := range slices.Backward(m.folder.history) {
		if st.said == m.state.said {
			came = st.since
		} else if st.since.Before(came) {
			break
		}
	}
	return w.plan.faults.has(oldCache) && ended.Sub(came) < 2*cacheLasts
}

// A folder that was renamed before its root got another path counts as renamed meanwhile, where the program
// did not find out before it made a product for it.
func TestRenamesBesideANewPath(t *testing.T) {
	now := time.Now()
	at := func(minute int) time.Time { return now.Add(time.Duration(minute) * time.Minute) }
	const noted = `level=INFO msg="the folder was renamed" from=/shoots/Winter/SKU-3 to=/shoots/Summer/SKU-3 product=p` + "\n"
	for name, test := range map[string]struct {
		came, made time.Time
		log        string
		want       bool
	}{
		"after the new path":        {at(6), at(7), "", true},
		"before, and nobody knows":  {at(4), at(7), "", true},
		"before, and it is known":   {at(4), at(7), noted, false},
		"before, as is its product": {at(3), at(4), "", false},
	} {
		f := &folder{name: "Summer/SKU-3", root: &root{moved: at(5)}, came: []time.Time{test.came}}
		w := &world{studio: &studio{folders: []*folder{f}}}
		_, _ = w.log.Write([]byte(test.log))
		if got := w.isOfMovedRoot("SKU-3", test.made); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
