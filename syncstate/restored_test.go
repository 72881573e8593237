package syncstate

import (
	"os"
	"path/filepath"
	"testing"
)

// A file from a backup is told from the one that was used last, whatever closed files were copied,
// and what it says is marked.
func TestFileFromBackup(t *testing.T) {
	path := checkedPath(t)
	session := func(title string) (reconciled bool, record Record) {
		t.Helper()
		s, err := Open(path, studio())
		must(t, err)
		root, err := s.Root(shoe().Root)
		must(t, err)
		record, err = s.Record(shoe())
		must(t, err)
		must(t, s.Update(shoe(), func(r *Record) error { r.Product.Title, r.Unreconciled = title, false; return nil }))
		must(t, s.UpdateRoot(shoe().Root, func(r *RootRecord) error { r.Reconciled = true; return nil }))
		must(t, s.Close())
		return root.Reconciled, record
	}
	session("first")
	if reconciled, record := session("second"); !reconciled || record.Unreconciled {
		t.Fatal("the file that was used last counts as a backup")
	}
	backup, err := os.ReadFile(path)
	must(t, err)
	witness, err := os.ReadFile(witnessFile(path))
	must(t, err)
	session("third")

	must(t, os.WriteFile(path, backup, 0o600))
	if !isOlder(t, path) {
		t.Error("a file from a backup is not told by reading")
	}
	if reconciled, record := session("fourth"); reconciled || !record.Unreconciled || record.Product.Title != "second" {
		t.Errorf("reconciled %v, %+v", reconciled, record)
	}
	if isOlder(t, path) {
		t.Error("a file from a backup is told although it was opened since")
	}
	if _, record := session("fifth"); record.Unreconciled {
		t.Error("the next opening marks the records again")
	}

	must(t, os.WriteFile(witnessFile(path), witness, 0o600)) // as after a kill before it was written
	if _, record := session("sixth"); record.Unreconciled {
		t.Error("an older witness makes a backup of the newest file")
	}
	if Lost(path) || Lost(filepath.Join(t.TempDir(), "never")) {
		t.Error("a file that is there, or never was, counts as lost")
	}
	must(t, os.Remove(path))
	if !Lost(path) {
		t.Error("a lost file is not told")
	}
	if reconciled, _ := session("seventh"); reconciled {
		t.Error("a file that was made anew knows a root")
	}
}

func isOlder(t *testing.T, path string) bool {
	t.Helper()
	s, err := OpenReadOnly(path, studio())
	must(t, err)
	defer s.Close()
	older, err := s.FromBackup()
	must(t, err)
	return older
}

// TestBackupOfWhatWasBegun: a failure of the time of a backup holds nothing up, and its upload form
// is not used any more.
func TestBackupOfWhatWasBegun(t *testing.T) {
	path := checkedPath(t)
	s := opened(t, path)
	begun := running(2)
	begun.Trouble = &Trouble{Kind: Retried, Tries: Tries{N: 3, Next: noon}}
	set(t, s, shoe(), begun)
	must(t, s.Close())
	must(t, os.WriteFile(witnessFile(path), []byte("of another file"), 0o600))
	record, err := opened(t, path).Record(shoe())
	must(t, err)
	if begun.Run.Form == nil || record.Run == nil || record.Run.Form != nil || record.Trouble != nil {
		t.Errorf("%+v with the run %+v", record, record.Run)
	}
}

// A witness that is missing, or that a power failure emptied, tells nothing.
func TestWitness(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	if comesFromBackup(path, nil) {
		t.Error("without a witness it comes from a backup")
	}
	for mark, want := range map[string]bool{"": false, "\n": false, "first\n": false, "second\n": true} {
		must(t, os.WriteFile(witnessFile(path), []byte(mark), 0o600))
		if got := comesFromBackup(path, []string{"first"}); got != want {
			t.Errorf("%q: %t, want %t", mark, got, want)
		}
	}
}
