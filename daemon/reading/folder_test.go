package reading

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon/layout"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/products"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// aFolder is a folder with these files. Its snapshot has them as frames at rest. The readings of the
// files may be spoiled.
func aFolder(t *testing.T, files map[string]string, spoil ...func(path string) error) *Folder {
	t.Helper()
	key := syncstate.Folder{Root: t.TempDir(), Path: "SKU-1"}
	if err := os.Mkdir(filepath.Join(key.Root, key.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	root := watcher.Root{Path: key.Root, Depth: 1, Settle: time.Second, Include: []string{"*.jpg"}}
	if len(spoil) > 0 {
		root.Drive.Spoil = spoil[0]
	}
	all, err := watcher.New([]watcher.Root{root}, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := layout.Parse("{sku}")
	if err != nil {
		t.Fatal(err)
	}
	rules := plan.Rules{Layout: l, Project: "Summer", Frames: 36, Order: "name"}
	p := New(Files{Watcher: all}, key, &Root{Rules: rules, Digest: "rules", Readers: make(chan struct{}, 1)})
	p.Snapshot = watcher.Snapshot{Root: key.Root, Folder: key.Path, Present: true, Fingerprint: watcher.Fingerprint{1}}
	for name, content := range files {
		p.Snapshot.Frames = append(p.Snapshot.Frames, put(t, p, name, content))
	}
	return p
}

// put writes a file into the folder.
func put(t *testing.T, p *Folder, name, content string) watcher.File {
	t.Helper()
	info := writeAt(t, filepath.Join(p.Key.Root, p.Key.Path, name), content)
	return watcher.File{Name: name, Size: info.Size(), ModTime: info.ModTime(), ID: volume.FileIDOf(info), Still: true}
}

// photo is a JPEG with an alt text in its XMP packet.
func photo(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 64, 64)), nil); err != nil {
		t.Fatal(err)
	}
	xmp := "http://ns.adobe.com/xap/1.0/\x00<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">" +
		"<rdf:Description xmlns:i=\"http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/\" i:AltTextAccessibility=\"Shoe\"/></rdf:RDF>"
	length := binary.BigEndian.AppendUint16(nil, uint16(len(xmp)+2))
	return "\xff\xd8\xff\xe1" + string(length) + xmp + b.String()[2:]
}

// TestWhatAReadingFinds: a glance finds whether the ends of a frame are whole, a read of all bytes
// whether the frame is. What was read before the frame was still is read again then, unless it proves
// the frame whole.
func TestWhatAReadingFinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		whole := photo(t)
		cut := whole[:len(whole)-20]
		spoilt := whole[:len(whole)-20] + "\xff\xd8" + whole[len(whole)-18:]
		now := time.Now()
		for name, test := range map[string]struct {
			content        string
			digest         bool
			changed        time.Duration // before now
			whole, digests bool
			since          time.Duration // before now
		}{
			"whole":                   {whole, false, 0, true, false, 0},
			"whole, with its digest":  {whole, true, 0, true, true, 0},
			"whole, changed long ago": {whole, false, time.Hour, true, false, 0},
			"cut":                     {cut, false, 0, false, false, 0},
			"cut, with its digest":    {cut, true, 0, false, false, 0},
			"cut long ago":            {cut, false, time.Hour, false, false, time.Hour},
			"cut in the future":       {cut, false, -time.Hour, false, false, 0},
			"spoilt inside":           {spoilt, false, 0, true, false, 0},
			"spoilt inside, all read": {spoilt, true, time.Hour, false, true, time.Hour},
		} {
			p := aFolder(t, map[string]string{"1.jpg": test.content})
			f := &p.Snapshot.Frames[0]
			if test.changed != 0 {
				f.Changed = now.Add(-test.changed).UnixNano()
			}
			if err := p.ReadFrames(t.Context(), p.Snapshot.Frames, test.digest); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			r := p.Readings["1.jpg"]
			if r.Whole != test.whole || (r.Broken == "") != test.whole ||
				!r.Since.Equal(now.Add(-test.since)) || !r.File.Same(plan.FileOf(*f)) {
				t.Errorf("%s: %+v", name, r)
			}
			if want := plantest.DigestOf(test.content); (r.Digest != nil) != test.digests || r.Digest != nil && !bytes.Equal(r.Digest, want) {
				t.Errorf("%s: digest %x", name, r.Digest)
			}
			if test.whole && (r.Content != "image/jpeg" || r.XMP == nil) {
				t.Errorf("%s: %s, %v", name, r.Content, r.XMP)
			}
			if len(p.Root.Readers) > 0 {
				t.Fatalf("%s: a reader of the root is not given back", name)
			}
		}
	})
}

