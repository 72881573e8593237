package syncstate

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	bolt "go.etcd.io/bbolt"
)

// Check examines a state file to its last value, without changing it. Opening a file examines all
// but the values. Damage in a part that concerns nothing else is ErrDamaged. The error names the
// first such folder and counts the others.
func Check(path string) error {
	db, err := openForReading(path, 1+len(migrations()))
	if err != nil {
		return err
	}
	if err := db.View(readAll); err != nil {
		return errors.Join(damaged(path, err), db.Close())
	}
	return db.Close()
}

func readAll(tx *bolt.Tx) error {
	accounts := accountsIn(tx)
	return accounts.bucket.ForEachBucket(func(account []byte) error {
		return ledger{accounts.in(account)}.readAll()
	})
}

func (l ledger) readAll() error {
	err := cmp.Or(
		readEach[any](l, "notes"), readEach[ProjectRecord](l, "projects"), readEach[RootRecord](l, "roots"),
	)
	if err != nil {
		return err
	}
	found, err := l.damage()
	return cmp.Or(err, found.err())
}

func readEach[T any](l ledger, name string) error {
	return l.list(name).bucket.ForEach(func(key, _ []byte) error {
		var v T
		return get(l.list(name), string(key), &v)
	})
}

// openSound opens an existing file for reading and makes sure that this program can read all of it.
func openSound(path string, known int) (db *bolt.DB, version int, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, 0, err
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s: the state file is not a regular file; name another path in [state]", path)
	case info.Size() < 2*pageSize:
		return nil, 0, broken(path, fmt.Sprintf("it is empty or cut off: it has %d bytes", info.Size()))
	}
	db, opened, err := openExisting(path, true)
	if err != nil {
		return nil, 0, err
	}
	if err := db.View(func(tx *bolt.Tx) error { return sound(tx, opened) }); err != nil {
		return nil, 0, errors.Join(broken(path, err), db.Close())
	}
	if version, err = schemaOf(db, path, known); err != nil {
		return nil, 0, errors.Join(err, db.Close())
	}
	return db, version, nil
}

// schemaOf makes sure that the file is one of ours and has all the buckets that the rest counts on.
func schemaOf(db *bolt.DB, path string, known int) (version int, err error) {
	version, err = versionOf(db)
	switch {
	case err != nil:
		return 0, broken(path, err)
	case version > known:
		return 0, newer(path, version, known)
	case version < known:
		return version, nil
	}
	if err := db.View(complete); err != nil {
		return 0, broken(path, err)
	}
	return version, nil
}

func sound(tx *bolt.Tx, file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < tx.Size() {
		return fmt.Errorf("it is cut off: %d of %d bytes are there", info.Size(), tx.Size())
	}
	return followPages(tx, file)
}
