package syncstate

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"
)

// History is what people are shown of the past, the oldest first. Nothing is decided by it.
type History struct {
	Publications []Publication // the newest MostPublications are kept, and all of the last day
	Samples      []Sample      // the newest MostSamples are kept
	Asides       []Aside       // the newest mostAsides are kept, and all of the last day
}

// wholeDay is as long as any day is, that of a clock set back included.
const wholeDay = 25 * time.Hour

// Bounds of the history.
const (
	MostPublications = 2000
	MostSamples      = 360
	mostAsides       = 100
)

// A Publication is one revision that went live.
type Publication struct {
	Folder    Folder    `json:"-"`
	Live      time.Time `json:"-"` // to the millisecond
	LastFrame time.Time `json:"last_frame,omitzero"`
	Revision  int64     `json:"revision"`
	Frames    int       `json:"frames"`
	Bytes     int64     `json:"bytes"`
}

// A Sample is how busy everything was at a time.
type Sample struct {
	At    time.Time `json:"-"`     // to the millisecond
	Rate  float64   `json:"rate"`  // bytes a second
	Queue int       `json:"queue"` // folders on their way
}

// An Aside is what a person was told of a product folder and put aside. One without a reason takes
// it up again.
type Aside struct {
	Folder Folder    `json:"-"`
	At     time.Time `json:"-"`     // to the millisecond
	Since  time.Time `json:"since"` // when the folder came to need a person
	Cause  *Cause    `json:"cause,omitempty"`
}

func (p Publication) key() []byte { return append(timeKey(p.Live), p.Folder.key()...) }
func (s Sample) key() []byte      { return timeKey(s.At) }
func (a Aside) key() []byte       { return append(timeKey(a.At), a.Folder.key()...) }

// timeKey sorts as the time does.
func timeKey(t time.Time) []byte { return binary.BigEndian.AppendUint64(nil, uint64(t.UnixMilli())) }

const timeKeyLength = 8

func timeOf(key []byte) time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(key))).UTC()
}

// History returns all that is kept of the past.
func (s *Store) History() (h History, err error) {
	err = s.view(func(l ledger) (err error) {
		h, err = l.history()
		return err
	})
	return h, err
}

func (l ledger) history() (History, error) {
	publications, err1 := past(l, "publications", func(at time.Time, folder Folder) Publication {
		return Publication{Live: at, Folder: folder}
	})
	samples, err2 := past(l, "samples", func(at time.Time, _ Folder) Sample { return Sample{At: at} })
	asides, err3 := past(l, "asides", func(at time.Time, folder Folder) Aside { return Aside{At: at, Folder: folder} })
	if err := cmp.Or(err1, err2, err3); err != nil {
		return History{}, err
	}
	return History{Publications: publications, Samples: samples, Asides: asides}, nil
}

// past reads one list of the history, which is not there before anything was added. A new entry
// has what its key tells.
func past[T any](l ledger, name string, newEntry func(at time.Time, folder Folder) T) (entries []T, err error) {
	history := l.list("history")
	if history.bucket == nil || history.in([]byte(name)).bucket == nil {
		return nil, nil
	}
	err = history.in([]byte(name)).each(func(key, value []byte) error {
		if len(key) < timeKeyLength {
			return errors.New("an entry has no time")
		}
		entry := newEntry(timeOf(key), folderOf(key[timeKeyLength:]))
		err := json.Unmarshal(value, &entry)
		entries = append(entries, entry)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the history, %s: %w", name, err)
	}
	return entries, nil
}

// AddHistory adds to the history, and drops entries that are too old.
func (s *Store) AddHistory(h History) error {
	return s.write(func(l ledger) (func() error, error) {
		return func() error { return l.addHistory(h) }, cmp.Or(usableAll(h.Publications), usableAll(h.Asides))
	})
}

func usableAll[T interface{ key() []byte }](entries []T) error {
	for _, entry := range entries {
		if err := usable(entry.key()); err != nil {
			return err
		}
	}
	return nil
}

func (l ledger) addHistory(h History) error {
	if _, err := l.root.bucket.CreateBucketIfNotExists([]byte("history")); err != nil {
		return err
	}
	history := l.list("history")
	return cmp.Or(
		addPast(history, "publications", h.Publications, MostPublications, wholeDay),
		addPast(history, "asides", h.Asides, mostAsides, wholeDay),
		addPast(history, "samples", h.Samples, MostSamples, 0),
	)
}

func addPast[T interface{ key() []byte }](history list, name string, entries []T, most int, age time.Duration) error {
	if len(entries) == 0 {
		return nil
	}
	if _, err := history.bucket.CreateBucketIfNotExists([]byte(name)); err != nil {
		return err
	}
	past := history.in([]byte(name))
	for _, entry := range entries {
		value, err := json.Marshal(entry)
		if err != nil {
			return err
		}
		if err := past.put(entry.key(), value); err != nil {
			return err
		}
	}
	return forgetOldest(past.bucket, most, age)
}

// forgetOldest keeps the newest entries, and all that are no older than the very newest by more
// than age.
func forgetOldest(b *bolt.Bucket, most int, age time.Duration) error {
	newest, _ := b.Cursor().Last()
	count := 0
	if err := b.ForEach(func([]byte, []byte) error { count++; return nil }); err != nil {
		return err
	}
	for ; count > most; count-- {
		oldest, _ := b.Cursor().First()
		if age > 0 && min(len(oldest), len(newest)) >= timeKeyLength && timeOf(newest).Sub(timeOf(oldest)) <= age {
			return nil
		}
		if err := b.Delete(oldest); err != nil {
			return err
		}
	}
	return nil
}
