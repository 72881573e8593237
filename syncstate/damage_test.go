package syncstate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"
)

// A spoiler does something to a value in its bucket.
type spoiler func(b *bolt.Bucket, key, stored []byte) error

// spoil finds the value that stands in a list of the studio's. The first of a folder's run is the
// run's.
func spoil(tx *bolt.Tx, name string, do spoiler) error {
	l := openLedger(tx, studio()).root
	for _, part := range strings.Split(name, "/") {
		l = l.in([]byte(part))
	}
	if name == "runs" {
		l = l.in(shoe().key())
	}
	key, stored := l.bucket.Cursor().First()
	return do(l.bucket, bytes.Clone(key), bytes.Clone(stored))
}

// kinds are all kinds of values, and whether damage to one concerns nothing else.
func kinds() map[string]bool {
	return map[string]bool{
		"folders": false, "history/asides": true, "history/publications": true, "history/samples": true, "notes": false,
		"projects": false, "published": true, "roots": false, "runs": true,
	}
}

// Whatever bit flips in whatever value, it is found, and the message says where and what to do.
func TestEveryFlippedBitIsFound(t *testing.T) {
	s := opened(t, checkedPath(t))
	recordAll(t, s, 1)
	bits := 0
	for name, alone := range kinds() {
		t.Run(name, func(t *testing.T) {
			before := bits
			trySpoiled(t, s, name, func(tx *bolt.Tx, b *bolt.Bucket, key, stored []byte) {
				for bit := range 8 * len(stored) {
					flipped := bytes.Clone(stored)
					flipped[bit/8] ^= 1 << (bit % 8)
					must(t, b.Put(key, flipped))
					wantFound(t, fmt.Sprintf("bit %d", bit), tx, alone)
					bits++
				}
				for size := range len(stored) {
					must(t, b.Put(key, stored[:size]))
					wantFound(t, fmt.Sprintf("cut to %d", size), tx, alone)
				}
			})
			if bits-before < 8*sumSize {
				t.Errorf("only %d bits were flipped", bits-before)
			}
		})
	}
	t.Logf("%d bits were flipped", bits)
}

// trySpoiled changes a value in a transaction that is undone.
func trySpoiled(t *testing.T, s *Store, name string, try func(tx *bolt.Tx, b *bolt.Bucket, key, stored []byte)) {
	tx, err := s.current.Load().db.Begin(true)
	must(t, err)
	must(t, spoil(tx, name, func(b *bolt.Bucket, key, stored []byte) error {
		try(tx, b, key, stored)
		return nil
	}))
	must(t, tx.Rollback())
}

func wantFound(t *testing.T, what string, tx *bolt.Tx, alone bool) {
	t.Helper()
	err := readAll(tx)
	if err == nil {
		t.Fatalf("%s: it is not found", what)
	}
	if errors.Is(err, ErrDamaged) != alone {
		t.Fatalf("%s: %v", what, err)
	}
	if said := damaged("state.db", err).Error(); !strings.Contains(said, "state.db") || !strings.Contains(said, "spinsync rebuild") || strings.Contains(said, "\n") {
		t.Fatalf("%s: it says %q", what, said)
	}
}

// A value that strayed to another key is found there, and where it was missed as far as the rest
// counts on it.
func TestEveryStrayIsFound(t *testing.T) {
	s := opened(t, checkedPath(t))
	recordAll(t, s, 2)
	for name := range kinds() {
		trySpoiled(t, s, name, func(tx *bolt.Tx, b *bolt.Bucket, key, stored []byte) {
			for bit := range 8 * len(key) {
				strayed := bytes.Clone(key)
				strayed[bit/8] ^= 1 << (bit % 8)
				kept := bytes.Clone(b.Get(strayed))
				must(t, b.Delete(key))
				must(t, b.Put(strayed, stored))
				if err := readAll(tx); err == nil {
					t.Errorf("%s: bit %d of the key is not found", name, bit)
				}
				must(t, b.Delete(strayed))
				must(t, b.Put(key, stored))
				if kept != nil {
					must(t, b.Put(strayed, kept))
				}
			}
		})
	}
}

