package syncstate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// lockTimeout is how long another process gets to let go of the file.
const lockTimeout = time.Second

// pageSize is the same everywhere: with the larger pages of some systems the file would be twice as
// long.
const pageSize = 4096

// create makes the file if there is none. It is put together under another name, so that a power
// failure leaves a whole file or none.
func create(path string, version int) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(dir, filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	if err := temporary.Close(); err != nil {
		return err
	}
	if err := initialise(temporary.Name(), version); err != nil {
		return fmt.Errorf("make %s: %w", path, err)
	}
	return publish(temporary.Name(), path)
}

// initialise fills an empty file, and has it on the disk when it returns.
func initialise(path string, version int) error {
	db, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: lockTimeout, PageSize: pageSize})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bolt.Tx) error {
		if _, err := tx.CreateBucket([]byte("accounts")); err != nil {
			return err
		}
		meta, err := tx.CreateBucket([]byte("meta"))
		if err != nil {
			return err
		}
		return putVersion(meta, version)
	})
	return errors.Join(err, db.Close())
}

// publish gives a finished file its name. A link, unlike a rename, cannot replace the file that
// another process has made meanwhile; not every file system has links.
func publish(temporary, path string) error {
	err := os.Link(temporary, path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		err = os.Rename(temporary, path)
	}
	return errors.Join(err, syncDirectory(filepath.Dir(path)))
}

// syncDirectory makes names durable. Windows has no such call and needs none.
func syncDirectory(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// openForReading opens a sound file of the newest schema, which is number known.
func openForReading(path string, known int) (*bolt.DB, error) {
	db, version, err := openSound(path, known)
	if err != nil {
		return nil, err
	}
	if version < known {
		err := fmt.Errorf("%s: the state file is of an older version: start spinsync run or sync once to convert it",
			path)
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// openForWriting opens an existing file, converts it to the newest schema and proves with a first
// commit that it can be written. That commit also fixes what a failed one before it may have left
// half fixed.
func openForWriting(path string, account Account, steps []migration) (*bolt.DB, error) {
	if err := examine(path, 1+len(steps)); err != nil {
		return nil, err
	}
	db, _, err := openExisting(path, false)
	if err != nil {
		return nil, err
	}
	if err := convert(db, path, steps); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if err := prepare(db, path, account); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	rememberHolder(path)
	return db, nil
}

// convert takes the steps from the file's schema to the newest.
func convert(db *bolt.DB, path string, steps []migration) error {
	version, err := versionOf(db)
	if err != nil {
		return broken(path, err)
	}
	for ; version <= len(steps); version++ {
		if err := migrate(db, path, steps[version-1], version); err != nil {
			return err
		}
	}
	return nil
}

// examine looks at the file while it is open for reading only: opening for writing changes the size
// of the file on Windows, and a file that is damaged or newer must stay as it is.
func examine(path string, known int) error {
	db, _, err := openSound(path, known)
	if err != nil {
		return err
	}
	return db.Close()
}

func prepare(db *bolt.DB, path string, account Account) error {
	var mark string
	err := db.Update(func(tx *bolt.Tx) (err error) {
		if mark, err = noteOpening(tx, path, time.Now().UTC()); err != nil {
			return err
		}
		return makeLedger(tx, account)
	})
	switch {
	case errors.Is(err, errSum), errors.Is(err, errCutOff):
		return broken(path, err)
	case err != nil:
		return fmt.Errorf("%s: the state file cannot be written: %w%s", path, err, remedy(err))
	}
	// Without the witness a file from a backup looks like this one.
	_ = os.WriteFile(witnessFile(path), []byte(mark+"\n"), 0o600)
	return nil
}

// openExisting opens a file and returns it beside its database. It makes no file where bbolt would.
func openExisting(path string, readOnly bool) (db *bolt.DB, file *os.File, err error) {
	db, err = bolt.Open(path, 0o600, &bolt.Options{
		ReadOnly: readOnly, PageSize: pageSize, Timeout: lockTimeout,
		OpenFile: func(name string, flag int, perm fs.FileMode) (_ *os.File, err error) {
			file, err = os.OpenFile(name, flag&^os.O_CREATE, perm)
			return file, err
		},
	})
	if err != nil {
		return nil, nil, explain(path, err)
	}
	return db, file, nil
}

// explain says what bbolt's error at opening means. The rest is the system's: no lock, no memory,
// no right.
func explain(path string, err error) error {
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return fmt.Errorf("%s: %w%s; stop that one, or give this one a file of its own with path in [state]",
			path, ErrLocked, holder(path))
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrChecksum),
		errors.Is(err, bolterrors.ErrVersionMismatch):
		return broken(path, err)
	}
	return fmt.Errorf("%s: the state file cannot be opened: %w%s", path, err, remedy(err))
}

func versionOf(db *bolt.DB) (version int, err error) {
	err = db.View(func(tx *bolt.Tx) error {
		meta := tx.Bucket([]byte("meta"))
		if meta == nil || tx.Bucket([]byte("accounts")) == nil {
			return errors.New("it is not a state file of spinsync")
		}
		version, err = strconv.Atoi(string(meta.Get([]byte("version"))))
		if err == nil && version < 1 {
			return fmt.Errorf("it is of schema %d", version)
		}
		return err
	})
	return version, err
}

func putVersion(meta *bolt.Bucket, version int) error {
	return meta.Put([]byte("version"), []byte(strconv.Itoa(version)))
}
