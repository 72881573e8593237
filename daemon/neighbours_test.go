package daemon

import (
	"cmp"
	"context"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/layout"
	"spinsync/daemon/plan"
	"spinsync/daemon/publish"
	"spinsync/daemon/reading"
	"spinsync/daemon/renamed"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A gone folder learns of its root alone whether others are gone too, and of all roots whether a
// folder without a product holds as many bytes, and whether as many photos lie at the wrong depth.
func TestAroundAGoneFolder(t *testing.T) {
	in := func(root, path string) syncstate.Folder { return syncstate.Folder{Root: root, Path: path} }
	key, owned := in("/one", "gone"), status.ProductStatus{Product: "its product"}
	bytes := []watcher.File{{Name: "1.jpg", Size: 4}, {Name: "2.jpg", Size: 6}}
	moved := []watcher.File{{Name: "3.jpg", Size: 5, ID: 7}, {Name: "4.jpg", Size: 9, ID: 9}}
	record := syncstate.Record{Published: &syncstate.Published{Images: 2, Bytes: 10, Frames: []syncstate.Frame{
		{File: plan.FileOf(moved[0])}, {File: syncstate.File{Name: "2.jpg", Size: 5, ID: "8"}},
	}}}
	misplaced := func(photos int) *folder {
		return &folder{key: in("/two", "a/b"), status: status.ProductStatus{Cause: &status.Cause{Kind: status.Misplaced, Count: photos}}}
	}
	for name, test := range map[string]struct {
		other *folder
		want  plan.Around
	}{
		"alone":                       {&folder{key: in("/one", "light"), frames: bytes[:1]}, plan.Around{}},
		"with another":                {&folder{key: in("/one", "too"), gone: true, frames: bytes, status: owned}, plan.Around{Unsure: status.MayDeleteMany}},
		"another of another root":     {&folder{key: in("/two", "too"), gone: true, status: owned}, plan.Around{}},
		"too few at the wrong depth":  {misplaced(1), plan.Around{}},
		"photos at the wrong depth":   {misplaced(2), plan.Around{Unsure: status.MayDeleteMisplaced}},
		"a name that cannot be read":  {misplaced(0), plan.Around{Unsure: status.MayDeleteMisplaced}},
		"as many bytes":               {&folder{key: in("/one", "new"), frames: bytes}, plan.Around{MaybeMoved: true}},
		"as many, of a known product": {&folder{key: in("/one", "known"), frames: bytes, status: owned}, plan.Around{}},
		"half of its very files":      {&folder{key: in("/one", "new"), frames: moved}, plan.Around{MaybeMoved: true}},
		"half, of a known product":    {&folder{key: in("/one", "known"), frames: moved, status: owned}, plan.Around{}},
		"one that cannot be read":     {&folder{key: in("/two", "new"), unread: true}, plan.Around{Unsure: status.MayDeleteUnread}},
		"unread, of a known product":  {&folder{key: in("/one", "known"), unread: true, status: owned}, plan.Around{}},
		"as many, in another root":    {&folder{key: in("/two", "new"), frames: bytes}, plan.Around{MaybeMoved: true}},
	} {
		d := DaemonOf(publish.Publisher{Files: reading.Files{Watcher: new(watcher.Watcher)}})
		d.records.Index.File(key, record)
		d.board.roots["/one"] = &reading.Root{Rules: plan.Rules{DeleteGone: true}}
		d.board.folders.all[key] = &folder{key: key, gone: true}
		d.board.folders.all[test.other.key] = test.other
		if got := d.board.Around(key, record, &watcher.Absence{}); got != test.want {
			t.Errorf("%s: %+v", name, got)
		}
		if got := d.board.Around(key, record, nil); got != (plan.Around{}) {
			t.Errorf("%s, of a folder that stands: %+v", name, got)
		}
		d.board.roots["/one"].Rules.DeleteGone = false
		if got := d.board.Around(key, record, &watcher.Absence{}); got != (plan.Around{}) {
			t.Errorf("%s, where views stay: %+v", name, got)
		}
		record := record
		record.Absence.Removal = syncstate.RemovalForget
		if got := d.board.Around(key, record, &watcher.Absence{}); got != test.want {
			t.Errorf("%s, of a folder to be forgotten: %+v", name, got)
		}
	}
	d := DaemonOf(publish.Publisher{Files: reading.Files{Watcher: new(watcher.Watcher)}})
	d.board.roots["/one"] = &reading.Root{Rules: plan.Rules{DeleteGone: true}}
	d.board.folders.all[in("/one", "empty")] = &folder{key: in("/one", "empty")}
	if got := d.board.Around(key, syncstate.Record{}, &watcher.Absence{}); got.MaybeMoved {
		t.Error("a folder that was never published may have moved to an empty one")
	}
}

// Folders went together when they went within half an hour, or may have done so while no process watched. One
// that never had a view is no sign of a drive that fails.
func TestFoldersThatWentTogether(t *testing.T) {
	at, owned := time.Unix(1_800_000_000, 0), status.ProductStatus{Product: "its product"}
	for name, test := range map[string]struct {
		met   bool // the folder that is to be deleted was met before
		other *folder
		want  status.Kind
	}{
		"at once":                        {true, &folder{met: true, went: at, status: owned}, status.MayDeleteMany},
		"just before":                    {true, &folder{went: at.Add(-atOnce), status: owned}, status.MayDeleteMany},
		"long before":                    {true, &folder{went: at.Add(-atOnce - 1), status: owned}, ""},
		"long before, perhaps with it":   {false, &folder{met: true, went: at.Add(-atOnce - 1), status: owned}, status.MayDeleteMany},
		"long after":                     {false, &folder{met: true, went: at.Add(atOnce + 1), status: owned}, ""},
		"long after, perhaps with it":    {true, &folder{went: at.Add(atOnce + 1), status: owned}, status.MayDeleteMany},
		"at once, without a view":        {true, &folder{met: true, went: at}, ""},
		"at once, while its run goes on": {true, &folder{met: true, went: at, begun: true}, status.MayDeleteMany},
	} {
		d := DaemonOf(publish.Publisher{Files: reading.Files{Watcher: new(watcher.Watcher)}})
		d.board.roots["/one"] = &reading.Root{Rules: plan.Rules{DeleteGone: true}}
		key := syncstate.Folder{Root: "/one", Path: "gone"}
		test.other.key, test.other.gone = syncstate.Folder{Root: "/one", Path: "other"}, true
		d.board.folders.add(&folder{key: key, gone: true, went: at, met: test.met})
		d.board.folders.add(test.other)
		if got := d.board.Around(key, syncstate.Record{}, &watcher.Absence{Since: at}); got.Unsure != test.want {
			t.Errorf("%s: %q", name, got.Unsure)
		}
	}
}

// Only a folder that stands, and has no product, holds the files of one that was renamed.
func TestWhoHoldsTheFiles(t *testing.T) {
	moved := []watcher.File{{Name: "1.jpg", Size: 5, ID: 7}, {Name: "2.jpg", Size: 9, ID: 9}}
	var files []syncstate.Frame
	for _, f := range moved {
		files = append(files, syncstate.Frame{File: plan.FileOf(f)})
	}
	for name, test := range map[string]struct {
		other *folder
		holds bool
	}{
		"half of them":       {&folder{frames: moved[1:]}, true},
		"none of them":       {&folder{}, false},
		"gone":               {&folder{frames: moved, gone: true}, false},
		"of a known product": {&folder{frames: moved, status: status.ProductStatus{Product: "its product"}}, false},
	} {
		d := DaemonOf(publish.Publisher{})
		d.board.folders.all[syncstate.Folder{Path: "other"}] = test.other
		if got := d.board.Holds(renamed.FilesOf(syncstate.Record{Published: &syncstate.Published{Frames: files}})); got != test.holds {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// A folder that is gone may have moved to another root that is offline, or that sends no events and was
// not read since.
func TestFolderMayStandInAnotherRoot(t *testing.T) {
	for name, test := range map[string]struct {
		own   bool          // the root is that of the folder
		path  string        // of the root; "" = a new one
		poll  bool          // nobody relies on its events
		reads bool          // it is read
		after time.Duration // from the beginning of that read until the folder went
		want  bool
	}{
		"offline":                  {want: true},
		"its own root":             {own: true},
		"events tell":              {reads: true, after: time.Hour},
		"polled, and read since":   {reads: true, poll: true},
		"polled, and read before":  {reads: true, poll: true, after: 1, want: true},
		"network, and read since":  {reads: true, path: "/proc/sys/kernel/random"},
		"network, and read before": {reads: true, path: "/proc/sys/kernel/random", after: 1, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			if test.path != "" && runtime.GOOS != "linux" {
				t.Skip("there is no network drive")
			}
			path := cmp.Or(test.path, t.TempDir())
			w, err := watcher.New([]watcher.Root{{Path: path, Depth: 1, Settle: time.Second, Include: []string{"*.jpg"}}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if test.reads {
				ctx, cancel := context.WithCancel(t.Context())
				var running sync.WaitGroup
				running.Go(func() { _ = w.Run(ctx) })
				defer running.Wait()
				defer cancel()
				<-w.FirstRead()
			}
			d := DaemonOf(publish.Publisher{Files: reading.Files{Watcher: w}})
			d.board.roots["/one"] = &reading.Root{Rules: plan.Rules{DeleteGone: true}}
			d.board.roots[path] = &reading.Root{Poll: test.poll, Rules: d.board.roots["/one"].Rules}
			key := syncstate.Folder{Root: "/one", Path: "gone"}
			if test.own {
				key.Root = path
			}
			root := w.Roots()[0]
			absent := watcher.Absence{Since: root.LastRead.Add(-root.ReadTook).Add(test.after)}
			if got := d.board.Around(key, syncstate.Record{}, &absent); (got.MayStandIn == path) != test.want {
				t.Errorf("%+v beside %+v", got, root)
			}
		})
	}
}

// A namesake stands, and is another folder. Where a project is given, by its UUID or title, it is there.
func TestNamesake(t *testing.T) {
	rules, err := layout.Parse("{project}/{sku}")
	if err != nil {
		t.Fatal(err)
	}
	root := &reading.Root{Rules: plan.Rules{Layout: rules}}
	key := syncstate.Folder{Root: "/one", Path: "Summer/SKU-1"}
	autumn := func(sku string) syncstate.Folder { return syncstate.Folder{Root: "/one", Path: "Autumn/" + sku} }
	named, renamed := status.ProductStatus{SKU: "SKU-1", Title: "SKU-1"}, status.ProductStatus{SKU: "SKU-3", Title: "SKU-3"}
	for name, test := range map[string]struct {
		other *folder
		in    apiclient.Project
		want  string
	}{
		"in another project":  {&folder{key: autumn("SKU-1")}, apiclient.Project{}, "Autumn/SKU-1"},
		"gone":                {&folder{key: autumn("SKU-1"), gone: true}, apiclient.Project{}, ""},
		"of another name":     {&folder{key: autumn("SKU-2")}, apiclient.Project{}, ""},
		"by its product.toml": {&folder{key: autumn("SKU-2"), status: named}, apiclient.Project{}, "Autumn/SKU-2"},
		"no more by its path": {&folder{key: autumn("SKU-1"), status: renamed}, apiclient.Project{}, ""},
		"in its project":      {&folder{key: autumn("SKU-1")}, apiclient.Project{UUID: "autumn", Title: "Autumn"}, "Autumn/SKU-1"},
		"by a project's UUID": {&folder{key: autumn("SKU-1")}, apiclient.Project{UUID: "Autumn", Title: "Leaves"}, "Autumn/SKU-1"},
		"not in its project":  {&folder{key: autumn("SKU-1")}, apiclient.Project{UUID: "summer", Title: "Summer"}, ""},
		"itself":              {&folder{key: key}, apiclient.Project{}, ""},
	} {
		d := DaemonOf(publish.Publisher{})
		test.other.root = root
		d.board.folders.all[test.other.key] = test.other
		if got := d.board.Namesake(key, test.in, "SKU-1", "SKU-1"); got != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A folder is missed only after the whole reads that make it gone.
func TestOnlyAGoneFolderIsMissed(t *testing.T) {
	d := DaemonOf(publish.Publisher{})
	for path, gone := range map[string]bool{"stands": false, "gone": true} {
		key := syncstate.Folder{Root: "/one", Path: path}
		d.board.folders.all[key] = &folder{key: key, gone: gone}
		if d.board.IsMissed(key) != gone {
			t.Errorf("%s: missed %t", path, !gone)
		}
	}
	if d.board.IsMissed(syncstate.Folder{Root: "/one", Path: "never seen"}) {
		t.Error("a folder that was never seen is missed")
	}
}

// Two folders that the state file has with one product both call a person, and nothing is done for
// either. Each names the other one, with its root where that is another one. When one is forgotten, the other goes on.
func TestTwoFoldersWithOneProduct(t *testing.T) {
	d := idleDaemon(t)
	root := d.config.Watch[0].Path
	one, other := syncstate.Folder{Root: root, Path: "Summer/SKU-1"}, syncstate.Folder{Root: "/other", Path: "Summer/SKU-1"}
	d.board.roots[other.Root] = d.board.roots[root]
	jobs := map[syncstate.Folder]*publish.Job{}
	for _, key := range []syncstate.Folder{one, other} {
		err := d.records.Update(key, func(r *syncstate.Record) error {
			r.Product.UUID, r.Run = "shoe", &syncstate.Run{Phase: syncstate.Processing}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		f := d.board.newFolder(key)
		d.board.folders.add(f)
		jobs[key] = d.board.jobOf(f)
	}
	next := func(key syncstate.Folder) plan.Step {
		s, err := jobs[key].Scene()
		if err != nil {
			t.Fatal(err)
		}
		return plan.Next(s)
	}
	for key, with := range map[syncstate.Folder]string{one: "/other/Summer/SKU-1", other: filepath.ToSlash(root) + "/Summer/SKU-1"} {
		if step := next(key); step.Action != plan.Idle || !step.Cause.Is(status.SharedProduct) || step.Cause.Name != with {
			t.Errorf("%s: %+v", key.Path, step)
		}
	}
	if err := d.records.Delete(other); err != nil {
		t.Fatal(err)
	}
	if step := next(one); step.Action != plan.Poll {
		t.Errorf("when the other is forgotten: %+v", step)
	}
}

// Between two steps of a folder that was renamed, the status has its product under the new name.
func TestRenamedFolderKeepsItsProductOnDisplay(t *testing.T) {
	from, to := syncstate.Folder{Root: "/one", Path: "old"}, syncstate.Folder{Root: "/one", Path: "new"}
	d := DaemonOf(publish.Publisher{Files: reading.Files{Watcher: new(watcher.Watcher)}})
	at := time.Unix(1_800_000_000, 0)
	was := status.ProductStatus{
		Root: from.Root, Folder: from.Path, Project: "Summer", Product: "its product", Title: "old", SKU: "old",
		Live: status.Live{Revision: 7, PublishedAt: &at}, Arrived: at,
	}
	d.board.folders.all[from] = &folder{key: from, gone: true, status: was}
	d.board.folders.all[to] = &folder{key: to, status: status.ProductStatus{Root: to.Root, Folder: to.Path}}
	d.board.Renamed(from, to)
	want := was
	want.Folder = to.Path
	if _, known := d.board.display.Last(from); known {
		t.Error("the earlier name is still on display")
	}
	if got, _ := d.board.display.Last(to); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