// A value of one account, list or folder is none of another.
func TestAValueBelongsToItsPlace(t *testing.T) {
	s := opened(t, checkedPath(t))
	must(t, s.current.Load().db.Update(func(tx *bolt.Tx) error {
		must(t, makeLedger(tx, Account{BaseURL: "https://test.example.com", Username: "studio"}))
		here, there := openLedger(tx, studio()), openLedger(tx, Account{BaseURL: "https://test.example.com", Username: "studio"})
		key, value := shoe().key(), []byte("value")
		for _, other := range []list{there.list("folders"), here.list("published"), here.list("runs")} {
			if _, err := other.unseal(key, here.list("folders").seal(key, value)); err == nil {
				t.Errorf("it is taken for a value of %s", other.name)
			}
		}
		got, err := here.list("folders").unseal(key, here.list("folders").seal(key, value))
		if !bytes.Equal(got, value) {
			t.Errorf("%q, %v", got, err)
		}
		return err
	}))
}

// spoilOne damages one value of a kind for good.
func spoilOne(t *testing.T, s *Store, name string) {
	t.Helper()
	must(t, s.current.Load().db.Update(func(tx *bolt.Tx) error {
		return spoil(tx, name, func(b *bolt.Bucket, key, stored []byte) error {
			stored[len(stored)/2] ^= 4
			return b.Put(key, stored)
		})
	}))
}

// What is damaged of one folder's frames is that folder's matter: nothing is done with it, the
// others go on.
func TestADamagedFolderIsSetAside(t *testing.T) {
	for _, name := range []string{"published", "runs"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			s := opened(t, path)
			recordAll(t, s, 2)
			set(t, s, folder(1), running(1))
			spoilOne(t, s, name)
			_, reading := s.Record(shoe())
			changing := s.Update(shoe(), func(*Record) error { t.Error("it was handed out"); return nil })
			for _, err := range []error{reading, changing, s.Delete(shoe()), s.Move(shoe(), folder(2)), s.Move(folder(1), shoe()), Check(copied(t, s, path))} {
				if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), shoe().String()) || !strings.Contains(err.Error(), "spinsync rebuild") {
					t.Errorf("error %v, want ErrDamaged", err)
				}
			}
			must(t, s.Err())
			head, err := s.Head(shoe())
			if head.Product.UUID != "product" || err != nil {
				t.Errorf("head: %+v, %v", head, err)
			}
			must(t, s.Tell(shoe(), "attention", tooFew(), noon))
			head.State, head.Cause, head.Since = "attention", tooFew(), noon
			told, err := s.Head(shoe())
			if diff := cmp.Diff(head, told); diff != "" || err != nil {
				t.Errorf("what is told (-want +got):\n%s%v", diff, err)
			}
			must(t, s.Tell(folder(2), "attention", tooFew(), noon))
			set(t, s, folder(1), finished(1))
			wantRecord(t, s, folder(1), finished(1))
			n := 0
			for range s.Heads() {
				n++
			}
			if n != 2 {
				t.Errorf("%d folders are listed, want 2", n)
			}
		})
	}
}

// copied is a copy of an open file.
func copied(t *testing.T, s *Store, path string) string {
	t.Helper()
	must(t, backUp(s.current.Load().db, path+".copy"))
	return path + ".copy"
}

// Every other damage, and that of a head, makes the store stop: nobody knows whose product it is.
func TestOtherDamageStopsTheStore(t *testing.T) {
	for name, read := range map[string]func(*Store) error{
		"folders":  func(s *Store) error { _, err := s.Record(shoe()); return err },
		"notes":    func(s *Store) error { _, err := AccessKeyFields.Read(s); return err },
		"projects": func(s *Store) error { _, err := s.Project("Summer"); return err },
		"roots":    func(s *Store) error { return s.UpdateRoot("/srv/shoots", func(*RootRecord) error { return nil }) },
	} {
		s := opened(t, filepath.Join(t.TempDir(), "state.db"))
		recordAll(t, s, 2)
		spoilOne(t, s, name)
		if err := read(s); !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), "move it away and run spinsync rebuild") {
			t.Errorf("%s: error %v, want ErrBroken", name, err)
		}
		if err := s.Delete(folder(1)); !errors.Is(err, ErrBroken) {
			t.Errorf("%s: work went on: %v", name, err)
		}
	}
}

