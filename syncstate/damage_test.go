package syncstate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

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

// kinds are all kinds of values.
func kinds() []string {
	return []string{"folders", "notes", "projects", "published", "roots", "runs"}
}

// Whatever bit flips in whatever value, it is found.
func TestEveryFlippedBitIsFound(t *testing.T) {
	s := opened(t, checkedPath(t))
	recordAll(t, s, 1)
	bits := 0
	for _, name := range kinds() {
		t.Run(name, func(t *testing.T) {
			before := bits
			trySpoiled(t, s, name, func(tx *bolt.Tx, b *bolt.Bucket, key, stored []byte) {
				for bit := range 8 * len(stored) {
					flipped := bytes.Clone(stored)
					flipped[bit/8] ^= 1 << (bit % 8)
					must(t, b.Put(key, flipped))
					wantFound(t, fmt.Sprintf("bit %d", bit), tx)
					bits++
				}
				for size := range len(stored) {
					must(t, b.Put(key, stored[:size]))
					wantFound(t, fmt.Sprintf("cut to %d", size), tx)
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

func wantFound(t *testing.T, what string, tx *bolt.Tx) {
	t.Helper()
	if err := readAll(tx); err == nil || strings.Contains(err.Error(), "\n") {
		t.Fatalf("%s: it says %v", what, err)
	}
}

// A value that strayed to another key is found there, and where it was missed as far as the rest
// counts on it.
func TestEveryStrayIsFound(t *testing.T) {
	s := opened(t, checkedPath(t))
	recordAll(t, s, 2)
	for _, name := range kinds() {
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

// A value of one account, list or folder is not read in another.
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

// A file with one wrong value, of whatever kind, is refused with the remedy, and left as it is.
func TestADamagedValueIsFoundAtTheStart(t *testing.T) {
	for _, name := range kinds() {
		refused(t, damagedFile(t, name), ErrDamaged)
	}
}

// damagedFile is a state file with one wrong value of a kind, as bytes.
func damagedFile(t *testing.T, name string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	s := opened(t, path)
	recordAll(t, s, 2)
	set(t, s, folder(1), running(1))
	spoilOne(t, s, name)
	must(t, s.Close())
	data, err := os.ReadFile(path)
	must(t, err)
	return data
}

// A value that becomes wrong while the file is open makes the store stop: nobody knows whose product
// it is. Opened again, the file is found to be damaged.
func TestDamageStopsTheStore(t *testing.T) {
	for name, read := range map[string]func(*Store) error{
		"folders":   func(s *Store) error { _, err := s.Record(shoe()); return err },
		"notes":     func(s *Store) error { _, err := AccessKeyFields.Read(s); return err },
		"projects":  func(s *Store) error { _, err := s.Project("Summer"); return err },
		"published": func(s *Store) error { _, err := s.Record(shoe()); return err },
		"roots":     func(s *Store) error { return s.UpdateRoot("/srv/shoots", func(*RootRecord) error { return nil }) },
		"runs":      func(s *Store) error { _, err := s.Head(shoe()); return err },
	} {
		s := opened(t, filepath.Join(t.TempDir(), "state.db"))
		recordAll(t, s, 2)
		spoilOne(t, s, name)
		if err := read(s); err == nil || !strings.Contains(err.Error(), "spinsync rebuild") {
			t.Errorf("%s: error %v", name, err)
		}
		if err := s.Delete(folder(1)); err == nil {
			t.Errorf("%s: work went on", name)
		}
		if err := s.Reopen(); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: error %v, want ErrDamaged", name, err)
		}
	}
}

// A run whose frames are not all there is none to go on with, although each value is sound.
func TestALostFrameIsFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := opened(t, path)
	set(t, s, shoe(), running(3))
	must(t, s.current.Load().db.Update(func(tx *bolt.Tx) error {
		return openLedger(tx, studio()).list("runs").bucket.Bucket(shoe().key()).Delete(binary.BigEndian.AppendUint32(nil, 2))
	}))
	must(t, s.Close())
	if err := Check(path); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "3 of 4 values") {
		t.Errorf("error %v", err)
	}
}

// A file is damaged only if the same bytes are wrong twice.
func TestWhatIsWrongOnceIsNoDamage(t *testing.T) {
	wrong := errors.New("wrong")
	for name, read := range map[string]func(path string, look int) error{
		"the second time all is well": func(_ string, look int) error {
			if look > 1 {
				return nil
			}
			return wrong
		},
		"the second time the file has other bytes": func(path string, _ int) error {
			file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			must(t, err)
			_, err = file.WriteString("x")
			must(t, errors.Join(err, file.Close()))
			return wrong
		},
	} {
		path := filepath.Join(t.TempDir(), "state.db")
		must(t, opened(t, path).Close())
		looks := 0
		_, err := openSound(path, func(*bolt.Tx) error { looks++; return read(path, looks) })
		if err == nil || errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "its disk or the memory is failing") || looks != 2 {
			t.Errorf("%s: after %d looks: %v", name, looks, err)
		}
	}
}

// failing is a file on a disk that fails.
type failing struct{ *os.File }

func (f failing) ReadAt([]byte, int64) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.Name(), Err: syscall.EIO}
}

// A disk that cannot be read proves no damage of the file.
func TestAFailingDiskIsNoDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	must(t, opened(t, path).Close())
	db, file, err := openExisting(path, true)
	must(t, err)
	defer db.Close()
	err = db.View(func(tx *bolt.Tx) error { return sound(tx, failing{file}, path, complete) })
	var wrong wrongBytes
	if errors.As(err, &wrong) || !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), "its disk is failing or gone") {
		t.Errorf("%v", err)
	}
}
