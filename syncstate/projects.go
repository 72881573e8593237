package syncstate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Project returns the record of the project with this title, the zero ProjectRecord for an unknown
// one.
func (s *Store) Project(title string) (ProjectRecord, error) {
	return lookUp[ProjectRecord](s, "projects", title)
}

// UpdateProject does for a project what Update does for a folder.
func (s *Store) UpdateProject(title string, fn func(*ProjectRecord) error) error {
	return update(s, "projects", title, fn)
}

// Root returns the record of the root at path, the zero RootRecord for an unknown one.
func (s *Store) Root(path string) (RootRecord, error) {
	return lookUp[RootRecord](s, "roots", path)
}

// UpdateRoot does for a root what Update does for a folder.
func (s *Store) UpdateRoot(path string, fn func(*RootRecord) error) error {
	return update(s, "roots", path, fn)
}

// A Note is a value that an account keeps apart from its folders; the zero value when none is
// recorded.
type Note[T any] struct{ name string }

// The notes of an account.
var (
	AllPaused       = Note[time.Time]{"paused"}                    // since when everything is paused; zero: it is not
	AccessKeyFields = Note[map[string]string]{"access key fields"} // form fields of 4.3, by upload host
	delivered       = Note[map[string]time.Time]{"delivered"}      // up to when a receiver got all news, by its name
)

// Read returns the note.
func (n Note[T]) Read(s *Store) (T, error) { return lookUp[T](s, "notes", n.name) }

// Set records the note.
func (n Note[T]) Set(s *Store, v T) error {
	return update(s, "notes", n.name, func(is *T) error { *is = v; return nil })
}

// Delivered returns the time up to which each receiver got all news, by its name.
func (s *Store) Delivered() (until map[string]time.Time, err error) {
	return delivered.Read(s)
}

// SetDelivered records that a receiver got all news up to a time.
func (s *Store) SetDelivered(name string, until time.Time) error {
	return update(s, "notes", delivered.name, func(all *map[string]time.Time) error {
		if *all == nil {
			*all = map[string]time.Time{}
		}
		(*all)[name] = until.UTC()
		return nil
	})
}

// Probe makes an empty commit, to learn whether changes can be saved.
func (s *Store) Probe() error {
	return s.write(func(ledger) (edit, error) { return edit{store: []mutation{}}, nil })
}

func lookUp[T any](s *Store, list, name string) (v T, err error) {
	err = s.view(func(l ledger) error { return get(l.list(list), name, &v) })
	return v, err
}

// get leaves v as it is when there is no value of that name.
func get[T any](l list, name string, v *T) error {
	data, err := l.get([]byte(name))
	if data != nil && err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return nil
}

func update[T any](s *Store, list, name string, fn func(*T) error) error {
	return s.write(func(l ledger) (edit, error) {
		var v T
		if err := get(l.list(list), name, &v); err != nil {
			return edit{}, s.damaged(err)
		}
		decided, err := s.share.noteOf(list, name, v)
		if err != nil {
			return edit{}, err
		}
		if err := fn(&v); err != nil {
			return edit{}, err
		}
		data, err := json.Marshal(v)
		if err != nil {
			return edit{}, fmt.Errorf("record %q: %w", name, err)
		}
		if before, err := l.list(list).get([]byte(name)); err != nil || bytes.Equal(data, before) {
			return edit{}, err
		}
		now, err := s.share.noteOf(list, name, v)
		if err != nil {
			return edit{}, err
		}
		store := []mutation{{list: list, key: []byte(name), value: data}}
		return edit{store, decided.to(now)}, usable([]byte(name))
	})
}