// TestReadingEndsWithTheDaemon: a frame of gigabytes does not hold up the end of the daemon.
func TestReadingEndsWithTheDaemon(t *testing.T) {
	p := aFolder(t, map[string]string{"1.jpg": "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR" + strings.Repeat("\x00", 13) +
		"\x2e\x90\x68\x0f\x7f\xff\xff\xffIDAT"})
	path := filepath.Join(p.Key.Root, p.Key.Path, "1.jpg")
	if err := os.Truncate(path, 4<<30); err != nil {
		t.Skipf("no file of 4 GiB can be made here: %v", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f := &p.Snapshot.Frames[0]
	f.Size, f.ModTime = info.Size(), info.ModTime()
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, stop)
	if err := p.ReadFrames(ctx, p.Snapshot.Frames, false); !errors.Is(err, context.Canceled) {
		t.Errorf("the reading went on: %v, %+v", err, p.Readings)
	}
}

// TestFrameThatGoesBeforeItIsRead: a frame or a folder that is not there any more has the folder
// planned again.
func TestFrameThatGoesBeforeItIsRead(t *testing.T) {
	for what, path := range map[string]string{"a frame": "1.jpg", "a folder": ""} {
		p := aFolder(t, map[string]string{"1.jpg": photo(t), "2.jpg": photo(t)})
		if err := os.RemoveAll(filepath.Join(p.Key.Root, p.Key.Path, path)); err != nil {
			t.Fatal(err)
		}
		if err := p.ReadFrames(t.Context(), p.Snapshot.Frames, false); !errors.Is(err, outcome.ErrChanged) {
			t.Errorf("%s that is gone: %v", what, err)
		}
	}
}

// TestReadingsAreRemembered: a reading counts for the file that it names, and a frame is broken
// since it was found so first.
func TestReadingsAreRemembered(t *testing.T) {
	then, now := time.Unix(1, 0), time.Unix(2, 0)
	file := func(name string, size int64) syncstate.File { return syncstate.File{Name: name, Size: size} }
	p := &Folder{}
	for _, name := range []string{"kept", "fresh", "changed", "same", "touched", "otherwise", "whole", "replaced", "new"} {
		p.Snapshot.Frames = append(p.Snapshot.Frames, watcher.File{Name: name, Size: 1})
	}
	p.Readings = map[string]plan.Reading{
		"kept": {File: file("kept", 1), Since: then}, "gone": {File: file("gone", 1), Since: then},
		"changed": {File: file("changed", 2), Since: then}, "fresh": {File: file("fresh", 1), Since: then, Whole: true},
		"same":      {File: file("same", 1), Since: then, Broken: "cut"},
		"touched":   {File: file("touched", 1), Since: then, Broken: "cut", Changed: 1},
		"otherwise": {File: file("otherwise", 1), Since: then, Broken: "cut"},
		"whole":     {File: file("whole", 1), Since: then, Whole: true},
		"replaced":  {File: file("replaced", 2), Since: then, Broken: "cut"},
	}
	p.Remember(map[string]plan.Reading{
		"fresh":     {File: file("fresh", 1), Since: now, Whole: true, Content: "image/jpeg"},
		"same":      {File: file("same", 1), Since: now, Broken: "cut"},
		"touched":   {File: file("touched", 1), Since: now, Broken: "cut", Changed: 2},
		"otherwise": {File: file("otherwise", 1), Since: now, Broken: "no end"},
		"whole":     {File: file("whole", 1), Since: now, Whole: true},
		"replaced":  {File: file("replaced", 1), Since: now, Broken: "cut"},
		"new":       {File: file("new", 1), Since: now, Broken: "cut"},
	})
	since := map[string]int64{}
	for name, r := range p.Readings {
		since[name] = r.Since.Unix()
	}
	want := map[string]int64{"kept": 1, "fresh": 2, "same": 1, "touched": 2, "otherwise": 2, "whole": 2, "replaced": 2, "new": 2}
	if diff := cmp.Diff(want, since); diff != "" || p.Readings["fresh"].Content == "" {
		t.Error(diff)
	}
}

// TestDigestIsOfThisVeryFile: the digest of a frame is read once for as long as the frame stays.
func TestDigestIsOfThisVeryFile(t *testing.T) {
	content := photo(t)
	p := aFolder(t, map[string]string{"1.jpg": content, "2.jpg": content + "\n"})
	f := p.Snapshot.Frames[slices.IndexFunc(p.Snapshot.Frames, func(f watcher.File) bool { return f.Name == "1.jpg" })]
	older := plan.FileOf(f)
	older.Size++
	for name, test := range map[string]struct {
		reading plan.Reading
		want    []byte
	}{
		"read":               {plan.Reading{File: plan.FileOf(f), Changed: f.Changed, Digest: []byte("known")}, []byte("known")},
		"read at a glance":   {plan.Reading{File: plan.FileOf(f), Changed: f.Changed}, plantest.DigestOf(content)},
		"touched since":      {plan.Reading{File: plan.FileOf(f), Changed: f.Changed - 1, Digest: []byte("known")}, plantest.DigestOf(content)},
		"of the file before": {plan.Reading{File: older, Digest: []byte("known")}, plantest.DigestOf(content)},
		"not read":           {plan.Reading{}, plantest.DigestOf(content)},
	} {
		p.Readings = map[string]plan.Reading{"1.jpg": test.reading}
		got, err := p.DigestOf(t.Context(), f)
		if _, other := p.Readings["2.jpg"]; !bytes.Equal(got, test.want) || err != nil || other {
			t.Errorf("%s: %x, %v; the other was read %t", name, got, err, other)
		}
	}
}

// TestContentTypeOfAFile: the content of a file decides its type, by its reading or by a glance.
func TestContentTypeOfAFile(t *testing.T) {
	p := aFolder(t, map[string]string{"1.jpg": photo(t)})
	f := plan.FileOf(p.Snapshot.Frames[0])
	file, err := p.OpenFrame(f)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	older := f
	older.Size++
	for name, test := range map[string]struct {
		reading plan.Reading
		want    string
	}{
		"read":     {plan.Reading{File: f, Content: "image/png"}, "image/png"},
		"untold":   {plan.Reading{File: f}, "image/jpeg"},
		"older":    {plan.Reading{File: older, Content: "image/png"}, "image/jpeg"},
		"not read": {plan.Reading{}, "image/jpeg"},
	} {
		facts := plan.Facts{Readings: map[string]plan.Reading{"1.jpg": test.reading}}
		if got, why, err := ContentType(facts, file, f); got != test.want || why != "" || err != nil {
			t.Errorf("%s: %s, %q, %v", name, got, why, err)
		}
	}
	cut := put(t, p, "2.jpg", "\xff\xd8\xff")
	broken, err := p.OpenFrame(plan.FileOf(cut))
	if err != nil {
		t.Fatal(err)
	}
	defer broken.Close()
	if got, why, err := ContentType(plan.Facts{}, broken, plan.FileOf(cut)); why == "" || err != nil {
		t.Errorf("of a file that is cut: %s, %q, %v", got, why, err)
	}
}

// factsNow are the facts of a folder that has no record.
func (p *Folder) factsNow() plan.Facts { return p.Facts(time.Now(), syncstate.Record{}) }

// TestWhatAFolderIs: product.toml goes before the folder's name, is read again when it changes, and
// names no product while it makes no sense.
func TestWhatAFolderIs(t *testing.T) {
	p := aFolder(t, nil)
	for name, step := range map[string]struct {
		toml   string // empty for none
		title  string
		frames int
		fails  bool
	}{
		"none": {"", "SKU-1", 36, false}, "a title": {`title = "Shoe"`, "Shoe", 36, false},
		"a count": {"frames = 24\n", "SKU-1", 24, false}, "a mistake": {"title = 7\n", "", 36, true},
	} {
		p.Snapshot.Sidecars = nil
		if step.toml != "" {
			p.Snapshot.Sidecars = []watcher.File{put(t, p, "alt.csv", ""), put(t, p, productFileName, step.toml)}
		}
		for range 2 {
			s := p.factsNow()
			if s.Wanted.Title != step.title || s.Rules.Frames != step.frames || (s.Unidentified != nil) != step.fails || s.Outside {
				t.Errorf("%s: %+v with %d frames, %v", name, s.Wanted, s.Rules.Frames, s.Unidentified)
			}
		}
	}
	p.Snapshot.Sidecars = []watcher.File{{Name: productFileName, Size: 9, Still: true}}
	path := filepath.Join(p.Key.Root, p.Key.Path, productFileName)
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o755)); err != nil {
		t.Fatal(err)
	}
	if s := p.factsNow(); !errors.As(s.Unidentified, new(plan.UnreadError)) {
		t.Errorf("a file that cannot be read: %v", s.Unidentified)
	}
	for name, change := range map[string]func(){
		"idle": func() { p.Snapshot.Idle = true }, "gone": func() { p.Snapshot.Idle, p.Snapshot.Present = false, false },
		"at another depth": func() { p.Snapshot.Present, p.Key.Path = true, "a/b" },
	} {
		change()
		if s := p.factsNow(); s.Unidentified != nil || s.Wanted != (plan.Product{}) {
			t.Errorf("%s: %+v, %v", name, s.Wanted, s.Unidentified)
		}
	}
	p.Snapshot.Present, p.Key.Path = true, "a/b"
	if s := p.factsNow(); !s.Outside || s.Rules.Frames != 0 {
		t.Errorf("at another depth: outside %t, %d frames", s.Outside, s.Rules.Frames)
	}
}

