package volume

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Two drives of a kind have the same file ids, not only at their tops: the first directory after the
// formatting has the same one on each. So only a volume with an id of its own is known for sure.
func TestOnlyAnIDOfTheVolumeMakesSure(t *testing.T) {
	all := []string{"/", t.TempDir()}
	if below, err := os.MkdirTemp("/dev/shm", ""); err == nil { // where a volume has no id
		defer os.Remove(below)
		all = append(all, below)
	}
	for _, dir := range all {
		if v, err := Survey(dir); err != nil || v.Sure != (v.Lasting && v.ID != "") {
			t.Errorf("%s: %+v, %v", dir, v, err)
		}
	}
}

// A volume that was not surveyed is taken to stand anywhere.
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
		t.Error("an identity is not told from none")
	}
}

// File ids and times of changes count only where they last, and a survey tells one mount from
// another.
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
	if runtime.GOOS != "windows" && (on.StandsAt(t.TempDir()) || on.StandsAt(dir+"/missing") || on.SameMount(Volume{})) {
		t.Errorf("another directory is taken for the one that was surveyed: %+v", on)
	}
}
