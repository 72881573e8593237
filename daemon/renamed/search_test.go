package renamed

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/reading"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// Others are folders that answer as a test wants.
type others struct {
	missed func(syncstate.Folder) bool
	lately []syncstate.Folder // missed
	moved  []watcher.File     // in a folder without a product
}

func (o others) IsMissed(key syncstate.Folder) bool { return o.missed(key) }

func (o others) Candidates([]watcher.File) []syncstate.Folder { return o.lately }

func (o others) MayStandElsewhere(_, _ syncstate.Folder, _ Files) bool { return false }

func (o others) Holds(files Files) bool { return files.AreMostlyIn(o.moved) }

// A renaming has two roots, and knows the record of a folder that does not stand any more.
type renaming struct {
	search Search
	gone   syncstate.Folder
	scene  plan.Scene // of the folder that looks for what it was
}

// newRenaming has a folder of three published frames that is gone from one of the roots.
func newRenaming(t *testing.T, root, elsewhere, goneFrom string) *renaming {
	t.Helper()
	files := reading.Files{Watcher: watching(t, root, elsewhere)}
	scene := plantest.AScene(3)
	for i, f := range scene.Facts.Snapshot.Frames {
		plantest.ReadAgain(&scene, i, f.Name)
	}
	key := syncstate.Folder{Root: root, Path: "Summer/new"}
	folder := reading.New(files, key, &reading.Root{Rules: plan.Rules{Settle: time.Second}})
	folder.Snapshot, folder.Readings = scene.Facts.Snapshot, scene.Facts.Readings
	s := &renaming{gone: syncstate.Folder{Root: goneFrom, Path: "Summer/old"}, scene: scene}
	s.search = Search{
		Folder: folder, Files: files, Store: plantest.Store(t), Index: new(Index),
		Others: &others{missed: func(syncstate.Folder) bool { return true }},
	}
	s.record(t, plantest.Published(plantest.AScene(3)).Record.Published)
	return s
}

