package syncstate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	bolt "go.etcd.io/bbolt"
)

// A migration converts a file from one schema to the next. It says what becomes of a value, and of
// its key; at is the list that the value stands in.
type migration func(at list, key, value []byte) (newKey, newValue []byte, err error)

// migrations holds at index i what converts schema i+1 to schema i+2. Schema 1 is the first, and so
// far the only one.
func migrations() []migration { return nil }

// migrate converts a file that is open for writing from a schema to the next, and lets go of it.
// The new file is put together beside the old one and then takes its place, so that at any time
// there is one whole file of this name; it is no longer than it must be. The old one is kept under
// another name.
func migrate(db *bolt.DB, path string, step migration, version int) error {
	made := path + ".converted"
	defer os.Remove(made)
	err := convert(db, made, step, version+1)
	if errors.Is(err, ErrBroken) {
		return errors.Join(broken(path, err), db.Close())
	}
	if err == nil {
		err = keep(db, path, copyOf(path, version))
	}
	if err == nil {
		err = replace(db, path, made)
	}
	if err != nil {
		err = fmt.Errorf("convert %s to schema %d: %w; the file is left as it is%s", path, version+1, err, remedy(err))
	}
	return errors.Join(err, db.Close())
}

// copyOf is where the file of a schema is kept after it was converted.
func copyOf(path string, version int) string { return fmt.Sprintf("%s.v%d.bak", path, version) }

// keep gives the file a second name, or makes a copy of it where files have but one.
func keep(db *bolt.DB, path, copyPath string) error {
	if err := os.Remove(copyPath); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if os.Link(path, copyPath) == nil {
		return nil
	}
	return backUp(db, copyPath)
}

// replace puts the new file in the old one's place. The lock on the old file is held until then,
// except on Windows, where an open file cannot be replaced. There a process that waits for the lock
// keeps the file from being replaced as well.
func replace(db *bolt.DB, path, made string) error {
	if runtime.GOOS == "windows" {
		return errors.Join(db.Close(), os.Rename(made, path))
	}
	if err := os.Rename(made, path); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(path))
}

// convert makes a new file of what step makes of the values, and has it on the disk when it
// returns.
func convert(from *bolt.DB, path string, step migration, version int) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // a killed conversion may have left the file
	}
	if err := initialise(path, version); err != nil {
		return err
	}
	to, err := bolt.Open(path, 0o600, &bolt.Options{PageSize: pageSize, Timeout: lockTimeout, NoSync: true})
	if err != nil {
		return err
	}
	err = from.View(func(tx *bolt.Tx) error {
		c := converter{to: to, step: step}
		return errors.Join(c.meta(tx.Bucket([]byte("meta"))), c.list(accountsIn(tx), nil), c.commit())
	})
	return errors.Join(err, to.Sync(), to.Close())
}

// A converter fills a file in transactions that are neither many nor large.
type converter struct {
	to   *bolt.DB
	step migration

	tx    *bolt.Tx
	bytes int
}

const bytesAtOnce = 1 << 20

// meta copies the values about the file itself, except its version.
func (c *converter) meta(b *bolt.Bucket) error {
	return b.ForEach(func(key, value []byte) error {
		if string(key) == "version" {
			return nil
		}
		return c.put([][]byte{[]byte("meta")}, key, value)
	})
}

// list converts a list with all that is in it. The names of the lists that it lies in go before it.
func (c *converter) list(l list, before [][]byte) error {
	way := append(before[:len(before):len(before)], []byte(l.name))
	if _, err := c.bucket(way); err != nil {
		return err
	}
	return l.bucket.ForEach(func(key, value []byte) error {
		if value == nil {
			return c.list(l.in(key), way)
		}
		key, value, err := c.step(l, key, value)
		if err != nil {
			return fmt.Errorf("%w: the value of %q in the list of %s: %w", ErrBroken, key, l.name, err)
		}
		return c.put(way, key, value)
	})
}

func (c *converter) put(way [][]byte, key, value []byte) error {
	if c.bytes += len(key) + len(value); c.bytes > bytesAtOnce {
		if err := c.commit(); err != nil {
			return err
		}
	}
	b, err := c.bucket(way)
	if err != nil {
		return err
	}
	return b.Put(key, value)
}

// bucket finds or makes a bucket of the new file.
func (c *converter) bucket(way [][]byte) (b *bolt.Bucket, err error) {
	if c.tx == nil {
		if c.tx, err = c.to.Begin(true); err != nil {
			return nil, err
		}
	}
	if b, err = c.tx.CreateBucketIfNotExists(way[0]); err != nil {
		return nil, err
	}
	for _, name := range way[1:] {
		if b, err = b.CreateBucketIfNotExists(name); err != nil {
			return nil, err
		}
	}
	b.FillPercent = 0.9 // the keys come in order
	return b, nil
}

func (c *converter) commit() error {
	tx := c.tx
	c.tx, c.bytes = nil, 0
	if tx == nil {
		return nil
	}
	return tx.Commit()
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