// TestFactsOfAFolder: the facts have what is known of the folder, and no texts of another listing.
func TestFactsOfAFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := aFolder(t, map[string]string{"1.jpg": photo(t)})
		p.Snapshot.Sidecars = []watcher.File{put(t, p, "1.txt", "A shoe")}
		p.Snapshot.NotTaken, p.Snapshot.ID = &watcher.NotTaken{Count: 1}, 7
		p.Root.Rules.Locale = "en"
		s := p.factsNow()
		for _, need := range []plan.Need{{Frames: p.Snapshot.Frames}, {Frames: p.Snapshot.Frames, Texts: true}} {
			if err := p.Read(t.Context(), s, need); err != nil {
				t.Fatal(err)
			}
		}
		s = p.factsNow()
		if s.Texts.Of("1.jpg")["en"] != "A shoe" || len(s.Readings) != 1 || s.Blind != nil ||
			s.Network || p.Offline() != nil || !cmp.Equal(s.Snapshot, p.Snapshot) {
			t.Errorf("the facts are %+v", s)
		}
		p.Snapshot.Fingerprint = watcher.Fingerprint{2}
		if s := p.factsNow(); s.Texts.Said != nil {
			t.Errorf("of another listing: %v", s.Texts.Said)
		}
		if p.row.Digest = "+row"; p.Content() != plan.ContentOf(p.Snapshot, p.Root.Digest+"+row") {
			t.Errorf("the content is %s", p.Content())
		}
		p.stood = map[string]syncstate.File{"1.jpg": {}}
		if p.LetGo(false); p.stood == nil {
			t.Error("a set that is not live forgets which photos are from before the start")
		}
		p.LetGo(true)
		want := watcher.Snapshot{
			Root: p.Key.Root, Folder: "SKU-1", Present: true, Idle: true, Fingerprint: watcher.Fingerprint{2}, ID: 7, NotTaken: &watcher.NotTaken{Count: 1},
		}
		if diff := cmp.Diff(want, p.Snapshot); diff != "" || p.Readings != nil || p.texts != nil || p.textsOf != (textSource{}) || p.stood != nil {
			t.Errorf("what is kept: %s, %d readings, %v", diff, len(p.Readings), p.texts)
		}
	})
}

