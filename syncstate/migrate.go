package syncstate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
)

// A migration converts a file from one schema to the next, in one transaction.
type migration func(*bolt.Tx) error

// migrations holds at index i what converts schema i+1 to schema i+2. Schema 1 is the first.
func migrations() []migration { return nil }

// migrate takes the steps that the file lacks. Before each, a copy of the file is kept beside it.
func migrate(db *bolt.DB, path string, steps []migration) error {
	version, err := versionOf(db)
	if err != nil {
		return broken(path, err)
	}
	for ; version <= len(steps); version++ {
		if err := backUp(db, fmt.Sprintf("%s.v%d.bak", path, version)); err != nil {
			return fmt.Errorf("copy %s before it is converted: %w", path, err)
		}
		if err := take(db, steps[version-1], version+1); err != nil {
			return fmt.Errorf("convert %s to schema %d: %w", path, version+1, err)
		}
	}
	return nil
}

func take(db *bolt.DB, step migration, version int) error {
	return db.Update(func(tx *bolt.Tx) error {
		if err := step(tx); err != nil {
			return err
		}
		return putVersion(tx.Bucket([]byte("meta")), version)
	})
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
