package simulation

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// mend ends everything that goes wrong, and what people have begun, and leaves every folder fit to
// be published.
func (w *world) mend() {
	w.trace.add("all is well from now on")
	w.calm.Store(true)
	w.network.cut(nil, 0)
	w.luck.end()
	w.luck.passes = false
	for !w.machine.wakes().IsZero() {
		w.pass(w.machine.wakes().Add(time.Second))
	}
	if l := w.current.Load(); l.passes && !l.isOver() {
		l.end()
	}
	for w.pending > 0 || len(w.agenda) > 0 {
		w.pass(w.agenda[0].at.Add(1))
	}
	w.calmSince = time.Now()
	if !w.awaitActive() {
		return
	}
	for w.current.Load().isDead() || w.current.Load().store.Err() != nil { // it is being opened again
		w.pass(time.Now().Add(time.Second))
	}
	w.resumeAll()
	w.restBesideSpoilt()
	for _, f := range w.studio.folders {
		if f.present {
			w.tidy(f)
		}
	}
}

// restBesideSpoilt makes sure that a folder with a spoilt photo waits for another one. The others may
// still have work for the service.
func (w *world) restBesideSpoilt() {
	spoilt := func(f *folder) bool {
		return f.present && slices.ContainsFunc(slices.Collect(maps.Values(f.files)), func(c *content) bool {
			return len(c.data) > 0 && len(bytes.Trim(c.data, "\x00")) == 0
		})
	}
	if !slices.ContainsFunc(w.studio.folders, spoilt) {
		return
	}
	entered := func() int { return w.current.Load().daemon.Daemon().Status().Generation.Entered }
	w.pass(time.Now().Add(5 * time.Minute))
	before, asked := entered(), w.calls.count()
	w.pass(time.Now().Add(time.Minute))
	if times := entered() - before; times > 30+len(w.studio.folders)+w.calls.count()-asked {
		w.breaks("beside a spoilt photo folders are worked on %d times in a minute", times)
	}
}

// tidy makes a folder complete.
func (w *world) tidy(f *folder) {
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		if !f.files[name].whole && isFrame(name) || strings.HasSuffix(name, ".part") || strings.HasSuffix(name, ".tmp") || strings.HasSuffix(name, ".bak") {
			w.studio.remove(f, name)
		}
	}
	for i := range 10 {
		name := f.frameName(i)
		if i < f.wanted {
			if f.files[name] == nil {
				w.studio.put(f, name, w.studio.photo(w.rng))
			}
			continue
		}
		for _, left := range append(sidecarsOf(name), name) {
			if f.files[left] != nil {
				w.studio.remove(f, left)
			}
		}
	}
	w.mark(f)
}

// A daemon has so long to bring each hundred folders to their end, and a person is asked for help
// at most so often. What waits for a person is looked at once more after ten minutes.
const (
	patience = 33 * time.Minute
	helpings = 3
)

// settle waits until the daemon has brought everything to its end.
func (w *world) settle() {
	enough := patience * time.Duration(1+len(w.studio.folders)/100)
	for range 1 + helpings {
		for until := time.Now().Add(enough); time.Now().Before(until); {
			w.pass(time.Now().Add(5 * time.Second))
			// A guest's text may count as somebody else's after a lost state file, until the folder withdraws it.
			if time.Since(w.luck.guestLeft) >= time.Minute && len(w.unmet()) == 0 {
				w.trace.add("everything is published")
				return
			}
		}
		if !w.help() {
			break
		}
	}
	for _, what := range w.unmet() {
		w.breaks("never came to rest: %s", what)
	}
	for _, r := range w.current.Load().daemon.Daemon().Status().Roots {
		if !r.Online {
			w.breaks("the root %s %s", r.Path, r.Reason)
		}
	}
}

// What a person may be asked for, after refusals that nothing but a person can end.
var reasonable = regexp.MustCompile(", then `spinsync retry [^`]+`$|" +
	"`spinsync retry [^`]+` (tries again$|(looks for one of its title, or )?creates it again)|" +
	"these texts, or send them again with `spinsync retry [^`]+`$|" +
	"check whether a proxy or log-in page answers instead$") // and then does not wait for the next try

// What a person is asked when the state file came from a backup, and the service has a view that no
// folder is known to have.
const whoseIsIt = "a view without a known folder"

