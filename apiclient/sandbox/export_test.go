package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// SetVersion marks the data as that of another version of the program.
func SetVersion(t *testing.T, opts Options, version int) {
	t.Helper()
	s, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	err = s.store.db.Update(func(tx *bolt.Tx) error { return put(tx.Bucket(bucketMeta), keyVersion, version) })
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
}

// Check finds damage in a sandbox that is not in use: in the state file, between its buckets,
// and between it and the stored files. A closed sandbox is left alone.
func Check(t *testing.T, s *Server) {
	t.Helper()
	err := s.store.view(func(tx *tx) error {
		for err := range tx.Tx.Check() {
			t.Errorf("state file: %v", err)
		}
		checkLinks(t, tx)
		return checkFiles(t, tx, s.store.files)
	})
	if err != nil && !errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		t.Errorf("check the sandbox: %v", err)
	}
}

// checkLinks finds keys that lead nowhere.
func checkLinks(t *testing.T, tx *tx) {
	t.Helper()
	tx.Bucket(bucketEmbeds).ForEach(func(_, uuid []byte) error {
		if _, err := tx.product(string(uuid)); err != nil {
			t.Errorf("an embed link leads to no product: %v", err)
		}
		return nil
	})
	tx.Bucket(bucketIDs).ForEach(func(_, key []byte) error {
		if i, err := get[image](tx.Bucket(bucketImages), key); err != nil || i == nil {
			t.Errorf("an id leads to no image: %v", err)
		}
		return nil
	})
}

func checkFiles(t *testing.T, tx *tx, files fileStore) error {
	t.Helper()
	uploads, err := list[upload](tx.Bucket(bucketUploads), nil)
	if err != nil {
		return err
	}
	images, err := list[image](tx.Bucket(bucketImages), nil)
	for _, i := range images {
		uploads = append(uploads, &i.File)
	}
	known := map[string]bool{}
	for _, u := range uploads {
		known[u.Blob] = true
		data, err := os.ReadFile(files.path(u.Blob))
		if sum := sha256.Sum256(data); err != nil || hex.EncodeToString(sum[:]) != u.SHA256 {
			t.Errorf("%s is not what was stored (%v)", u.Name, err)
		}
	}
	stored, _ := filepath.Glob(files.path("*"))
	for _, name := range stored {
		if !known[filepath.Base(name)] {
			t.Errorf("file %s belongs to nothing", name)
		}
	}
	return err
}
