package simulation

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/servicetest"
)

// A foreign text is an alt text that somebody else wrote on an image, in a locale the studio does
// not use.
type foreign struct {
	product, name, text string
	image               int64
	at                  time.Time
	revision            []string       // the names of the frames that the revision has
	files               []sandbox.File // of that revision
	photo               string         // SHA-256
	alone               bool           // it was written where no other text was
	removed             time.Time      // when somebody took it away; zero for never
	from                int64          // the image that it was taken away from
	since               time.Time      // when the last text that was alone, of those taken away with it, was written
}

// A removal is a text that somebody else took away from an image.
type removal struct {
	image        int64
	locale, text string
}

// describeRemotely lets somebody else write an alt text on an image of the newest finished
// revision.
func (w *world) describeRemotely(*folder) {
	products, err := w.service.Products()
	if err != nil {
		w.t.Fatal(err)
	}
	products = slices.DeleteFunc(products, func(p sandbox.Product) bool { return !p.Status.Finished() || len(p.Images) == 0 })
	if len(products) == 0 {
		return
	}
	p := pick(w.rng, products...)
	text := fmt.Sprintf("texte %d", w.rng.IntN(1000))
	if chance(w.rng, 0.3) {
		for i := range p.Images {
			w.describeImage(p, i, text)
		}
		return
	}
	w.describeImage(p, w.rng.IntN(len(p.Images)), text)
}

func (w *world) describeImage(p sandbox.Product, i int, text string) {
	files := p.Revisions[len(p.Revisions)-1].Files
	var names []string
	for _, f := range files {
		names = append(names, localName(f.Name))
	}
	w.setRemotely(p.Images[i], "fr", text)
	w.foreign = append(w.foreign, foreign{
		product: p.UUID, name: names[i], text: text, image: p.Images[i].ID, at: time.Now(),
		revision: names, files: files, photo: files[i].SHA256, alone: p.Images[i].AltTexts["fr"] == "",
	})
	w.trace.add("somebody describes %s of %s", files[i].Name, p.Title)
}

func (w *world) setRemotely(image apiclient.Image, locale, text string) {
	texts := map[string]string{}
	maps.Copy(texts, image.AltTexts)
	texts[locale] = text
	if _, err := w.person.SetAltTexts(w.t.Context(), image.ID, texts); err != nil {
		w.t.Fatal(err)
	}
}

// undescribeRemotely lets somebody else take a text away from an image, of their own or of the folder's.
func (w *world) undescribeRemotely(*folder) {
	products, err := w.service.Products()
	if err != nil {
		w.t.Fatal(err)
	}
	w.readJournal() // which tells what became of the photos since they were described
	for _, p := range products {
		if !p.Status.Finished() || len(p.Revisions) == 0 || len(p.Images) != len(p.Revisions[len(p.Revisions)-1].Files) {
			continue
		}
		for i, image := range p.Images {
			name := localName(p.Revisions[len(p.Revisions)-1].Files[i].Name)
			for _, locale := range slices.Sorted(maps.Keys(image.AltTexts)) {
				text := image.AltTexts[locale]
				if !chance(w.rng, 0.3) || locale == "fr" && !w.takeAway(p.UUID, name, text, image.ID) {
					continue
				}
				w.removals = append(w.removals, removal{image.ID, locale, text})
				w.setRemotely(image, locale, "")
				w.trace.add("somebody takes the text %q away from %s of %s", text, name, p.Title)
				return
			}
		}
	}
}

// takeAway notes that the foreign texts of a frame are taken away from its image, the last of which is this
// one. It reports false where that is another one.
func (w *world) takeAway(product, name, text string, image int64) bool {
	here, since := false, time.Time{}
	is := func(f foreign) bool { return f.product == product && f.removed.IsZero() && w.nameNow(f) == name }
	for _, f := range w.foreign {
		if is(f) {
			here = f.text == text
			if f.alone {
				since = f.at
			}
		}
	}
	for i := range w.foreign {
		if here && is(w.foreign[i]) {
			w.foreign[i].removed, w.foreign[i].since, w.foreign[i].from = time.Now(), since, image
		}
	}
	return here
}