// TestFirstLook: a folder of an earlier process is first read when its frames were seen, once. Photos that
// come into an empty one are new.
func TestFirstLook(t *testing.T) {
	frames := []watcher.File{{Name: "1.jpg", Size: 1}, {Name: "2.jpg", Size: 1}}
	stood := map[string]syncstate.File{"1.jpg": plan.FileOf(frames[0]), "2.jpg": plan.FileOf(frames[1])}
	for name, test := range map[string]struct {
		recalled bool
		snapshot watcher.Snapshot
		want     map[string]syncstate.File
		still    bool // recalled
	}{
		"recalled": {true, watcher.Snapshot{Present: true, Frames: frames}, stood, false},
		"new":      {false, watcher.Snapshot{Present: true, Frames: frames}, nil, false},
		"idle":     {true, watcher.Snapshot{Present: true, Idle: true, Frames: frames}, nil, true},
		"gone":     {true, watcher.Snapshot{Frames: frames}, nil, true},
		"empty":    {true, watcher.Snapshot{Present: true}, map[string]syncstate.File{}, false},
		"unread":   {true, watcher.Snapshot{Present: true, Err: errors.New("input/output error")}, nil, true},
	} {
		p := &Folder{Recalled: test.recalled, Snapshot: test.snapshot}
		p.noteFirstLook()
		if diff := cmp.Diff(test.want, p.stood); diff != "" || p.Recalled != test.still {
			t.Errorf("%s: %s, still recalled %t", name, diff, p.Recalled)
		}
		p.Snapshot.Frames = []watcher.File{{Name: "1.jpg", Size: 2}}
		if p.noteFirstLook(); test.want != nil && len(p.stood) != len(test.want) {
			t.Errorf("%s: there was a second first look", name)
		}
	}
}

