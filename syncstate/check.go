package syncstate

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

	bolt "go.etcd.io/bbolt"
)

// Check examines a state file to its last value, without changing it. Opening a file examines its
// pages and the checksums of all values, but not what the values say.
func Check(path string) error {
	db, err := openSound(path, readAll)
	if err != nil {
		return err
	}
	return db.Close()
}

func readAll(tx *bolt.Tx) error {
	if err := complete(tx); err != nil {
		return err
	}
	accounts := accountsIn(tx)
	return accounts.bucket.ForEachBucket(func(account []byte) error {
		return ledger{accounts.in(account)}.readAll()
	})
}

func (l ledger) readAll() error {
	err := cmp.Or(
		readEach[any](l, "notes"), readEach[ProjectRecord](l, "projects"), readEach[RootRecord](l, "roots"),
		l.strays("published"), l.strays("runs"),
	)
	if err != nil {
		return err
	}
	return l.list("folders").bucket.ForEach(func(key, _ []byte) error {
		_, _, err := l.load(folderOf(key))
		return err
	})
}

func readEach[T any](l ledger, name string) error {
	return l.list(name).bucket.ForEach(func(key, _ []byte) error {
		var v T
		return get(l.list(name), string(key), &v)
	})
}

// strays finds what belongs to no folder.
func (l ledger) strays(name string) error {
	heads := l.list("folders").bucket
	return l.list(name).bucket.ForEach(func(key, _ []byte) error {
		if heads.Get(key) == nil {
			return fmt.Errorf("%q: the list of %s knows it, the list of folders does not", folderOf(key), name)
		}
		return nil
	})
}

// openSound opens an existing file for reading and makes sure that this program can read all of it.
// The rest is read by read. Only a file whose bytes are wrong twice is damaged: a disk or a memory
// that fails for a moment costs no state file.
func openSound(path string, read func(*bolt.Tx) error) (*bolt.DB, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, NoPlace(err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: the state file is not a regular file; %w", path, ErrPath)
	}
	db, err := openOnce(path, read)
	var wrong wrongBytes
	if !errors.As(err, &wrong) {
		return db, err
	}
	start, first, err := bytesOf(path)
	if err != nil {
		return nil, explain(path, err)
	}
	again, err := openOnce(path, read)
	if err == nil {
		err = again.Close()
	} else if !errors.As(err, &wrong) {
		return nil, err
	}
	_, second, readErr := bytesOf(path)
	switch {
	case readErr != nil:
		return nil, explain(path, readErr)
	case !errors.As(err, &wrong), first != second:
		return nil, fmt.Errorf("%s: the state file is not the same each time that it is read (%w): "+
			"its disk or the memory is failing", path, wrong.why)
	case !isDatabase(start) && !hasPages(path):
		return nil, notOurs(path)
	}
	return nil, damaged(path, wrong.why)
}

// wrongBytes is what a file that could be read has of its own.
type wrongBytes struct{ why error }

func (w wrongBytes) Error() string { return w.why.Error() }

// openOnce opens a file and reads it. What is wrong with its bytes is wrongBytes.
func openOnce(path string, read func(*bolt.Tx) error) (*bolt.DB, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() < 2*pageSize {
		return nil, wrongBytes{fmt.Errorf("it is empty or cut off: it has %d bytes", info.Size())}
	}
	db, file, err := openExisting(path, true)
	if isOfBytes(err) {
		return nil, wrongBytes{err}
	}
	if err != nil {
		return nil, explain(path, err)
	}
	err = db.View(func(tx *bolt.Tx) error { return sound(tx, file, path, read) })
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// readable is an open file that is read without its mapping.
type readable interface {
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// sound follows the pages before it touches anything else: bbolt believes every reference.
func sound(tx *bolt.Tx, file readable, path string, read func(*bolt.Tx) error) error {
	info, err := file.Stat()
	if err != nil {
		return explain(path, err)
	}
	if info.Size() < tx.Size() {
		return wrongBytes{fmt.Errorf("it is cut off: %d of %d bytes are there", info.Size(), tx.Size())}
	}
	value, err := followPages(tx, file)
	if _, disk := errors.AsType[*fs.PathError](err); disk {
		return explain(path, err)
	}
	if err != nil {
		return wrongBytes{err}
	}
	meta := tx.Bucket([]byte("meta"))
	if meta == nil || tx.Bucket([]byte("accounts")) == nil {
		return notOurs(path)
	}
	version, err := strconv.Atoi(string(meta.Get([]byte("version"))))
	if err == nil && version != schema {
		return otherSchema(path, version)
	}
	if err := cmp.Or(err, value); err != nil {
		return wrongBytes{err}
	}
	if err := read(tx); err != nil {
		return wrongBytes{err}
	}
	return nil
}

// bytesOf reads a file to its end and returns its first two pages and a digest of all.
func bytesOf(path string) (start []byte, digest [sha256.Size]byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, digest, err
	}
	defer file.Close()
	start, err = io.ReadAll(io.LimitReader(file, 2*pageSize))
	if err != nil {
		return nil, digest, err
	}
	sum := sha256.New()
	sum.Write(start)
	_, err = io.Copy(sum, file)
	return start, [sha256.Size]byte(sum.Sum(nil)), err
}

// isDatabase reports whether a file that starts like this was made by bbolt, or has nothing at its
// start that could be somebody else's.
func isDatabase(start []byte) bool {
	for _, meta := range []int{0, pageSize} {
		const magic = 0xed0cdaed
		if len(start) >= meta+headerSize+4 && number(start[meta+headerSize:]) == magic {
			return true
		}
	}
	return len(bytes.Trim(start, "\x00")) == 0
}

// hasPages reports whether behind its start a file has a page with the number of its place, as only bbolt
// writes it.
func hasPages(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	header := make(page, headerSize)
	for number := int64(2); ; number++ {
		if _, err := file.ReadAt(header, number*pageSize); err != nil {
			return false
		}
		known := header.kind() == branchPage || header.kind() == leafPage || header.kind() == freelistPage
		if known && header.number() == uint64(number) {
			return true
		}
	}
}
