package syncstate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// untouched is a migration that keeps every value as it is.
func untouched(_ list, key, value []byte) (newKey, newValue []byte, err error) {
	return key, value, nil
}

// older makes a file of this schema, which is an older one for a program that knows a migration
// from it.
func older(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "state.db")
	for _, account := range []Account{studio(), otherAccount} {
		s, err := Open(path, account)
		must(t, err)
		if account == studio() {
			recordAll(t, s, 2)
		} else {
			set(t, s, shoe(), running(2))
		}
		must(t, s.Close())
	}
	must(t, os.Remove(witnessFile(path)))
	return path
}

var otherAccount = Account{BaseURL: "https://test.example.com", Username: "studio"}

// openConverted opens a file with the migration until the test ends.
func openConverted(t *testing.T, path string) *Store {
	t.Helper()
	s, err := open(path, studio(), []migration{untouched})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// wantWhole makes sure that a store knows all that was in the older file.
func wantWhole(t *testing.T, s *Store) {
	t.Helper()
	wantRecord(t, s, shoe(), all(2))
	h, err := s.History()
	must(t, err)
	if diff := cmp.Diff(pastOf(2), h); diff != "" {
		t.Error(diff)
	}
	project, err := s.Project("Summer")
	must(t, err)
	root, err := s.Root("/srv/shoots")
	must(t, err)
	paused, err := AllPaused.Read(s)
	must(t, err)
	until, err := s.Told()
	must(t, err)
	if project.UUID != "project" || root.Volume != "disk" || !paused || !until["webhook"].Equal(noon) {
		t.Errorf("%+v, %+v, %v, %v", project, root, paused, until)
	}
}

func TestOlderFileIsConverted(t *testing.T) {
	path := older(t)
	s, err := open(path, studio(), []migration{untouched})
	must(t, err)
	wantWhole(t, s)
	must(t, s.Close())
	kept := opened(t, copyOf(path, 1))
	wantWhole(t, kept)
	must(t, kept.Close())
	must(t, os.Remove(witnessFile(copyOf(path, 1))))
	other, err := open(path, otherAccount, []migration{untouched})
	must(t, err)
	wantRecord(t, other, shoe(), running(2))
	must(t, other.Close())
	entries, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	if len(entries) != 3 { // the file, the one that was kept, and the witness
		t.Errorf("left behind: %v", entries)
	}
}

// TestConvertingProcess is the child of TestKilledWhileConverting: it ends at the value whose
// number follows the path.
func TestConvertingProcess(t *testing.T) {
	path, number, found := strings.Cut(os.Getenv(childFile), "*")
	if !found {
		t.Skip("it is the child of TestKilledWhileConverting")
	}
	left, err := strconv.Atoi(number)
	must(t, err)
	s, err := open(path, studio(), []migration{func(at list, key, value []byte) ([]byte, []byte, error) {
		if left--; left < 0 {
			os.Exit(3)
		}
		return untouched(at, key, value)
	}})
	must(t, err)
	must(t, s.Close())
	fmt.Println("converted")
}

// A process that is killed at any value leaves the file as it was, and the next one converts it.
func TestKilledWhileConverting(t *testing.T) {
	path := older(t)
	for number := 0; ; number++ {
		out, err := child(t, "TestConvertingProcess", path+"*"+strconv.Itoa(number)).Output()
		if strings.Contains(string(out), "converted") {
			break
		}
		if err == nil || number > 100 {
			t.Fatalf("%v\n%s", err, out)
		}
		must(t, Check(path))
	}
	wantWhole(t, openConverted(t, path))
}

// Four processes that find an older file convert it once, and one of them has it.
func TestConvertedByManyAtOnce(t *testing.T) {
	path := older(t)
	stores, errs := make(chan *Store), make(chan error)
	for range 4 {
		go func() {
			s, err := open(path, studio(), []migration{untouched})
			stores <- s
			errs <- err
		}()
	}
	var got *Store
	for range 4 {
		s, err := <-stores, <-errs
		switch {
		case err == nil && got == nil:
			got = s
		case !errors.Is(err, ErrLocked):
			t.Errorf("a second store: %v, %v", s, err)
		}
	}
	if got == nil {
		t.Fatal("nobody got the file")
	}
	wantWhole(t, got)
	set(t, got, folder(1), running(1))
	must(t, got.Close())
	wantRecord(t, openConverted(t, path), folder(1), running(1))
}