// What a person is asked when the state file came from a backup, and the folder was shot again: the
// service has a view of its name, and nothing shows that it is the folder's own.
const whetherToReplace = "a view of this name that spinsync did not publish"

// What a person is asked when nothing tells which of several views is the folder's. Two creates
// without an answer can make two: that of a folder which got another name since, and that of a
// folder which took its old one.
var severalViews = regexp.MustCompile(`(?:views|products) of (?:this name|these photos) \(([^)]+)\)`)

// What a person is asked when somebody else uploaded to the view, at rest or between the last look at it
// and the finish, which the interface leaves open; or when a backup of the state file has an upload under
// way, and the folder was uploaded once more since.
var uploadAgain = regexp.MustCompile("(?:upload again with `spinsync retry [^`]+`|`spinsync retry [^`]+` uploads the folder again)$")

// What a root says after somebody accepted what stood in its place for a while.
var anotherFolder = regexp.MustCompile("another .* than before")

// What a person is asked when several folders went at once, and one of them is not gone for good.
const whetherGone = "delete its view with `spinsync retry "

// What a person is asked when the folder of a view got into another project, and another one has
// come to be where it was.
const twinsApart = "give one of the two another SKU or title in its product.toml"

// namesake finds a folder whose SKU and title some product on the service has.
func (w *world) namesake(key syncstate.Folder) *folder {
	i := slices.IndexFunc(w.studio.folders, func(f *folder) bool { return w.keyOf(f) == key })
	if i < 0 {
		return nil
	}
	products, err := w.service.Products()
	if err != nil {
		w.t.Fatal(err)
	}
	f := w.studio.folders[i]
	title, _, _ := f.says()
	if !slices.ContainsFunc(products, func(p sandbox.Product) bool { return p.SKU == f.sku() && p.Title == title }) {
		return nil
	}
	return f
}

// retitle gives a folder a title that no other has.
func (w *world) retitle(f *folder) {
	w.trace.add("%s: a person tells it from its namesake", f.name)
	f.toldApart = time.Now()
	w.studio.put(f, "product.toml", &content{data: []byte("title = \"Second teapot of " + f.name + "\"\n")})
}

// tellWhose gives the view of a folder's SKU the title that the folder has now. A view that
// another folder is known to have keeps its title: two folders of one SKU may share a project.
func (w *world) tellWhose(key syncstate.Folder) {
	i := slices.IndexFunc(w.studio.folders, func(f *folder) bool { return w.keyOf(f) == key })
	products, err := w.service.Products()
	w.studio.must(err)
	title, _, _ := w.studio.folders[i].says()
	all := w.current.Load().daemon.Daemon().Status().Products
	for _, p := range products {
		others := func(s status.ProductStatus) bool { return s.Product == p.UUID && s.Key() != key }
		if !slices.ContainsFunc(all, others) && p.SKU == norm.NFC.String(path.Base(key.Path)) && w.studio.folders[i].mayBeIn(w.titleOf(p.Project)) {
			w.trace.add("%s: a person gives its view its title", key.Path)
			w.studio.must(w.person.UpdateProduct(w.t.Context(), p.UUID, apiclient.ProductUpdate{Title: &title}))
		}
	}
}

// removeOthers removes all views that a reason names but one.
func (w *world) removeOthers(key syncstate.Folder, reason string) {
	named := severalViews.FindStringSubmatch(reason)[1]
	for _, uuid := range strings.Split(named, ", ")[1:] {
		if w.luck.removed[uuid] {
			continue // two folders may ask for the same
		}
		w.trace.add("%s: a person removes another view of it", key.Path)
		w.luck.removed[uuid] = true
		w.studio.must(w.person.DeleteProduct(w.t.Context(), uuid))
	}
}

