package syncstate

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// askedFile is a file in which people asked for something, as bytes.
func askedFile(t *testing.T, allPaused time.Time) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	for _, account := range []Account{studio(), otherAccount} {
		s, err := Open(path, account)
		must(t, err)
		recordAll(t, s, 2)
		must(t, AllPaused.Set(s, allPaused))
		paused, first := finished(2), running(2)
		paused.Wishes.Paused, paused.Wishes.Verify, paused.Wishes.AsIs = noon, true, AsIsWhenQuiet
		first.Wishes.Priority = true
		set(t, s, folder(1), paused)
		set(t, s, folder(2), first)
		must(t, s.Close())
	}
	data, err := os.ReadFile(path)
	must(t, err)
	return data
}

var otherAccount = Account{BaseURL: "https://test.example.com", Username: "studio"}

// changed is a file in which a transaction changed something, without any checksum.
func changed(t *testing.T, data []byte, change func(*bolt.Tx) error) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	must(t, os.WriteFile(path, data, 0o600))
	db, err := bolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, errors.Join(db.Update(change), db.Close()))
	data, err = os.ReadFile(path)
	must(t, err)
	return data
}

// spoiledIn flips a bit in the first value of a list of the studio's.
func spoiledIn(name string) func(*bolt.Tx) error {
	return func(tx *bolt.Tx) error {
		return spoil(tx, name, func(b *bolt.Bucket, key, stored []byte) error {
			stored[len(stored)/2] ^= 4
			return b.Put(key, stored)
		})
	}
}

// renewed makes a new file of damaged bytes.
func renewed(t *testing.T, data []byte) (path string, made Renewal) {
	t.Helper()
	path = checkedPath(t)
	must(t, os.WriteFile(path, data, 0o600))
	made, err := Renew(path, studio())
	must(t, err)
	kept, err := os.ReadFile(made.Kept)
	must(t, err)
	if !bytes.Equal(kept, data) || !strings.HasPrefix(made.Kept, path) {
		t.Errorf("kept as %q: %d bytes of %d", made.Kept, len(kept), len(data))
	}
	return path, made
}

// No pause is lost with a damaged file. Where all pauses can be read, nothing else is paused.
func TestRenewKeepsPauses(t *testing.T) {
	for _, name := range []string{"projects", "published", "roots", "runs"} {
		for _, allPaused := range []time.Time{{}, noon} {
			path, made := renewed(t, changed(t, askedFile(t, allPaused), spoiledIn(name)))
			if made.Paused {
				t.Errorf("%s: a pause is taken for lost", name)
			}
			for _, account := range []Account{studio(), otherAccount} {
				s, err := Open(path, account)
				must(t, err)
				wantRecord(t, s, folder(1), Record{Wishes: Wishes{Paused: noon, AsIs: AsIsWhenQuiet}, Doubted: true})
				wantRecord(t, s, folder(2), Record{Wishes: Wishes{Priority: true}, Doubted: true})
				wantRecord(t, s, shoe(), Record{})
				if paused, err := AllPaused.Read(s); !paused.Equal(allPaused) || err != nil {
					t.Errorf("%s: all paused %v, %v", name, paused, err)
				}
				must(t, s.Close())
			}
		}
	}
}

// Where a pause may be lost, everything is paused, in each account, whenever it is first used.
func TestRenewPausesEverything(t *testing.T) {
	sound := askedFile(t, time.Time{})
	account := func(tx *bolt.Tx) *bolt.Bucket { return tx.Bucket([]byte("accounts")).Bucket(studio().key()) }
	headers := bytes.Clone(sound)
	clear(headers[:2*pageSize])
	for name, data := range map[string][]byte{
		"a folder": changed(t, sound, spoiledIn("folders")),
		"a note":   changed(t, sound, spoiledIn("notes")),
		"a folder is missing": changed(t, sound, func(tx *bolt.Tx) error {
			return account(tx).Bucket([]byte("folders")).Delete(folder(1).key())
		}),
		"the list of folders is missing": changed(t, sound, func(tx *bolt.Tx) error {
			return account(tx).DeleteBucket([]byte("folders"))
		}),
		"the list of folders has another name": changed(t, sound, func(tx *bolt.Tx) error {
			strayed, err := account(tx).CreateBucket([]byte("golders"))
			must(t, err)
			must(t, account(tx).Bucket([]byte("folders")).ForEach(strayed.Put))
			return account(tx).DeleteBucket([]byte("folders"))
		}),
		"the headers":    headers,
		"cut":            sound[:5*pageSize],
		"empty":          {},
		"an older file":  ofVersion(t, strconv.Itoa(schema-1)),
		"a newer file":   ofVersion(t, strconv.Itoa(schema+1)),
		"of no version":  ofVersion(t, ""),
		"a damaged list": changed(t, changed(t, sound, spoiledIn("folders")), spoiledIn("published")),
	} {
		path, made := renewed(t, data)
		s := opened(t, path)
		if paused, err := AllPaused.Read(s); paused.IsZero() || !made.Paused || err != nil {
			t.Errorf("%s: all paused %v, %v, %v", name, paused, made.Paused, err)
		}
		wantRecord(t, s, shoe(), Record{})
		must(t, s.Close())
		s, err := Open(path, Account{BaseURL: "https://later.example.com", Username: "studio"})
		must(t, err)
		if paused, err := AllPaused.Read(s); paused.IsZero() || err != nil {
			t.Errorf("%s: an account that is used later: all paused %v, %v", name, paused, err)
		}
		must(t, s.Close())
	}
}

// A renewed file knows its age, another one none.
func TestRenewed(t *testing.T) {
	before := time.Now()
	path, _ := renewed(t, changed(t, askedFile(t, time.Time{}), spoiledIn("runs")))
	s := opened(t, path)
	if at, err := s.Renewed(); at.Before(before) || at.After(time.Now()) || err != nil {
		t.Errorf("renewed at %v, %v", at, err)
	}
	if at, err := opened(t, filepath.Join(t.TempDir(), "state.db")).Renewed(); !at.IsZero() || err != nil {
		t.Errorf("a new file: renewed at %v, %v", at, err)
	}
}

// For each page that may be lost, a pause is carried over or everything is paused.
func TestRenewOfAPage(t *testing.T) {
	data := askedFile(t, time.Time{})
	for at := 2 * pageSize; at < used(t, data); at += pageSize {
		garbled := bytes.Clone(data)
		clear(garbled[at : at+pageSize])
		path := filepath.Join(t.TempDir(), "state.db")
		must(t, os.WriteFile(path, garbled, 0o600))
		if Check(path) == nil {
			continue // nothing lay there
		}
		path, made := renewed(t, garbled)
		s := opened(t, path)
		r, err := s.Record(folder(1))
		must(t, err)
		if r.Wishes.Paused.IsZero() && !made.Paused {
			t.Errorf("page %d: the pause is lost", at/pageSize)
		}
		must(t, s.Close())
	}
}

// A file that can be used, or is not ours, stays as it is.
func TestRenewOfAnotherFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	if made, err := Renew(path, studio()); made.Kept != "" || err != nil {
		t.Errorf("no file: %v, %v", made, err)
	}
	for name, data := range map[string][]byte{"sound": askedFile(t, noon), "foreign": []byte("not a database")} {
		must(t, os.WriteFile(path, data, 0o600))
		made, err := Renew(path, studio())
		kept, readErr := os.ReadFile(path)
		must(t, readErr)
		if !bytes.Equal(kept, data) || made.Kept != "" || (err == nil) != (name == "sound") {
			t.Errorf("%s: %v, %v", name, made, err)
		}
	}
}