// watching runs a watcher on roots until the test ends.
func watching(t *testing.T, roots ...string) *watcher.Watcher {
	t.Helper()
	var all []watcher.Root
	for _, root := range roots {
		all = append(all, watcher.Root{Path: root, Depth: 2, Settle: time.Second, Include: []string{"*.jpg"}})
	}
	w, err := watcher.New(all, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = w.Run(ctx) })
	running.Go(func() {
		for {
			select {
			case <-w.Snapshots():
				w.Took()
			case <-ctx.Done():
				return
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	<-w.FirstRead()
	return w
}

// record is what the state file says of the folder that is gone.
func (s *renaming) record(t *testing.T, published *syncstate.Published) {
	t.Helper()
	published.Bytes = 1000 * int64(published.Images)
	err := s.search.Store.Update(s.gone, func(r *syncstate.Record) error {
		r.Product.UUID, r.Published = "product", published
		s.search.Index.File(s.gone, *r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// found is what the folder was before.
func (s *renaming) found(t *testing.T) (*Predecessor, error) {
	t.Helper()
	return s.search.Predecessor(t.Context(), s.scene, nil)
}

// A folder was another one before only if it holds all of its frames, or at least half of its very
// files: one may have been saved, added or deleted since.
func TestOneFrameOfAnotherFolderIsNoRename(t *testing.T) {
	copied := func(f []syncstate.Frame) { f[0].ID, f[1].ID, f[2].ID = "", "", "" }
	for name, test := range map[string]struct {
		change func(frames []syncstate.Frame)
		is     bool
	}{
		"the very files":       {func([]syncstate.Frame) {}, true},
		"copies of them":       {copied, true},
		"other names":          {func(f []syncstate.Frame) { f[1].Name, f[2].Name = "frame_05.jpg", "frame_04.jpg" }, true},
		"swapped names":        {func(f []syncstate.Frame) { f[1].Name, f[2].Name = f[2].Name, f[1].Name }, true},
		"copies, renamed":      {func(f []syncstate.Frame) { copied(f); f[2].Name = "frame_04.jpg" }, true},
		"one frame twice":      {func(f []syncstate.Frame) { copied(f); f[2] = f[1]; f[2].Name = "frame_04.jpg" }, false},
		"one other size":       {func(f []syncstate.Frame) { copied(f); f[2].Size++ }, false},
		"no digest":            {func(f []syncstate.Frame) { f[2].ID, f[2].Digest = "", nil }, true},
		"and another time":     {func(f []syncstate.Frame) { copied(f); f[2].Digest, f[2].ModTime = nil, plantest.Noon }, false},
		"one other content":    {func(f []syncstate.Frame) { copied(f); f[2].Digest = f[1].Digest }, false},
		"one saved since":      {func(f []syncstate.Frame) { f[2].ID, f[2].Digest = "other", f[1].Digest }, true},
		"one of another time":  {func(f []syncstate.Frame) { f[2].Digest, f[2].ModTime = nil, plantest.Noon }, true},
		"most of them saved":   {func(f []syncstate.Frame) { copied(f); f[0].ID, f[2].Digest = "1", f[1].Digest }, false},
		"its name, other file": {func(f []syncstate.Frame) { copied(f); f[2].Digest, f[2].Size = f[1].Digest, 7 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			s := newRenaming(t, root, t.TempDir(), root)
			published := plantest.Published(plantest.AScene(3)).Record.Published
			test.change(published.Frames)
			s.record(t, published)
			if before, err := s.found(t); err != nil || (before != nil) != test.is {
				t.Errorf("it was %+v, %v", before, err)
			}
			s.scene.Record.Wishes.NoTwin = true
			if before, err := s.found(t); before != nil || err != nil {
				t.Errorf("denied, it was %+v, %v", before, err)
			}
		})
	}
}

// TestFolderWithOtherPhotosSince: a folder of another size is known by its very files alone, and only
// for a while after it went.
func TestFolderWithOtherPhotosSince(t *testing.T) {
	for name, test := range map[string]struct {
		lately, copies, stands, is bool
	}{
		"gone lately":           {lately: true, is: true},
		"gone for long":         {},
		"gone lately, and back": {lately: true, stands: true},
		"copies":                {lately: true, copies: true},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			s := newRenaming(t, root, t.TempDir(), root)
			published := plantest.Published(plantest.AScene(3)).Record.Published
			published.Frames, published.Images = published.Frames[:2], 2
			for i := range published.Frames {
				if test.copies {
					published.Frames[i].ID = ""
				}
			}
			if s.record(t, published); test.lately {
				s.search.Others.(*others).lately = []syncstate.Folder{s.gone}
			}
			if test.stands {
				if err := os.MkdirAll(filepath.Join(root, "Summer", "old"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if before, err := s.found(t); err != nil || (before != nil) != test.is {
				t.Errorf("it was %+v, %v", before, err)
			}
		})
	}
}

// A folder below another root is gone only when whole reads missed it: its drive may be on its way
// out. Its very files cannot go with it.
func TestFolderOfAnotherRootMustBeMissed(t *testing.T) {
	elsewhere := t.TempDir()
	s := newRenaming(t, t.TempDir(), elsewhere, elsewhere)
	copies := plantest.Published(plantest.AScene(3)).Record.Published
	for i := range copies.Frames {
		copies.Frames[i].ID = ""
	}
	s.record(t, copies)
	missed := false
	s.search.Others.(*others).missed = func(key syncstate.Folder) bool { return missed && key == s.gone }
	if before, err := s.found(t); before != nil || !outcome.Is(err, outcome.Waits) {
		t.Errorf("before a whole read missed it: %+v, %v", before, err)
	}
	missed = true
	if before, err := s.found(t); err != nil || before == nil || before.Key != s.gone {
		t.Errorf("after that: %+v, %v", before, err)
	}
	missed = false
	s.record(t, plantest.Published(plantest.AScene(3)).Record.Published)
	if before, err := s.found(t); err != nil || before == nil {
		t.Errorf("with its very files: %+v, %v", before, err)
	}
}

// Nothing is gone from a root that cannot be read, but for a folder whose very files are here: at
// least half of them.
func TestNothingIsGoneFromAnUnreadableRoot(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "drive")
	s := newRenaming(t, t.TempDir(), elsewhere, elsewhere)
	for copies, moved := range map[int]bool{0: true, 1: true, 2: false} {
		published := plantest.Published(plantest.AScene(3)).Record.Published
		for i := range copies {
			published.Frames[i].ID = ""
		}
		s.record(t, published)
		if before, err := s.found(t); (before != nil) != moved || err != nil {
			t.Errorf("with copies of %d files it was %+v, %v", copies, before, err)
		}
	}
	if gone, err := s.search.IsGone(t.Context(), s.gone); gone || err != nil {
		t.Errorf("it is gone: %t, %v", gone, err)
	}
}

// A folder that stands is no other folder's past.
func TestFolderThatStandsIsNotGone(t *testing.T) {
	for _, name := range []string{"the same root", "another root"} {
		t.Run(name, func(t *testing.T) {
			root, elsewhere := t.TempDir(), t.TempDir()
			goneFrom := map[string]string{"the same root": root, "another root": elsewhere}[name]
			if err := os.MkdirAll(filepath.Join(goneFrom, "Summer", "old"), 0o755); err != nil {
				t.Fatal(err)
			}
			s := newRenaming(t, root, elsewhere, goneFrom)
			if before, err := s.found(t); before != nil || err != nil {
				t.Errorf("it was %+v, %v", before, err)
			}
		})
	}
}

// TestOnlyACopyIsNamed: the folder with the same photos is named where it stands below a watched
// root, with its root where that is another one.
func TestOnlyACopyIsNamed(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	for name, test := range map[string]struct {
		in     string
		gone   bool
		change func(*syncstate.Published)
		want   string
	}{
		"beside it":         {in: root, want: "Summer/old"},
		"in another root":   {in: elsewhere, want: filepath.ToSlash(elsewhere) + "/Summer/old"},
		"in no root":        {in: t.TempDir()},
		"gone":              {in: root, gone: true},
		"one other content": {in: root, change: func(p *syncstate.Published) { p.Frames[0].Digest = p.Frames[1].Digest }},
		"one other name":    {in: root, change: func(p *syncstate.Published) { p.Frames[0].Name = "frame_04.jpg" }},
	} {
		t.Run(name, func(t *testing.T) {
			s := newRenaming(t, root, elsewhere, test.in)
			place := filepath.Join(test.in, "Summer", "old")
			if err := os.MkdirAll(place, 0o755); err != nil {
				t.Fatal(err)
			}
			if test.gone {
				if err := os.Remove(place); err != nil {
					t.Fatal(err)
				}
			}
			photos := plantest.Published(plantest.AScene(3)).Record.Published
			if photos.Bytes = 3000; test.change != nil {
				test.change(photos)
			}
			if name, err := s.search.PublishedAs(photos); name != test.want || err != nil {
				t.Errorf("named is %q, %v; want %q", name, err, test.want)
			}
		})
	}
}

// A folder with copies of the photos was not the one that is gone while another folder has the
// photos themselves.
func TestCopyIsNotTheRenamedFolder(t *testing.T) {
	t.Run("with the names of then", func(t *testing.T) { copyIsNotTheRenamedFolder(t, "") })
	t.Run("with other names", func(t *testing.T) { copyIsNotTheRenamedFolder(t, "SKU-1_") })
}

// copyIsNotTheRenamedFolder has names that began with this before the rename.
func copyIsNotTheRenamedFolder(t *testing.T, began string) {
	root := t.TempDir()
	s := newRenaming(t, root, t.TempDir(), root)
	published := plantest.Published(plantest.AScene(3)).Record.Published
	var found []watcher.File
	for i := range published.Frames {
		f := watcher.File{Name: "photo", Size: 1000, ModTime: plantest.Noon, ID: volume.FileID(100 + i)}
		found = append(found, f)
		published.Frames[i].File = plan.FileOf(f)
		published.Frames[i].Name = began + published.Frames[i].Name
	}
	s.record(t, published)
	s.search.Others.(*others).moved = found[1:] // of which one was deleted since
	if before, err := s.found(t); err != nil || before != nil {
		t.Errorf("the copy was %+v, %v", before, err)
	}
	s.search.Others.(*others).moved = nil
	if before, err := s.found(t); err != nil || before == nil {
		t.Errorf("without the photos themselves it was nothing, %v", err)
	}
}

// A folder whose root does not answer the last look is not gone, and the folder that looks for what
// it was waits.
func TestFailedLookProvesNothing(t *testing.T) {
	root := t.TempDir()
	s := newRenaming(t, root, t.TempDir(), root)
	s.search.Files.Watcher = new(watcher.Watcher) // which watches no root
	if before, err := s.found(t); before != nil || err == nil {
		t.Errorf("it was %+v, %v", before, err)
	}
	if gone, err := s.search.IsGone(t.Context(), s.gone); gone || err == nil {
		t.Errorf("it is gone: %t, %v", gone, err)
	}
}

// TestFilesWithOtherNamesAreNotRead: the very files of a folder are known by their ids, also where all
// have other names and one size. The test has no file that could be read.
func TestFilesWithOtherNamesAreNotRead(t *testing.T) {
	root := t.TempDir()
	s := newRenaming(t, root, t.TempDir(), root)
	s.search.Folder.Readings = nil
	published := plantest.Published(plantest.AScene(3)).Record.Published
	f := published.Frames
	f[0].Name, f[1].Name, f[2].Name = "01.jpg", f[2].Name, f[1].Name
	s.record(t, published)
	if before, err := s.found(t); before == nil || err != nil {
		t.Errorf("it was %+v, %v", before, err)
	}
}