// mostLag is how much longer than processing takes an image may have no media: StatusDelay and MediaLag
// of the strict service.
const mostLag = 11 * time.Second

// mayReturn reports whether a text that somebody took away may be there again: the program had just
// looked, or had no answer yet as it sent the text to that image, or no answer showed it the text on its
// image, whose media could be had, or its state file knows less. A text that was on its way to a new image
// goes on, unless the program saw the later one that was written there.
func (w *world) mayReturn(f foreign) bool {
	made := f.at
	if f.since.After(made) {
		made = f.since
	}
	for _, e := range w.journal {
		if e.Product == f.product && e.Effect == sandbox.Uploaded && e.Time.Before(f.removed) && e.Time.After(made) {
			made = e.Time.Add(w.plan.processing + time.Duration(len(e.Files))*w.plan.perImage + mostLag)
		}
	}
	w.calls.mu.Lock()
	seen := slices.ContainsFunc(w.calls.all, func(c *call) bool {
		return c.op == sandbox.ListImages && c.product == f.product && c.wasAnswered() && c.began.After(made) && c.ended.Before(f.removed)
	})
	w.calls.mu.Unlock()
	f.at, f.image = f.removed, f.from
	return !seen || !w.luck.lost.until.IsZero() || w.unseen(f)
}

var position = regexp.MustCompile(`^\d{3}_`)

// localName takes the position off a stored name.
func localName(stored string) string { return position.ReplaceAllString(stored, "") }

// foreignText is what others wrote on the image of a frame and must still be there, or what is
// there if it is as good: a later text that might have been lost, and was not, or one of another
// frame whose place this one might have taken.
func (w *world) foreignText(product, name, got string) string {
	text := ""
	for _, f := range w.foreign {
		if f.product != product || !f.removed.IsZero() && !(f.text == got && w.mayReturn(f)) {
			continue
		}
		own := w.nameNow(f) == name && (f.text == got || !w.lostRightly(f))
		if own || f.text == got && (w.isFoundUnder(f, name) || w.isLeftInPlace(f, name) || f.name == name && w.isReshot(f) || w.mayStray(f)) {
			text = f.text
		}
	}
	return text
}

// isFoundUnder reports whether a photo has a name now to which a state file that knows less may have given
// a foreign text. That of an account which knew nothing goes by the names on the service when it began.
func (w *world) isFoundUnder(f foreign, name string) bool {
	before, lost := w.luck.before, w.luck.lost
	byOther := f.at.Before(before.until) && w.nameNow(w.asFound(f, lostTime{before.until, before.until})) == name
	return byOther || !lost.until.IsZero() && w.nameNow(w.asFound(f, lost)) == name
}

// isLeftInPlace reports whether a photo has a name now that had the place of a foreign text in the last upload of
// which the state file knows nothing, where the service gives each image the texts of the one in its place.
// Only that file knew whose text it was, until the texts of the upload were set.
func (w *world) isLeftInPlace(f foreign, name string) bool {
	if strict, ok := w.service.(*servicetest.Server); !ok || !strict.LeavesTexts() {
		return false
	}
	files, left := f.files, ""
	for _, e := range w.journal {
		if e.Product != f.product || !e.Time.After(f.at) || e.Effect != sandbox.Uploaded || e.Time.After(w.luck.lost.until) {
			continue
		}
		had := w.nameAt(f, e.Time.Add(-1))
		place := slices.IndexFunc(files, func(file sandbox.File) bool { return localName(file.Name) == had })
		left, files = "", e.Files
		if place >= 0 && place < len(files) && w.luck.lost.holds(e.Time) {
			left = localName(files[place].Name)
		}
	}
	return left != "" && w.nameNow(foreign{product: f.product, name: left, at: w.luck.lost.until}) == name
}

// asFound is a foreign text as a state file takes it that knows less: it goes by the name that the photo
// had when the file knew all, and follows the photo that has this name at the next upload.
func (w *world) asFound(f foreign, lost lostTime) foreign {
	f.name = w.nameAt(f, lost.from)
	if f.at.Before(lost.until) {
		f.at = lost.until
	}
	f.photo, f.files = "", nil
	return f
}