// help does what the daemon asks a person for, if that is reasonable.
func (w *world) help() bool {
	helped := false
	l := w.current.Load()
	for _, r := range l.daemon.Daemon().Status().Roots {
		if anotherFolder.MatchString(r.Reason) {
			w.trace.add("a person accepts %s", filepath.Base(r.Path))
			helped = l.daemon.Do(daemon.Retry, syncstate.Folder{Root: r.Path}) == nil || helped
		}
	}
	for _, p := range l.daemon.Daemon().Status().Products {
		switch {
		case p.State == status.Published && w.luck.removed[p.Product]: // which whoever removed it tells
			w.trace.add("%s: a person asks for the view that was removed", p.Folder)
			w.verb(l, l.daemon.Do(daemon.Retry, p.Key()))
			helped = true
			continue
		case p.State == status.Paused: // since before its root got another path
			w.trace.add("%s: a person resumes it", p.Folder)
			w.endPauses()
			w.verb(l, l.daemon.Do(daemon.Resume, p.Key()))
			helped = true
			continue
		case p.State != status.Attention:
			continue
		case p.Cause.Is(status.ViewBehind), p.Cause.Is(status.MayBeOld): // a photo was taken out, or the folder renamed, while no station ran
		case p.Cause.Is(status.ProductGone) && w.isHeld(p.Product):
			w.breaks("%s: %s, and it is there", p.Folder, p.Reason)
			continue
		case strings.HasSuffix(p.Reason, twinsApart):
			if f := w.namesake(p.Key()); f != nil { // nobody could make sense of it otherwise
				w.retitle(f)
				helped = true
			}
			continue
		case strings.Contains(p.Reason, whoseIsIt):
			w.tellWhose(p.Key())
			helped = true
			continue
		case severalViews.MatchString(p.Reason):
			w.removeOthers(p.Key(), p.Reason)
		case (len(w.theirs.photos) > 0 || w.isBackup()) && uploadAgain.MatchString(p.Reason):
		case !strings.Contains(p.Reason, whetherGone) && !strings.Contains(p.Reason, whetherToReplace) && !reasonable.MatchString(p.Reason):
			continue
		}
		w.trace.add("%s: a person helps: %s", p.Folder, p.Reason)
		w.verb(l, l.daemon.Do(daemon.Retry, p.Key()))
		helped = true
	}
	if helped {
		w.helped++
		w.verb(l, l.daemon.Do(daemon.Retry, syncstate.Folder{}))
	}
	return helped
}

// isHeld reports whether the service has a product.
func (w *world) isHeld(product string) bool {
	products, err := w.service.Products()
	w.studio.must(err)
	return slices.ContainsFunc(products, func(p sandbox.Product) bool { return p.UUID == product })
}

// unmet lists what is not yet as it must be in the end.
func (w *world) unmet() []string {
	known := map[syncstate.Folder]status.ProductStatus{}
	for _, p := range w.current.Load().daemon.Daemon().Status().Products {
		known[w.place(p.Key())] = p
	}
	unmet := w.each(known, w.differs)
	if len(unmet) > 0 { // what the service holds is then read in vain
		return unmet
	}
	products, err := w.service.Products()
	w.studio.must(err)
	byUUID := map[string]sandbox.Product{}
	for _, p := range products {
		byUUID[p.UUID] = p
	}
	w.readJournal()
	return w.each(known, func(f *folder, p status.ProductStatus) string {
		if !f.present || p.State != status.Published {
			return ""
		}
		return w.publishedDiffers(f, byUUID[p.Product])
	})
}

// each collects what differs with the folders.
func (w *world) each(known map[syncstate.Folder]status.ProductStatus, differs func(*folder, status.ProductStatus) string) []string {
	var all []string
	for _, f := range w.studio.folders {
		p := known[syncstate.Folder{Root: f.root.path, Path: f.name}]
		if why := differs(f, p); why != "" {
			all = append(all, fmt.Sprintf("%s: %s (%s, %s)", f.name, why, cmp.Or(string(p.State), "unknown"), p.Reason))
		}
	}
	return all
}

// mayNote reports whether a published folder may have these notes and no others.
func (w *world) mayNote(f *folder, p status.ProductStatus) bool {
	notes := p.Cause.Parts
	if !p.Cause.Is(status.WithNotes) {
		notes = []status.Cause{*p.Cause}
	}
	for _, note := range notes {
		switch {
		case note.Kind == status.TextProblems && f.hasOldMarker(note.Text):
		case note.Kind == status.PhotosOf && w.hadPhotosOf(f, note.Name):
		default:
			return false
		}
	}
	return true
}

