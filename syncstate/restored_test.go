package syncstate

import (
	"os"
	"testing"
)

// A file from a backup is told from the one that was used last, whatever closed files were copied, and what it says is marked.
func TestFileFromBackup(t *testing.T) {
	path := checkedPath(t)
	session := func(title string) (restored bool, record Record) {
		t.Helper()
		s, err := Open(path, studio())
		must(t, err)
		at, err := s.Restored()
		must(t, err)
		record, err = s.Record(shoe())
		must(t, err)
		must(t, s.Update(shoe(), func(r *Record) error { r.Product.Title, r.Restored = title, false; return nil }))
		must(t, s.Close())
		return !at.IsZero(), record
	}
	session("first")
	if restored, record := session("second"); restored || record.Restored {
		t.Fatal("the file that was used last counts as a backup")
	}
	backup, err := os.ReadFile(path)
	must(t, err)
	witness, err := os.ReadFile(witnessFile(path))
	must(t, err)
	session("third")

	must(t, os.WriteFile(path, backup, 0o600))
	if restored, record := session("fourth"); !restored || !record.Restored || record.Product.Title != "second" {
		t.Errorf("restored %v, %+v", restored, record)
	}
	if _, record := session("fifth"); record.Restored {
		t.Error("the next opening marks the records again")
	}

	must(t, os.WriteFile(witnessFile(path), witness, 0o600)) // as after a kill before it was written
	if _, record := session("sixth"); record.Restored {
		t.Error("an older witness makes a backup of the newest file")
	}
	must(t, os.Remove(path))
	if restored, _ := session("seventh"); !restored {
		t.Error("a file that was made anew in place of a lost one is not told")
	}
}
