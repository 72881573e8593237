package syncstate

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A damage is what cannot be read and concerns nothing else.
type damage struct {
	folders []Folder
	history bool
	first   error
}

func (d damage) err() error {
	if more := len(d.folders) - 1; more > 0 {
		return fmt.Errorf("%w; and of %d more folders", d.first, more)
	}
	return d.first
}

func (d *damage) add(folder Folder, why error) {
	d.folders = append(d.folders, folder)
	if d.first == nil {
		d.first = why
	}
}

// damage looks for all of it. The error is of a value that concerns more.
func (l ledger) damage() (found damage, err error) {
	err = l.list("folders").bucket.ForEach(func(key, _ []byte) error {
		_, _, err := l.load(folderOf(key))
		if errors.Is(err, ErrDamaged) {
			found.add(folderOf(key), err)
			return nil
		}
		return err
	})
	if err != nil {
		return damage{}, err
	}
	for _, name := range []string{"published", "runs"} {
		if err := l.strays(name, &found); err != nil {
			return damage{}, err
		}
	}
	if _, err := l.history(); err != nil {
		found.history = true
		if found.first == nil {
			found.first = err
		}
	}
	return found, nil
}

// strays finds what belongs to no folder, as a key does in which a bit flipped.
func (l ledger) strays(name string, found *damage) error {
	heads := l.list("folders").bucket
	return l.list(name).bucket.ForEach(func(key, _ []byte) error {
		if heads.Get(key) == nil {
			found.add(folderOf(key), fmt.Errorf("%w of %q: the list of %s knows it, the list of folders does not",
				ErrDamaged, folderOf(key), name))
		}
		return nil
	})
}

// Tell records what people are told of a folder of whose record more than the head may be damaged,
// and changes nothing else.
func (s *Store) Tell(folder Folder, state string, cause *Cause, since time.Time) error {
	return s.write(func(l ledger) (func() error, error) {
		var before values
		h, err := l.readHead(folder, &before)
		if err != nil {
			return nil, s.damaged(err)
		}
		if before.head == nil {
			return nil, nil
		}
		h.State, h.Cause, h.Since = state, cause, since
		after, err := json.Marshal(h)
		return func() error { return put(l.list("folders"), folder.key(), before.head, after) }, err
	})
}

// Salvage drops the damaged values that concern nothing else. Before that it makes a copy of the
// file and returns its path. A damaged folder keeps its head, with the product. Its run and the
// list of its published frames are forgotten. The path is empty when nothing is damaged.
func (s *Store) Salvage() (kept string, err error) {
	err = s.write(func(l ledger) (func() error, error) {
		found, err := l.damage()
		if err != nil {
			return nil, s.damaged(err)
		}
		if found.first == nil {
			return nil, nil
		}
		kept = s.path + ".damaged.bak"
		if err := backUp(s.current.Load().db, kept); err != nil {
			return nil, fmt.Errorf("copy %s before it is mended: %w%s", s.path, err, remedy(err))
		}
		return func() error { return l.drop(found) }, nil
	})
	return kept, err
}

func (l ledger) drop(found damage) error {
	for _, folder := range found.folders {
		if err := l.salvage(folder); err != nil {
			return err
		}
	}
	if found.history {
		return l.root.bucket.DeleteBucket([]byte("history"))
	}
	return nil
}

// salvage reduces a folder to its head.
func (l ledger) salvage(folder Folder) error {
	var before values
	h, err := l.readHead(folder, &before)
	if err != nil {
		return err
	}
	key := folder.key()
	err = l.list("published").bucket.Delete(key)
	if runs := l.list("runs"); err == nil && runs.in(key).bucket != nil {
		err = runs.bucket.DeleteBucket(key)
	}
	if err != nil || before.head == nil {
		return err
	}
	r := h.Record
	r.Run, r.Published = nil, nil
	r.State, r.Cause, r.Listing, r.Unreconciled = "", nil, "", true
	after, err := encode(r)
	if err != nil {
		return err
	}
	return l.list("folders").put(key, after.head)
}