// hasOldMarker reports whether a folder has a marker that sync.toml does not name any more: the file is
// a text of no frame then.
func (f *folder) hasOldMarker(problem string) bool {
	return f.root.marker == "" && strings.HasPrefix(problem, "done.txt: names no frame")
}

// hadPhotosOf reports whether the photos of a folder were in another place before. Nobody copies a folder
// here: that one got another name, and another folder came to its place.
func (w *world) hadPhotosOf(f *folder, name string) bool {
	photos := f.history[len(f.history)-1].frames
	return slices.ContainsFunc(w.studio.folders, func(other *folder) bool {
		named := name == other.name || strings.HasSuffix(name, "/"+other.name)
		return named && other.hadAndCameAgain(photos)
	})
}

// hadAndCameAgain reports whether a folder of just these photos left its place, and one came there later.
func (f *folder) hadAndCameAgain(photos []shot) bool {
	had, left := false, false
	for _, st := range f.history {
		switch {
		case slices.Equal(sumsOf(st.frames), sumsOf(photos)):
			had, left = true, false
		case !st.present:
			left = had
		case left:
			return true
		}
	}
	return false
}

// sumsOf are the photos of frames, whatever their order.
func sumsOf(frames []shot) (sums []string) {
	for _, s := range frames {
		sums = append(sums, s.sum)
	}
	slices.Sort(sums)
	return sums
}

// differs says what is not as it must be with the status of a folder.
func (w *world) differs(f *folder, p status.ProductStatus) string {
	switch {
	case !f.present:
		return w.goneDiffers(f, p)
	case p.State == "":
		return "is not known"
	case p.State == status.Attention && strings.Contains(p.Reason, "nobody else uploads to this view") && w.seemsOvertaken():
		return ""
	case p.State != status.Published:
		return "is not published"
	case p.Reason != "" && !w.mayNote(f, p):
		return "is published, but"
	}
	return ""
}

// goneDiffers is for places where no folder is. With on_remove = "delete" a single folder that is
// gone takes its view with it. A root without any is not believed, so that its folders stay what
// they were.
func (w *world) goneDiffers(f *folder, p status.ProductStatus) string {
	switch {
	case p.State == "", p.State == status.Missing && (f.root.onRemove == "keep" || p.Product == "" && p.Doubted):
		return ""
	case w.isBound(f):
		return "is gone, and its upload has not ended"
	case w.aloneIn(f), p.State == status.Missing && w.anotherIsEmpty(f.root):
		return ""
	case p.State == status.Attention && f.root.onRemove == "delete" && (w.goneFrom(f.root) > 1 || w.hasNamesake(f)):
		return ""
	}
	return "is gone"
}

// isBound reports whether the upload of a folder must be seen through.
func (w *world) isBound(f *folder) bool {
	head, err := w.current.Load().store.Head(w.keyOf(f))
	return err == nil && head.Run.IsBound()
}

// aloneIn reports whether a root has no other folder. It then counts as a drive that went away, and
// what is known of its folders stays as it was.
func (w *world) aloneIn(f *folder) bool {
	for _, other := range w.studio.folders {
		if other.root == f.root && other.present {
			return false
		}
	}
	return true
}

// anotherIsEmpty reports whether a root beside this one has no folder. It counts as a drive that went
// away, where a folder that is gone may be.
func (w *world) anotherIsEmpty(r *root) bool {
	return slices.ContainsFunc(w.studio.roots, func(other *root) bool {
		return other != r && !slices.ContainsFunc(w.studio.folders, func(f *folder) bool { return f.root == other && f.present })
	})
}

// hasNamesake reports whether another folder stands that has a folder's name, in whatever project.
func (w *world) hasNamesake(f *folder) bool {
	return slices.ContainsFunc(w.studio.folders, func(other *folder) bool {
		return other != f && other.present && other.sku() == f.sku()
	})
}

func (w *world) goneFrom(r *root) int {
	n := 0
	for _, f := range w.studio.folders {
		if f.root == r && !f.present {
			n++
		}
	}
	return n
}

