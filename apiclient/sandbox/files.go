package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"
)

// fileStore keeps the content of uploads as plain files with names of our own, since names in
// upload keys are hostile.
//
//	incoming/<blob>        an upload that is still arriving
//	files/<blob>           whole source files
//	sizes/<blob>/<name>    image sizes made from one
type fileStore struct {
	dir  string
	sync bool // write each file to the disk before it counts as stored
}

// maxSizes is how many sizes of one blob are kept.
const maxSizes = 24

var storeDirs = []string{"incoming", "files", "sizes"}

func (f fileStore) makeDirs() error {
	for _, dir := range storeDirs {
		if err := os.MkdirAll(filepath.Join(f.dir, dir), 0o700); err != nil {
			return err
		}
	}
	return nil
}

func (f fileStore) path(blob string) string { return filepath.Join(f.dir, "files", blob) }

func (f fileStore) sizes(blob string) string { return filepath.Join(f.dir, "sizes", blob) }

// receive stores what r holds as a new blob. A content that breaks off leaves nothing.
func (f fileStore) receive(r io.Reader) (u upload, err error) {
	u.Blob = uuid.NewString()
	temporary := filepath.Join(f.dir, "incoming", u.Blob)
	if err := f.write(temporary, r, &u); err != nil {
		return u, errors.Join(err, os.Remove(temporary))
	}
	return u, os.Rename(temporary, f.path(u.Blob))
}

func (f fileStore) write(path string, r io.Reader, u *upload) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	hash := sha256.New()
	if u.Size, err = io.Copy(io.MultiWriter(file, hash), r); err != nil {
		return err
	}
	u.SHA256 = hex.EncodeToString(hash.Sum(nil))
	if f.sync {
		return file.Sync()
	}
	return nil
}

func (f fileStore) open(blob string) (*os.File, error) { return os.Open(f.path(blob)) }

// dropManySizes deletes the sizes made from a blob when there are many, so that asking for ever new
// ones fills no disk. On Windows a size that is being read stays.
func (f fileStore) dropManySizes(blob string) {
	if made, _ := os.ReadDir(f.sizes(blob)); len(made) >= maxSizes {
		os.RemoveAll(f.sizes(blob))
	}
}

// writeSize writes a file that is either whole or not there.
func (f fileStore) writeSize(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	temporary := filepath.Join(f.dir, "incoming", uuid.NewString())
	if err := os.WriteFile(temporary, data, 0o600); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return renameNew(temporary, name)
}

// renameNew renames a file unless another call has made the same one, which Windows does not
// replace while it is read.
func renameNew(from, to string) error {
	err := os.Rename(from, to)
	if err == nil {
		return nil
	}
	if _, there := os.Stat(to); there == nil {
		return os.Remove(from)
	}
	return errors.Join(err, os.Remove(from))
}

// remove deletes a blob and the sizes made from it. A missing blob is no error.
func (f fileStore) remove(blob string) error {
	err := os.Remove(f.path(blob))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, os.RemoveAll(f.sizes(blob)))
}

// keepOnly deletes everything that does not belong to a known blob.
func (f fileStore) keepOnly(known map[string]bool) error {
	for _, dir := range storeDirs {
		entries, err := os.ReadDir(filepath.Join(f.dir, dir))
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if dir != "incoming" && known[entry.Name()] {
				continue
			}
			if err := os.RemoveAll(filepath.Join(f.dir, dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
