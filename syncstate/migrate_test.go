package syncstate

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rename is a migration that gives a value another name.
func rename(from, to string) migration {
	return func(_ list, key, value []byte) ([]byte, []byte, error) {
		if string(key) == from {
			key = []byte(to)
		}
		return key, value, nil
	}
}

func TestMigrationsInOrderWithCopies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := opened(t, path)
	set(t, s, shoe(), finished(2))
	must(t, AllPaused.Set(s, true))
	must(t, s.Close())

	first := 1 + len(migrations())
	s, err := open(path, studio(), append(migrations(), rename("paused", "held"), rename("held", "stopped")))
	must(t, err)
	must(t, s.view(func(l ledger) error {
		if notes := l.list("notes").bucket; notes.Get([]byte("stopped")) == nil || notes.Get([]byte("held")) != nil {
			t.Error("not both steps were taken")
		}
		return nil
	}))
	must(t, s.Close())

	migrated, err := os.ReadFile(path)
	must(t, err)
	refused(t, migrated, ErrNewer)
	for _, version := range []int{first, first + 1} {
		if _, err := os.Stat(copyOf(path, version)); err != nil {
			t.Error(err)
		}
	}
	must(t, os.Rename(copyOf(path, first), path))
	s = opened(t, path)
	want := finished(2)
	want.Unreconciled = true
	wantRecord(t, s, shoe(), want)
	if paused, err := AllPaused.Read(s); !paused || err != nil {
		t.Errorf("paused: %v, %v", paused, err)
	}
}

func TestAFailedMigrationChangesNothing(t *testing.T) {
	path := checkedPath(t)
	s := opened(t, path)
	must(t, AllPaused.Set(s, true))
	must(t, s.Close())
	before, err := os.ReadFile(path)
	must(t, err)
	wrong := errors.New("wrong")
	_, err = open(path, studio(), append(migrations(), func(_ list, key, value []byte) ([]byte, []byte, error) {
		return key, value, wrong
	}))
	if !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), wrong.Error()) {
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
	if _, err := openForReading(path, 2+len(migrations())); err == nil || errors.Is(err, ErrBroken) || errors.Is(err, ErrNewer) {
		t.Errorf("an older file: %v", err)
	}
}