// TestBywhichRulesAFolderRests: an idle folder is planned again under other rules. Its row
// counts only where there is a products file.
func TestByWhichRulesAFolderRests(t *testing.T) {
	plain, listed := &Root{Digest: "rules"}, &Root{Digest: "rules", Products: new(products.File)}
	for _, test := range []struct {
		root     *Root
		settings string
		want     bool
	}{
		{plain, "rules", true}, {plain, "rules+row", false}, {plain, "others", false}, {plain, "", false},
		{listed, "rules", true}, {listed, "rules+row", true}, {listed, "others+row", false}, {listed, "rulesother", false},
	} {
		if got := test.root.MayRest(test.settings); got != test.want {
			t.Errorf("%s: %t", test.settings, got)
		}
	}
	if got := plain.SettingsOf(products.Row{Digest: "+row"}); got != "rules+row" {
		t.Errorf("the settings are %s", got)
	}
}

// TestTextsForShow: people see the texts of all frames, also of those that were not read yet, and
// what makes no sense in them.
func TestTextsForShow(t *testing.T) {
	p := aFolder(t, map[string]string{"1.jpg": photo(t)})
	p.Snapshot.Sidecars = []watcher.File{put(t, p, "1.txt", "A shoe"), put(t, p, "alt.csv", "file,en\nmissing.jpg,A boot\n")}
	p.Root.Rules.Locale = "en"
	said, problems := p.TextsForShow(t.Context(), p.factsNow(), p.Snapshot.Frames)
	if said["1.jpg"]["en"].Value != "A shoe" || len(problems) != 1 || problems[0] != p.Problems[0].String() {
		t.Errorf("%v, problems %q", said, problems)
	}
	for _, passing := range []bool{false, true} {
		if p.Problems[0].Passing = passing; p.TextsPass() != passing {
			t.Errorf("a problem that passes %t: %t", passing, p.TextsPass())
		}
	}
	if p.Problems = nil; p.TextsPass() {
		t.Error("no problem passes")
	}
}

// A folder does not become quiet while the machine sleeps.
func TestQuietStandsWhileTheMachineSleeps(t *testing.T) {
	changed := time.Now()
	asleep := watcher.Snapshot{Changed: changed, Overslept: time.Hour}
	for slept, want := range map[time.Duration]time.Time{time.Hour: changed, 9 * time.Hour: changed.Add(8 * time.Hour)} {
		if got := awake(asleep, slept); !got.Equal(want) {
			t.Errorf("after %s of sleep: changed %s, want %s", slept, got, want)
		}
	}
	if got := awake(watcher.Snapshot{}, time.Hour); !got.IsZero() {
		t.Errorf("a folder that did not change: %s", got)
	}
	folder, _, _ := aFile(t)
	folder.Snapshot = watcher.Snapshot{Changed: changed, Overslept: -time.Hour}
	s := folder.Facts(changed, syncstate.Record{})
	if got := s.Snapshot.Changed.Sub(changed); (got - time.Hour).Abs() > time.Minute {
		t.Errorf("the folder changed %s later", got)
	}
}
