package syncstate

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// rename is a migration that gives the projects another name.
func rename(from, to string) migration {
	return func(tx *bolt.Tx) error {
		accounts := tx.Bucket([]byte("accounts"))
		return accounts.ForEachBucket(func(name []byte) error {
			account := accounts.Bucket(name)
			if err := account.Put([]byte(to), account.Get([]byte(from))); err != nil {
				return err
			}
			return account.Delete([]byte(from))
		})
	}
}

func TestMigrationsInOrderWithCopies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := opened(t, path)
	set(t, s, shoe(), finished(2))
	must(t, s.SetPaused(true))
	must(t, s.Close())

	s, err := open(path, studio(), []migration{rename("paused", "held"), rename("held", "stopped")})
	must(t, err)
	must(t, s.view(func(l ledger) error {
		if l.root.Get([]byte("stopped")) == nil || l.root.Get([]byte("held")) != nil {
			t.Error("not both steps were taken")
		}
		return nil
	}))
	must(t, s.Close())

	migrated, err := os.ReadFile(path)
	must(t, err)
	refused(t, migrated, ErrNewer)
	for _, version := range []string{".v1.bak", ".v2.bak"} {
		if _, err := os.Stat(path + version); err != nil {
			t.Error(err)
		}
	}
	must(t, os.Rename(path+".v1.bak", path))
	s = opened(t, path)
	want := finished(2)
	want.Restored = true
	wantRecord(t, s, shoe(), want)
	if paused, err := s.Paused(); !paused || err != nil {
		t.Errorf("paused: %v, %v", paused, err)
	}
}

func TestAFailedMigrationChangesNothing(t *testing.T) {
	path := checkedPath(t)
	must(t, opened(t, path).Close())
	before, err := os.ReadFile(path)
	must(t, err)
	wrong := errors.New("wrong")
	_, err = open(path, studio(), []migration{func(tx *bolt.Tx) error {
		return errors.Join(tx.DeleteBucket([]byte("accounts")), wrong)
	}})
	if !errors.Is(err, wrong) {
		t.Errorf("error %v, want the migration's", err)
	}
	after, err := os.ReadFile(path)
	must(t, err)
	if !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
}

func TestReadersDoNotMigrate(t *testing.T) {
	path := checkedPath(t)
	must(t, opened(t, path).Close())
	if _, err := openForReading(path, 2); err == nil || errors.Is(err, ErrBroken) || errors.Is(err, ErrNewer) {
		t.Errorf("an older file: %v", err)
	}
}
