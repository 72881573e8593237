package syncstate

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Each opening for writing gets a mark, which is written into the file and into a small witness
// beside it. A file without the witness's mark is not the last one in use: it came from a backup.
// Without a witness, as where the whole directory came from a backup, nothing tells that.

func witnessFile(path string) string { return path + ".opened" }

// marksKept is how many of the newest openings the file remembers. Some of the last may be missing
// in the witness: a kill comes before it is written, and a power failure may cost the newest
// writes.
const marksKept = 16

// comesFromBackup reports whether a file with these marks is another one than was used last.
func comesFromBackup(path string, marks []string) bool {
	witness, _ := os.ReadFile(witnessFile(path))
	mark := strings.TrimSpace(string(witness))
	return mark != "" && !slices.Contains(marks, mark)
}

// noteOpening marks an opening, and has everything in a file from a backup reconciled. It returns
// the mark for the witness.
func noteOpening(tx *bolt.Tx, path string, now time.Time) (mark string, err error) {
	meta := tx.Bucket([]byte("meta"))
	marks := marksIn(tx)
	if comesFromBackup(path, marks) {
		if err := distrustAll(tx); err != nil {
			return "", err
		}
	}
	mark = rand.Text()
	marks = append(marks, mark)
	marks = marks[max(0, len(marks)-marksKept):]
	if err := meta.Put([]byte("marks"), []byte(strings.Join(marks, " "))); err != nil {
		return "", err
	}
	return mark, meta.Put([]byte("opened"), []byte(now.Format(time.RFC3339)))
}

// distrustAll has the folders and roots of every account reconciled.
func distrustAll(tx *bolt.Tx) error {
	accounts := accountsIn(tx)
	return accounts.bucket.ForEachBucket(func(key []byte) error {
		account := accounts.in(key)
		return errors.Join(
			rewrite(account.in([]byte("folders")), func(h *head) {
				h.Unreconciled, h.Trouble = true, nil // a failure of then says nothing now
				if h.Run != nil {
					h.Run.DropForm() // what came under a later form is what a finish would publish
				}
			}),
			rewrite(account.in([]byte("roots")), func(r *RootRecord) { r.Reconciled = false }),
		)
	})
}

// rewrite changes every value of a list. The next reader of a damaged one reports it.
func rewrite[T any](l list, change func(*T)) error {
	changed := map[string][]byte{} // a bucket must not be changed while it is listed
	err := l.bucket.ForEach(func(key, stored []byte) error {
		var v T
		value, err := l.unseal(key, stored)
		if err != nil || json.Unmarshal(value, &v) != nil {
			return nil
		}
		change(&v)
		changed[string(key)], err = json.Marshal(v)
		return err
	})
	for key, value := range changed {
		err = errors.Join(err, l.put([]byte(key), value))
	}
	return err
}

// Lost reports whether there is no file at a path where one was used.
func Lost(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist) && comesFromBackup(path, nil)
}

// FromBackup reports whether the file is another one than was used last, and was not opened for
// writing since.
func (s *Store) FromBackup() (older bool, err error) {
	f := s.current.Load()
	if f.refusal != nil {
		return false, f.refusal
	}
	err = f.db.View(func(tx *bolt.Tx) error {
		older = comesFromBackup(s.path, marksIn(tx))
		return nil
	})
	return older, err
}

func marksIn(tx *bolt.Tx) []string {
	return strings.Fields(string(tx.Bucket([]byte("meta")).Get([]byte("marks"))))
}
