package renamed

import (
	"slices"
	"strings"
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/syncstate"
)

// recordedAs is the record of a published folder.
func recordedAs(product string, bytes int64) syncstate.Record {
	return syncstate.Record{Product: syncstate.Product{UUID: product}, Published: &syncstate.Published{Images: 2, Bytes: bytes}}
}

// TestFoldersBySize: a folder is found by its size key, and by any while it has none of its own,
// unless it was on the disk since.
func TestFoldersBySize(t *testing.T) {
	var x Index
	now := time.Unix(100, 0)
	a, b, moved, begun := syncstate.Folder{Path: "a"}, syncstate.Folder{Path: "b"}, syncstate.Folder{Path: "c"}, syncstate.Folder{Path: "d"}
	small, large := plan.SizeKey{Images: 2, Bytes: 20}, plan.SizeKey{Images: 2, Bytes: 30}
	want := func(when string, size plan.SizeKey, folders ...string) {
		t.Helper()
		var got []string
		for _, key := range x.unseen(now, size) {
			got = append(got, key.Path)
		}
		if slices.Sort(got); !slices.Equal(got, folders) {
			t.Errorf("%s: found %v, want %v", when, got, folders)
		}
	}
	x.seen(a, now)
	x.File(a, recordedAs("shoe", 20))
	x.File(b, recordedAs("boot", 30))
	want("small", small, "a")
	want("large", large, "b")
	x.File(begun, syncstate.Record{Run: plantest.Making("hat")})
	want("beside one that is begun", small, "a", "d")
	x.Drop(begun)
	x.seen(a, now)
	x.File(a, recordedAs("shoe", 20))
	want("seen", small)
	x.seen(a, now.Add(-1))
	want("seen before", small, "a")
	x.seen(a, now)
	x.File(a, recordedAs("shoe", 30))
	want("seen, and grown", large, "b")
	x.Move(b, moved)
	want("moved", large, "c")
	if x.SizeOf(b) != (plan.SizeKey{}) || x.SizeOf(moved) != large || x.SizeOf(a) != large {
		t.Errorf("the keys are %v, %v, %v", x.SizeOf(b), x.SizeOf(moved), x.SizeOf(a))
	}
	x.Drop(a)
	x.File(moved, syncstate.Record{})
	if want("taken out", large); len(x.folders)+len(x.bySize)+len(x.byProduct) > 0 {
		t.Errorf("%v, %v and %v are kept", x.folders, x.bySize, x.byProduct)
	}
}

// TestFoldersAlike: they come by their names, without the folder itself, and not where there are
// many.
func TestFoldersAlike(t *testing.T) {
	var x Index
	size := plan.SizeKey{Images: 2, Bytes: 20}
	for i := range mostAlike + 1 {
		x.File(syncstate.Folder{Path: string(rune('z' - i))}, recordedAs("shoe", 20))
	}
	all := x.alike(syncstate.Folder{Path: "z"}, size)
	if byName := func(a, b syncstate.Folder) int { return strings.Compare(a.Path, b.Path) }; len(all) != mostAlike || !slices.IsSortedFunc(all, byName) {
		t.Errorf("the folders are %v", all)
	}
	x.File(syncstate.Folder{Path: "one more"}, recordedAs("shoe", 20))
	if many := x.alike(syncstate.Folder{Path: "z"}, size); len(many) > 0 {
		t.Errorf("of many there are %v", many)
	}
}

// TestFoldersByProduct: a product is that of the folder whose record has it, and of both where two
// have it.
func TestFoldersByProduct(t *testing.T) {
	var x Index
	a, b, c := syncstate.Folder{Path: "a"}, syncstate.Folder{Path: "b"}, syncstate.Folder{Path: "c"}
	want := func(when string, key syncstate.Folder, product, owner string) {
		t.Helper()
		if other, has := x.Another(key, product); has != (owner != "") || other.Path != owner {
			t.Errorf("%s: %s has also %q, want %q", when, key.Path, other.Path, owner)
		}
	}
	want("nothing is filed", a, "shoe", "")
	x.File(a, recordedAs("shoe", 20))
	x.File(b, syncstate.Record{})
	want("its own", a, "shoe", "")
	want("that of another", b, "shoe", "a")
	want("none", b, "", "")
	x.File(c, recordedAs("shoe", 20))
	want("of both", a, "shoe", "c")
	want("of both", c, "shoe", "a")
	x.File(c, recordedAs("hat", 20))
	want("given up", a, "shoe", "")
	x.Move(a, b)
	want("moved", a, "shoe", "b")
	var again Index
	again.File(c, recordedAs("shoe", 20))
	x.Replace(&again)
	want("read again", a, "shoe", "c")
	want("read again", b, "hat", "")
}

// TestSizeKeyOfARecord: a folder is found by the frames that its record has as a whole, else as one
// of any size.
func TestSizeKeyOfARecord(t *testing.T) {
	published := plantest.Published(plantest.AScene(3)).Record
	published.Published.Bytes = 3000
	run := func(sent, images int) syncstate.Record {
		return plantest.Running(plantest.AScene(3), sent, images).Record
	}
	reshot := published
	reshot.Run = run(1, 3).Run
	for name, test := range map[string]struct {
		record syncstate.Record
		want   plan.SizeKey
	}{
		"nothing":            {syncstate.Record{}, plan.SizeKey{}},
		"a product":          {syncstate.Record{Product: syncstate.Product{UUID: "p"}}, anySize},
		"a create":           {syncstate.Record{Run: plantest.Making("SKU-1")}, anySize},
		"a run of none":      {run(0, 0), anySize},
		"a run of some":      {run(2, 3), anySize},
		"a run of one":       {run(1, 1), plan.SizeKey{Images: 1, Bytes: 1000}},
		"a whole run":        {run(3, 3), plan.SizeKey{Images: 3, Bytes: 3000}},
		"a view":             {published, plan.SizeKey{Images: 3, Bytes: 3000}},
		"a view, with a run": {reshot, anySize},
	} {
		if got := SizeKeyOf(test.record); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}
