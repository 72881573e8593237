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
// beside it. A file without the witness's mark is not the last one in use: it came from a backup,
// or was made anew in place of a lost file. Without a witness, as where the whole directory came
// from a backup, nothing tells that.

func witnessFile(path string) string { return path + ".opened" }

// marksKept is how many of the newest openings the file remembers. Some of the last may be missing
// in the witness: a kill comes before it is written, and a power failure may cost the newest
// writes.
const marksKept = 16

// comesFromBackup reports whether a file with these marks is another one than was used last.
func comesFromBackup(path string, marks []string) bool {
	witness, err := os.ReadFile(witnessFile(path))
	mark := strings.TrimSpace(string(witness))
	return err == nil && mark != "" && !slices.Contains(marks, mark)
}

// noteOpening marks an opening, and everything in a file from a backup as such. It returns the mark
// for the witness.
func noteOpening(tx *bolt.Tx, path string, now time.Time) (mark string, err error) {
	meta := tx.Bucket([]byte("meta"))
	marks := marksIn(tx)
	if comesFromBackup(path, marks) {
		if err := distrustAll(tx); err != nil {
			return "", err
		}
		if err := meta.Put([]byte("restored"), []byte(now.Format(time.RFC3339))); err != nil {
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

// distrustAll marks the records of every account.
func distrustAll(tx *bolt.Tx) error {
	accounts := accountsIn(tx)
	return accounts.bucket.ForEachBucket(func(account []byte) error {
		folders := accounts.in(account).in([]byte("folders"))
		marked := map[string][]byte{} // a bucket must not be changed while it is listed
		err := folders.bucket.ForEach(func(key, stored []byte) error {
			value, err := folders.unseal(key, stored)
			var h head
			if err != nil || json.Unmarshal(value, &h) != nil {
				return nil // the next reader of the damaged record reports it
			}
			h.Restored, h.Trouble = true, nil // a failure of then says nothing now
			h.Run.loseForm()
			marked[string(key)], err = json.Marshal(h)
			return err
		})
		if err != nil {
			return err
		}
		for key, value := range marked {
			if err := folders.put([]byte(key), value); err != nil {
				return err
			}
		}
		return nil
	})
}

// loseForm has a run ask for another form before anything is sent, unless its finish was sent
// already: another one may have been asked for since, and what came under that one is what a finish
// would publish.
func (r *Run) loseForm() {
	if r != nil && r.FinishSent.IsZero() {
		r.Form = nil
	}
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

// Restored is when the file was last found to be another one than before, for instance because it
// came from a backup; zero for never. The records that it held then are marked with
// Record.Restored.
func (s *Store) Restored() (at time.Time, err error) {
	f := s.current.Load()
	if f.refusal != nil {
		return at, f.refusal
	}
	err = f.db.View(func(tx *bolt.Tx) error {
		if text := tx.Bucket([]byte("meta")).Get([]byte("restored")); text != nil {
			at, err = time.Parse(time.RFC3339, string(text))
		}
		return err
	})
	return at, err
}