func TestADamagedPastStopsNothing(t *testing.T) {
	s := opened(t, checkedPath(t))
	recordAll(t, s, 2)
	spoilOne(t, s, "history/samples")
	if h, err := s.History(); !errors.Is(err, ErrDamaged) || len(h.Publications) > 0 {
		t.Errorf("%v, %v", h, err)
	}
	must(t, s.Err())
	kept, err := s.Salvage()
	must(t, err)
	if err := Check(kept); !errors.Is(err, ErrDamaged) {
		t.Errorf("the copy: %v", err)
	}
	h, err := s.History()
	must(t, err)
	if diff := cmp.Diff(History{}, h); diff != "" {
		t.Error(diff)
	}
	wantRecord(t, s, shoe(), all(2))
}

// Salvage leaves the product, so that it is never made twice, and a copy of the file as it was.
func TestSalvage(t *testing.T) {
	for _, name := range []string{"published", "runs"} {
		path := checkedPath(t)
		s := opened(t, path)
		recordAll(t, s, 2)
		set(t, s, folder(1), finished(2))
		if kept, err := s.Salvage(); kept != "" || err != nil {
			t.Errorf("a sound file: %q, %v", kept, err)
		}
		spoilOne(t, s, name)
		kept, err := s.Salvage()
		must(t, err)
		if err := Check(kept); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: the copy: %v", name, err)
		}
		want := all(2)
		want.State, want.Run, want.Published, want.Unreconciled = "", nil, nil, true
		wantRecord(t, s, shoe(), want)
		wantRecord(t, s, folder(1), finished(2))
		set(t, s, shoe(), all(3))
		wantRecord(t, s, shoe(), all(3))
	}
}

// What strayed to a folder that does not exist is dropped, and the folder that it belonged to
// mended.
func TestSalvageOfAStray(t *testing.T) {
	s := opened(t, checkedPath(t))
	recordAll(t, s, 2)
	must(t, s.current.Load().db.Update(func(tx *bolt.Tx) error {
		return spoil(tx, "published", func(b *bolt.Bucket, key, stored []byte) error {
			return errors.Join(b.Delete(key), b.Put(folder(7).key(), stored))
		})
	}))
	if _, err := s.Record(shoe()); !errors.Is(err, ErrDamaged) {
		t.Errorf("error %v, want ErrDamaged", err)
	}
	_, err := s.Salvage()
	must(t, err)
	r, err := s.Record(shoe())
	if r.Product.UUID != "product" || r.Published != nil || err != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// A run whose frames are not all there is none to go on with.
func TestALostFrameIsFound(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "state.db"))
	set(t, s, shoe(), running(3))
	must(t, s.current.Load().db.Update(func(tx *bolt.Tx) error {
		return openLedger(tx, studio()).list("runs").bucket.Bucket(shoe().key()).Delete(binary.BigEndian.AppendUint32(nil, 2))
	}))
	if _, err := s.Record(shoe()); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "3 of 4 values") {
		t.Errorf("error %v", err)
	}
}

func TestSalvageNeedsACopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := opened(t, path)
	recordAll(t, s, 2)
	spoilOne(t, s, "published")
	must(t, os.Mkdir(path+".damaged.bak", 0o700))
	must(t, os.WriteFile(filepath.Join(path+".damaged.bak", "x"), nil, 0o600))
	if _, err := s.Salvage(); err == nil {
		t.Error("it was mended without a copy")
	}
	if _, err := s.Record(shoe()); !errors.Is(err, ErrDamaged) {
		t.Errorf("error %v, want ErrDamaged", err)
	}
}

// People are told of the first damaged folder, and of how many more there are.
func TestDamageIsCounted(t *testing.T) {
	for n, want := range []string{"", "the first", "the first; and of 1 more folders", "the first; and of 2 more folders"} {
		var found damage
		for i := range n {
			found.add(folder(i), []error{errors.New("the first"), errors.New("another"), errors.New("the last")}[i])
		}
		if err := found.err(); n == 0 && err != nil || n > 0 && err.Error() != want {
			t.Errorf("%d folders: %v, want %q", n, err, want)
		}
	}
}