// publishedDiffers holds what the service has against the folder.
func (w *world) publishedDiffers(f *folder, held sandbox.Product) string {
	want := f.history[len(f.history)-1]
	if !held.Status.Finished() || len(held.Revisions) == 0 || len(held.Images) != len(want.frames) {
		return fmt.Sprintf("has %d frames, the service shows %d, %s", len(want.frames), len(held.Images), held.Status.ImageStatus)
	}
	newest := held.Revisions[len(held.Revisions)-1]
	for i, file := range newest.Files {
		if file.SHA256 != want.frames[i].sum {
			return fmt.Sprintf("frame %d is not %s as it is now", i+1, want.frames[i].name)
		}
	}
	for i, image := range held.Images {
		name := want.frames[i].name
		if got, want := fmt.Sprint(image.AltTexts), fmt.Sprint(w.texts(f, held.UUID, name, image)); got != want {
			return fmt.Sprintf("%s has the alt texts %s, not %s", name, got, want)
		}
	}
	title, manufacturer, year := f.says()
	asSaid := held.Title == title && held.SKU == f.sku() && held.Manufacturer == manufacturer && held.Year == year
	if !asSaid && !w.isFromBackup(held.CreatedAt.Time) {
		return fmt.Sprintf("has title %q, SKU %q, manufacturer %q and year %q", held.Title, held.SKU, held.Manufacturer, held.Year)
	}
	return ""
}

// isFromBackup reports whether the state file comes from a backup that knew of a product of this
// time. What the folder is called as the backup tells counts as said to the service then, though the
// service may have heard of another name since.
func (w *world) isFromBackup(created time.Time) bool {
	return w.isBackup() && created.Before(w.luck.lost.from)
}

// says is what the folder's name, the products file and product.toml make of the product.
func (f *folder) says() (title, manufacturer, year string) {
	title = f.sku()
	if strings.Contains(f.root.layout, "{manufacturer}") {
		manufacturer = path.Dir(f.name)
	}
	if f.root.list != nil && slices.Contains(f.root.folders, norm.NFC.String(f.name)) {
		manufacturer = f.root.listed
	}
	if c := f.files["product.toml"]; c != nil {
		key, value, _ := strings.Cut(strings.TrimSpace(string(c.data)), " = ")
		switch value = strings.Trim(value, `"`); key {
		case "title":
			title = norm.NFC.String(value)
		case "manufacturer":
			manufacturer = value
		case "year":
			year = value
		}
	}
	return title, manufacturer, year
}

// texts are the alt texts that an image must have: the folder's, and what others wrote, of which it
// has one. Whose a text is that may have been set in a time that the state file knows nothing of,
// nobody can tell.
func (w *world) texts(f *folder, product, name string, image apiclient.Image) map[string]string {
	texts, held := map[string]string{}, image.AltTexts
	stem := strings.TrimSuffix(name, ".jpg")
	for locale, sidecar := range map[string]string{"en": stem + ".txt", "de": stem + ".de.txt"} {
		if c := f.files[sidecar]; c != nil {
			said := strings.TrimSpace(string(c.data))
			away := held[locale] == "" && w.tookAway(image.ID, locale, said)
			if said != "" && !away {
				texts[locale] = said
			}
		}
		if text := held[locale]; text != "" && !w.luck.lost.until.IsZero() { // it counts as somebody else's
			texts[locale] = text
		}
	}
	if text := w.foreignText(product, name, held["fr"]); text != "" {
		texts["fr"] = text
	}
	return texts
}

// tookAway reports whether somebody took a text of the folder away. A lost state file does not know an
// earlier one for the folder's: once that is taken away, the folder's text waits for the next list.
func (w *world) tookAway(image int64, locale, said string) bool {
	return slices.ContainsFunc(w.removals, func(r removal) bool {
		return r.image == image && r.locale == locale && (r.text == said || !w.luck.lost.until.IsZero())
	})
}

// restWithoutWork makes sure that nothing is done any more once nothing is owed and the last
// delayed request has arrived. A service whose views seem overtaken each time never lets the
// program rest.
func (w *world) restWithoutWork() {
	if w.seemsOvertaken() {
		return
	}
	for w.calls.underWay() {
		w.pass(time.Now().Add(time.Second))
	}
	before, err := w.service.Journal()
	if err != nil {
		w.t.Fatal(err)
	}
	w.pass(time.Now().Add(3 * time.Minute))
	after, err := w.service.Journal()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range after[len(before):] {
		w.breaks("at rest, and yet: %s of %s", e.Effect, e.Title)
	}
}
