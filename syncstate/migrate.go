package syncstate

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
)

// A migration converts a file from one schema to the next. It says what becomes of a value, and of
// its key; at is the list that the value stands in.
type migration func(at list, key, value []byte) (newKey, newValue []byte, err error)

// migrations holds at index i what converts schema i+1 to schema i+2. Schema 1 is the first, and so
// far the only one.
func migrations() []migration { return nil }

// migrate keeps a copy of a file that is open for writing, and converts it from a schema to the
// next in one transaction. So at any time the file is of one schema or the other.
func migrate(db *bolt.DB, path string, step migration, version int) error {
	err := backUp(db, copyOf(path, version))
	if err == nil {
		err = db.Update(func(tx *bolt.Tx) error {
			return errors.Join(accountsIn(tx).convert(step), putVersion(tx.Bucket([]byte("meta")), version+1))
		})
	}
	switch {
	case errors.Is(err, ErrBroken):
		return broken(path, err)
	case err != nil:
		return fmt.Errorf("convert %s to schema %d: %w%s", path, version+1, err, remedy(err))
	}
	return nil
}

// copyOf is where the file of a schema is kept after it was converted.
func copyOf(path string, version int) string { return fmt.Sprintf("%s.v%d.bak", path, version) }

// convert converts a list with all that is in it.
func (l list) convert(step migration) error {
	type value struct{ key, newKey, newValue []byte }
	var values []value // a bucket must not be changed while it is listed
	err := l.bucket.ForEach(func(key, stored []byte) error {
		if stored == nil {
			return l.in(key).convert(step)
		}
		newKey, newValue, err := step(l, key, stored)
		if err != nil {
			return fmt.Errorf("%w: the value of %q in the list of %s: %w", ErrBroken, key, l.name, err)
		}
		values = append(values, value{bytes.Clone(key), newKey, newValue})
		return nil
	})
	for _, v := range values {
		if !bytes.Equal(v.key, v.newKey) {
			err = errors.Join(err, l.bucket.Delete(v.key))
		}
	}
	for _, v := range values {
		err = errors.Join(err, l.bucket.Put(v.newKey, v.newValue))
	}
	return err
}

// backUp writes a copy that is whole or absent.
func backUp(db *bolt.DB, path string) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	err = db.View(func(tx *bolt.Tx) error {
		_, err := tx.WriteTo(temporary)
		return err
	})
	if err := errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	if err := os.Rename(temporary.Name(), path); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(path))
}
