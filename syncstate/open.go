package syncstate

import (
	"cmp"
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

// schema is the number of the schema that this program reads and writes.
const schema = 8

// create makes the file if there is none. It is put together under another name, so that a power
// failure leaves a whole file or none.
func create(path string) error {
	switch _, err := os.Lstat(path); {
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return NoPlace(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return NoPlace(err)
	}
	temporary, err := temporaryFor(path)
	if err != nil {
		return NoPlace(err)
	}
	defer os.Remove(temporary)
	err = initialise(temporary, func(*bolt.Tx) error { return nil })
	if err != nil {
		return fmt.Errorf("make %s: %w", path, err)
	}
	return publish(temporary, path)
}

// temporaryFor makes an empty file next to path.
func temporaryFor(path string) (name string, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return "", err
	}
	return file.Name(), file.Close()
}

// initialise fills an empty file, and has it on the disk when it returns.
func initialise(path string, fill func(*bolt.Tx) error) error {
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
		return errors.Join(meta.Put([]byte("version"), []byte(strconv.Itoa(schema))), fill(tx))
	})
	return errors.Join(err, db.Close())
}

// publish gives a finished file its name. A link, unlike a rename, cannot replace a file that
// another process made first; not every file system has links.
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

// openForWriting opens an existing file and proves with a first commit that it can be written. That
// commit also fixes what a failed one before it may have left half fixed.
//
// Before that it checks the file, open for reading only: opening for writing changes the size of
// the file on Windows, and a file that is damaged or of another schema must stay as it is.
func openForWriting(path string, account Account) (*file, error) {
	examined, err := openSound(path, complete)
	if err != nil {
		return nil, err
	}
	if err := examined.Close(); err != nil {
		return nil, err
	}
	db, opened, err := openExisting(path, false)
	if err != nil {
		return nil, explain(path, err)
	}
	info, err := opened.Stat()
	if err = cmp.Or(err, prepare(db, path, account)); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	rememberHolder(path)
	return &file{db: db, opened: info}, nil
}

func prepare(db *bolt.DB, path string, account Account) error {
	err := db.Update(func(tx *bolt.Tx) error {
		return errors.Join(makeLedger(tx, account), noteAccount(tx, account))
	})
	if err != nil {
		return fmt.Errorf("%s: the state file cannot be written: %w%s", path, err, remedy(err))
	}
	return nil
}

// openExisting opens a file and returns it with its database. It makes no file where bbolt would.
func openExisting(path string, readOnly bool) (db *bolt.DB, file *os.File, err error) {
	db, err = bolt.Open(path, 0o600, &bolt.Options{
		ReadOnly: readOnly, PageSize: pageSize, Timeout: lockTimeout,
		OpenFile: func(name string, flag int, perm fs.FileMode) (_ *os.File, err error) {
			file, err = os.OpenFile(name, flag&^os.O_CREATE, perm)
			return file, err
		},
	})
	return db, file, err
}

// isOfBytes reports whether bbolt opened a file and did not understand what it read.
func isOfBytes(err error) bool {
	return errors.Is(err, bolterrors.ErrInvalid) || errors.Is(err, bolterrors.ErrChecksum) ||
		errors.Is(err, bolterrors.ErrVersionMismatch)
}

// explain adds to an error at opening what it means: no lock, no memory, no right, no disk.
func explain(path string, err error) error {
	if errors.Is(err, bolterrors.ErrTimeout) {
		by := ""
		if holder := Holder(path); holder != "" {
			by = " by " + holder
		}
		return fmt.Errorf("%s: %w%s; stop that one, or give this one a file of its own with path in [state]",
			path, ErrLocked, by)
	}
	return fmt.Errorf("%s: the state file cannot be opened: %w%s", path, err, remedy(err))
}