// isReshot reports whether the photo under the name of a foreign text came after the revision on which
// the text was written. It may have taken the place of the described one at once, where no upload in
// between was published.
func (w *world) isReshot(f foreign) bool {
	reshot := false
	for _, e := range w.journal {
		if e.Product != f.product || !e.Time.After(f.at) || e.Effect != sandbox.Uploaded {
			continue
		}
		named := slices.IndexFunc(e.Files, func(file sandbox.File) bool { return localName(file.Name) == f.name })
		reshot = named >= 0 && !slices.ContainsFunc(f.files, func(file sandbox.File) bool { return file.SHA256 == e.Files[named].SHA256 })
	}
	return reshot
}

// nameNow is the name of the photo of a foreign text after all uploads since.
func (w *world) nameNow(f foreign) string { return w.nameAt(f, time.Now()) }

// nameAt is the name of the photo of a foreign text after the uploads until a time, or of the one that
// was taken again under its name; "" for none.
func (w *world) nameAt(f foreign, until time.Time) string {
	name, photo, before := f.name, f.photo, f.files
	for _, e := range w.journal {
		if e.Product != f.product || !e.Time.After(f.at) || e.Time.After(until) || e.Effect != sandbox.Uploaded {
			continue
		}
		named := slices.IndexFunc(e.Files, func(file sandbox.File) bool { return localName(file.Name) == name })
		here := slices.IndexFunc(e.Files, func(file sandbox.File) bool { return file.SHA256 == photo })
		switch {
		case named >= 0 && e.Files[named].SHA256 == photo:
		case here >= 0:
			name = localName(e.Files[here].Name)
		case named >= 0 && !slices.ContainsFunc(before, func(file sandbox.File) bool { return file.SHA256 == e.Files[named].SHA256 }):
			photo = e.Files[named].SHA256
		default:
			return ""
		}
		before = e.Files
	}
	return name
}

// mayStray reports whether a foreign text may have come to another frame. Where no name tells which
// frame an image was, its order does, and another frame may have its place. A service that tells
// names of none of the frames looks like a service that renames them.
func (w *world) mayStray(f foreign) bool {
	return slices.ContainsFunc(w.journal, func(e sandbox.Entry) bool {
		return e.Product == f.product && e.Time.After(f.at) && e.Effect == sandbox.Uploaded && w.isNameless(f.revision, e)
	})
}

// isNameless reports whether an upload is the first one of a product since the state file knows
// less, and nothing told of which frame an image was: neither the service nor one of these frames
// that stayed. An upload in the lost time was another account's, which knew nothing either.
func (w *world) isNameless(frames []string, upload sandbox.Entry) bool {
	lost := w.luck.lost
	if lost.holds(upload.Time) {
		lost = w.luck.before
	}
	var last time.Time // when the view got the images that it has
	for _, e := range w.journal {
		if e.Product == upload.Product && e.Effect == sandbox.Uploaded && e.Time.Before(upload.Time) {
			last = e.Time
		}
	}
	if lost.until.IsZero() || upload.Time.Before(lost.until) || last.After(lost.until) {
		return false
	}
	return !w.tellsNames() || w.studio.lacked(frames, lost.from, upload.Time) || w.studio.reordered(last)
}

// lostRightly reports whether a foreign text had to be lost: the state file that knew of it was replaced by a backup before it was set again, or it was
// written in the moment between a look at the images and what followed from that look, which the
// interface leaves open.
func (w *world) lostRightly(f foreign) bool {
	for _, e := range w.journal {
		if e.Product != f.product || !e.Time.After(f.at) || e.Effect != sandbox.Uploaded {
			continue
		}
		if w.luck.lost.holds(e.Time) || w.isNameless([]string{f.name}, e) ||
			len(e.Files) != len(f.revision) && w.neverProved(f.product, e) {
			return true
		}
	}
	return w.unseen(f)
}

// neverProved reports whether the source files of a product were refused before an upload. The
// revision that they would have proved is then nobody's publication, so that only its order tells
// which frame an image was, where the service tells no names.
func (w *world) neverProved(product string, upload sandbox.Entry) bool {
	w.calls.mu.Lock()
	defer w.calls.mu.Unlock()
	return !w.tellsNames() && slices.ContainsFunc(w.calls.all, func(c *call) bool {
		return c.op == sandbox.DownloadSources && c.product == product && c.fault.Status >= 400 && c.began.Before(upload.Time)
	})
}

