package volume

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The root of a volume has the same file id on every volume. There, only a volume with an id of its
// own is known for sure. A directory below it is known by its file id.
func TestRootOfAVolume(t *testing.T) {
	for dir, top := range map[string]bool{"/": true, t.TempDir(): false} {
		v, err := Survey(dir)
		if err != nil || topmost(dir, v.mount) != top {
			t.Fatalf("%s: a volume stands there: %t, %v", dir, !top, err)
		}
		if want := v.Lasting && (v.Identity.ID != "" || !top); v.Sure != want {
			t.Errorf("%s: %+v", dir, v)
		}
	}
}

// A volume that was not surveyed may be anywhere.
func TestUnknownVolumeStandsAnywhere(t *testing.T) {
	if !(Volume{}).StandsAt(t.TempDir()) {
		t.Error("it does not stand at a directory")
	}
}

// An identity differs from another by the first of its parts that both know.
func TestIdentitiesThatDiffer(t *testing.T) {
	known := Identity{FS: "ext4", ID: "1", Root: 2}
	for now, want := range map[Identity]string{
		known: "", {}: "", {FS: "ext4"}: "", {ID: "1", Root: 2}: "",
		{FS: "xfs", ID: "2"}: "(xfs in place of ext4)", {ID: "2", Root: 3}: "(2 in place of 1)",
		{FS: "ext4", Root: 3}: "(file id 3 in place of 2)",
	} {
		for _, got := range []string{known.Differs(now), (Identity{}).Differs(now)} {
			if got == "" && want != "" || !strings.HasSuffix(got, want) {
				t.Errorf("%+v: %q, want %q", now, got, want)
			}
			want = "" // of what is not known nothing differs
		}
	}
	if known.IsZero() || !(Identity{}).IsZero() {
		t.Error("an identity equals none")
	}
}

// File ids and times of changes count only where they last, and a survey distinguishes one mount
// from another.
func TestSurvey(t *testing.T) {
	lasting, changes, passing := Volume{Lasting: true}, Volume{Changes: true}, Volume{}
	if lasting.FileID(7) != 7 || passing.FileID(7) != 0 || changes.ChangeTime(7) != 7 || passing.ChangeTime(7) != 0 {
		t.Error("ids or times that do not last count")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{file: "is not a directory", file + "/x": "", dir + "/missing": "is missing"} {
		if _, err := Survey(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	on, err := Survey(dir)
	if err != nil || !on.StandsAt(dir) || !on.SameMount(on) {
		t.Errorf("%+v, %v", on, err)
	}
	if other, err := Survey(t.TempDir()); err != nil || on.Lasting && on.Identity.Differs(other.Identity) == "" {
		t.Errorf("another directory has the identity %+v, %v", other.Identity, err)
	}
	if runtime.GOOS != "windows" && (on.StandsAt(t.TempDir()) || on.StandsAt(dir+"/missing") || on.SameMount(Volume{})) {
		t.Errorf("another directory is taken for the one that was surveyed: %+v", on)
	}
}
