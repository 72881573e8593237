package syncstate

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"
)

// schema1 is a file that version 1 of the schema wrote, by recordAll and for two accounts.
func schema1(t *testing.T) []byte {
	t.Helper()
	packed, err := os.Open("testdata/schema1.db.gz")
	must(t, err)
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	must(t, err)
	data, err := io.ReadAll(r)
	must(t, err)
	return data
}

func schema1File(t *testing.T) string {
	path := checkedPath(t)
	must(t, os.WriteFile(path, schema1(t), 0o600))
	return path
}

// wantSchema1 makes sure that a store knows all that was in the file of version 1.
func wantSchema1(t *testing.T, s *Store) {
	t.Helper()
	wantRecord(t, s, shoe(), all(2))
	h, err := s.History()
	must(t, err)
	want := pastOf(2)
	want.Asides = nil // were not recorded then
	if diff := cmp.Diff(want, h); diff != "" {
		t.Error(diff)
	}
	project, err := s.Project("Summer")
	must(t, err)
	root, err := s.Root("/srv/shoots")
	must(t, err)
	paused, err := s.Paused()
	must(t, err)
	until, err := s.Told()
	must(t, err)
	if project.UUID != "project" || root.Volume != "disk" || !paused || !until["webhook"].Equal(noon) {
		t.Errorf("%+v, %+v, %v, %v", project, root, paused, until)
	}
}

func TestSchema1IsConverted(t *testing.T) {
	path := schema1File(t)
	for _, err := range []error{Check(path), readOnly(path)} {
		if err == nil || errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), "older version: start spinsync run or sync") {
			t.Errorf("for reading: %v", err)
		}
	}
	s := opened(t, path)
	wantSchema1(t, s)
	must(t, s.Close())
	must(t, Check(path))
	kept, err := os.ReadFile(copyOf(path, 1))
	must(t, err)
	if !bytes.Equal(kept, schema1(t)) {
		t.Error("what is kept is not the file as it was")
	}
	other, err := Open(path, Account{BaseURL: "https://test.example.com", Username: "studio"})
	must(t, err)
	wantRecord(t, other, shoe(), running(2))
	must(t, other.Close())
	entries, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	if len(entries) != 3 { // the file, the one that was kept, and the witness
		t.Errorf("left behind: %v", entries)
	}
}

func readOnly(path string) error {
	s, err := OpenReadOnly(path, studio())
	if err == nil {
		err = s.Close()
	}
	return err
}

// What can be told to be damaged is not given a checksum that says it is sound.
func TestDamagedSchema1IsRefused(t *testing.T) {
	for name, garble := range map[string]func(*bolt.Bucket) error{
		"folders":   func(b *bolt.Bucket) error { return b.Bucket([]byte("folders")).Put(shoe().key(), []byte(`{"state":`)) },
		"published": func(b *bolt.Bucket) error { return b.Bucket([]byte("published")).Put(shoe().key(), []byte("x")) },
	} {
		path := filepath.Join(t.TempDir(), "state.db")
		must(t, os.WriteFile(path, schema1(t), 0o600))
		db, err := bolt.Open(path, 0o600, &bolt.Options{PageSize: pageSize})
		must(t, err)
		must(t, db.Update(func(tx *bolt.Tx) error { return garble(tx.Bucket([]byte("accounts")).Bucket(studio().key())) }))
		must(t, db.Close())
		before, err := os.ReadFile(path)
		must(t, err)
		if _, err := Open(path, studio()); !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		after, err := os.ReadFile(path)
		must(t, err)
		if !bytes.Equal(before, after) {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

// TestConvertingProcess is the child of TestKilledWhileConverting: it ends at the value whose number follows the path.
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
		return addSum(at, key, value)
	}})
	must(t, err)
	must(t, s.Close())
	fmt.Println("converted")
}

// A process that is killed at any value leaves the file as it was, and the next one converts it.
func TestKilledWhileConverting(t *testing.T) {
	path := schema1File(t)
	for number := 0; ; number++ {
		out, err := child(t, "TestConvertingProcess", path+"*"+strconv.Itoa(number)).Output()
		if strings.Contains(string(out), "converted") {
			break
		}
		if err == nil || number > 100 {
			t.Fatalf("%v\n%s", err, out)
		}
		data, err := os.ReadFile(path)
		must(t, err)
		if !bytes.Equal(data, schema1(t)) {
			t.Fatalf("value %d: the file was changed", number)
		}
	}
	wantSchema1(t, opened(t, path))
}

// Four processes that find a file of version 1 convert it once, and one of them has it.
func TestConvertedByManyAtOnce(t *testing.T) {
	path := schema1File(t)
	stores, errs := make(chan *Store), make(chan error)
	for range 4 {
		go func() {
			s, err := Open(path, studio())
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
	wantSchema1(t, got)
	set(t, got, folder(1), running(1))
	must(t, got.Close())
	wantRecord(t, opened(t, path), folder(1), running(1))
}