// aMoment is for how long the images that were read may be taken for what is there.
const aMoment = 12 * time.Second

// unseen reports whether a change of the daemon's was under way when a foreign text was written, or
// the next one came a moment after a look at the images from before. A finish may follow its look
// later, when its answer is lost.
func (w *world) unseen(f foreign) bool {
	w.calls.mu.Lock()
	defer w.calls.mu.Unlock()
	var looked time.Time
	for _, c := range w.calls.all {
		if c.product != f.product && c.image != fmt.Sprint(f.image) {
			continue
		}
		changes := c.op == sandbox.FinishUpload || c.op == sandbox.SetAltTexts
		switch before := c.began.Before(f.at); {
		case before && changes && (c.ended.IsZero() || c.ended.After(f.at)):
			return true
		case before && c.op == sandbox.ListImages:
			looked = c.ended
		case before:
		case c.op == sandbox.ListImages:
			return false
		case changes:
			return c.op == sandbox.FinishUpload || w.machine.passed(span{looked, c.began}) < aMoment
		}
	}
	return false
}

// A text that somebody took away is sent again where the answers to all lists that had it were lost: an
// image without it then looks as it does where the text did not arrive.
func TestTextsComeBackThatNoAnswerShowed(t *testing.T) {
	now := time.Now().Add(-time.Hour)
	at := func(minute int) time.Time { return now.Add(time.Duration(minute) * time.Minute) }
	f := foreign{product: "p", at: now, removed: at(3)}
	for name, test := range map[string]struct {
		list call
		want bool
	}{
		"answered":               {call{ended: at(2)}, false},
		"answered late":          {call{ended: at(2), fault: sandbox.Fault{Hold: time.Second}}, false},
		"502 after the work":     {call{ended: at(2), fault: sandbox.Fault{Status: 502, Process: true}}, true},
		"cut answer":             {call{ended: at(2), fault: sandbox.Fault{CutBody: -1}}, true},
		"dropped after the work": {call{ended: at(2), fault: sandbox.Fault{DropAfter: true}}, true},
		"its sender went away":   {call{ended: at(2), cut: true}, true},
		"under way":              {call{}, true},
	} {
		test.list.op, test.list.product, test.list.began = sandbox.ListImages, f.product, at(1)
		w := &world{}
		w.calls.all = []*call{&test.list}
		if got := w.mayReturn(f); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A text that somebody took away is sent again where the program had just sent it to that image, and did not
// get the answer: an image without it then looks as it does where the text did not arrive.
func TestTextsComeBackThatWereJustSent(t *testing.T) {
	now := time.Now().Add(-time.Hour)
	at := func(minute int) time.Time { return now.Add(time.Duration(minute) * time.Minute) }
	f := foreign{product: "p", image: 1, at: now, removed: at(3), from: 2}
	for name, test := range map[string]struct {
		image string
		ended time.Time
		want  bool
	}{
		"answered before":         {"2", at(2), false},
		"answered later":          {"2", at(4), true},
		"under way":               {"2", time.Time{}, true},
		"to an image of before":   {"1", at(4), false},
		"to the image of another": {"3", at(4), false},
	} {
		w := &world{}
		w.calls.all = []*call{
			{op: sandbox.ListImages, product: f.product, began: at(1), ended: at(1)},
			{op: sandbox.SetAltTexts, image: test.image, began: at(2), ended: test.ended},
		}
		if got := w.mayReturn(f); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A text stays with its frame while another frame shows that the service keeps names.
func TestTextsStrayFromFramesThatAreAllGone(t *testing.T) {
	was, now := []shot{{name: "img8.jpg"}, {name: "img9.jpg"}}, time.Now()
	for name, test := range map[string]struct {
		then []shot
		want bool
	}{
		"one of two is gone": {was[:1], false},
		"all are gone":       {[]shot{{name: "img7.jpg"}}, true},
		"none is there":      {nil, false},
	} {
		states := []state{{frames: was}, {since: now.Add(time.Second), frames: test.then}}
		s := &studio{folders: []*folder{{history: states}}}
		if got := s.lacked([]string{"img8.jpg", "img9.jpg"}, now, now.Add(time.Minute)); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Only the first upload of each account that knows nothing of a view goes by the order of its images.
func TestTextsStrayAtTheFirstUploadOfAnAccount(t *testing.T) {
	now := time.Now()
	at := func(minute int) time.Time { return now.Add(time.Duration(minute) * time.Minute) }
	w := &world{studio: &studio{}}
	w.luck.before, w.luck.lost = lostTime{now, at(2)}, lostTime{at(1), at(5)}
	for _, minute := range []int{1, 3, 4, 6, 7} {
		w.journal = append(w.journal, sandbox.Entry{Effect: sandbox.Uploaded, Time: at(minute).Add(time.Second)})
	}
	var strays []bool
	for _, upload := range w.journal {
		strays = append(strays, w.isNameless(nil, upload))
	}
	if want := []bool{false, true, false, true, false}; !slices.Equal(strays, want) {
		t.Errorf("the uploads after which texts may stray are %v, not %v", strays, want)
	}
	w.luck.before = lostTime{}
	if w.isNameless(nil, w.journal[1]) {
		t.Error("an upload that a backup does not know lets texts stray")
	}
}

// A text goes by the order of the images where the names of their photos tell places in an earlier order.
func TestTextsStrayWhereImagesHaveAnEarlierOrder(t *testing.T) {
	now := time.Now()
	at := func(minute int) time.Time { return now.Add(time.Duration(minute) * time.Minute) }
	habits := servicetest.Plain()
	habits.Sources = "same"
	for name, test := range map[string]struct {
		sorted int
		want   bool
	}{
		"before the last upload": {1, false},
		"after the last upload":  {3, true},
	} {
		w := &world{service: servicetest.New(servicetest.Options{Habits: &habits})}
		w.studio = &studio{roots: []*root{{sorted: at(test.sorted)}}}
		w.luck.lost = lostTime{at(4), at(5)}
		for _, minute := range []int{2, 6} {
			w.journal = append(w.journal, sandbox.Entry{Effect: sandbox.Uploaded, Time: at(minute)})
		}
		if got := w.isNameless(nil, w.journal[1]); got != test.want {
			t.Errorf("sorted %s: %v", name, got)
		}
	}
}

// A text comes back to the name that its photo had before the time that the state file knows nothing of,
// although the photo was away in that time.
func TestTextsComeBackToTheNameThatTheStateFileKnows(t *testing.T) {
	now := time.Now().Add(-time.Hour)
	at := func(minute int) time.Time { return now.Add(time.Duration(minute) * time.Minute) }
	file := func(name, photo string) sandbox.File { return sandbox.File{Name: name, SHA256: photo} }
	text := foreign{name: "frame_05.jpg", text: "Le leur", photo: "a", at: now, files: []sandbox.File{file("frame_05.jpg", "a")}}
	w := &world{studio: &studio{}, foreign: []foreign{text}, journal: []sandbox.Entry{
		{Effect: sandbox.Uploaded, Time: at(1), Files: []sandbox.File{file("frame_02.jpg", "a")}},
		{Effect: sandbox.Uploaded, Time: at(3), Files: []sandbox.File{file("frame_03.jpg", "b")}},
	}}
	w.luck.lost = lostTime{at(2), at(4)}
	for name, want := range map[string]string{"frame_02.jpg": "Le leur", "frame_03.jpg": "", "frame_05.jpg": ""} {
		if got := w.foreignText("", name, "Le leur"); got != want {
			t.Errorf("%s may have %q, not %q", name, got, want)
		}
	}
}

// A text that a lost state file did not know goes by the name of its photo, and follows the photo that
// has this name from then on.
func TestTextsFollowThePhotoThatIsFoundUnderTheirName(t *testing.T) {
	now := time.Now().Add(-time.Hour)
	view := func(photos string) (files []sandbox.File) {
		for i, photo := range strings.Split(photos, "") {
			files = append(files, sandbox.File{Name: fmt.Sprintf("%d.jpg", i+1), SHA256: photo})
		}
		return files
	}
	w := &world{}
	w.luck.lost = lostTime{now, now.Add(2 * time.Minute)}
	f := foreign{name: "2.jpg", at: now.Add(-time.Minute), photo: "b", files: view("ab")}
	for i, step := range []struct{ photos, want string }{
		{"acb", "2.jpg"}, // in the lost time
		{"cab", "2.jpg"},
		{"acb", "1.jpg"},
	} {
		at := now.Add(time.Duration(2*i+1) * time.Minute)
		w.journal = append(w.journal, sandbox.Entry{Effect: sandbox.Uploaded, Time: at, Files: view(step.photos)})
		if got := w.nameNow(w.asFound(f, w.luck.lost)); got != step.want {
			t.Errorf("after upload %d the text is on %q, not %q", i+1, got, step.want)
		}
	}
}

// An account that knows nothing gives a text to the photo that has its name at that account's first upload.
// The text follows this photo, also in the time that the account from before knows nothing of.
func TestTextsFollowThePhotoThatAnotherAccountFinds(t *testing.T) {
	now := time.Now().Add(-time.Hour)
	at := func(minute int) time.Time { return now.Add(time.Duration(minute) * time.Minute) }
	w := &world{}
	for _, step := range []struct {
		minute int
		photos string
	}{{1, "bac"}, {4, "abc"}, {5, "bca"}} {
		e := sandbox.Entry{Effect: sandbox.Uploaded, Time: at(step.minute)}
		for i, photo := range strings.Split(step.photos, "") {
			e.Files = append(e.Files, sandbox.File{Name: fmt.Sprintf("%d.jpg", i+1), SHA256: photo})
		}
		w.journal = append(w.journal, e)
	}
	f := foreign{name: "1.jpg", at: now, photo: "a"}
	names := func() (found []string) {
		for _, name := range []string{"1.jpg", "2.jpg", "3.jpg"} {
			if w.isFoundUnder(f, name) {
				found = append(found, name)
			}
		}
		return found
	}
	w.luck.lost = lostTime{at(2), at(6)}
	if got := names(); !slices.Equal(got, []string{"2.jpg"}) {
		t.Errorf("a state file that knew the photo finds it under %v", got)
	}
	w.luck.before = lostTime{now, at(3)}
	if got := names(); !slices.Equal(got, []string{"1.jpg", "2.jpg"}) {
		t.Errorf("after another account the photo is found under %v", got)
	}
}

// A text stays in its place where the state file was lost that knew its photo, and the service gives each
// image the texts of the one in its place.
func TestTextsAreLeftInTheirPlace(t *testing.T) {
	now := time.Now().Add(-time.Hour)
	at := func(minute int) time.Time { return now.Add(time.Duration(minute) * time.Minute) }
	view := func(photos ...string) (files []sandbox.File) {
		for i, photo := range photos {
			files = append(files, sandbox.File{Name: fmt.Sprintf("%03d_%s.jpg", i+1, photo[:1]), SHA256: photo})
		}
		return files
	}
	f := foreign{name: "c.jpg", text: "texte", photo: "c1", at: now, files: view("a1", "c1")}
	for name, test := range map[string]struct {
		keeps string
		known int // minute up to which the state file knows all
		want  []string
	}{
		"by place, and lost":  {"place", 0, []string{"b.jpg", "c.jpg"}},
		"by place, and known": {"place", 3, []string{"c.jpg"}},
		"by file, and lost":   {"file", 0, []string{"c.jpg"}},
	} {
		habits := servicetest.Plain()
		habits.Sources, habits.KeepTexts = "path", test.keeps
		w := &world{studio: &studio{}, service: servicetest.New(servicetest.Options{Habits: &habits}), foreign: []foreign{f}}
		w.journal = []sandbox.Entry{
			{Effect: sandbox.Uploaded, Time: at(1), Files: view("a2", "b2", "c2")},
			{Effect: sandbox.Uploaded, Time: at(5), Files: view("a3", "b3", "c3")},
		}
		w.luck.lost = lostTime{at(test.known), at(4)}
		var has []string
		for _, photo := range []string{"a.jpg", "b.jpg", "c.jpg"} {
			if w.foreignText("", photo, "texte") != "" {
				has = append(has, photo)
			}
		}
		if !slices.Equal(has, test.want) {
			t.Errorf("%s: the text may be on %v, not %v", name, has, test.want)
		}
	}
}
