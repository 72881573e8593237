package syncstate

import (
	"cmp"
	"fmt"
	"iter"
	"time"
)

// headsAtOnce bounds how long a list of folders holds a transaction open.
const headsAtOnce = 256

// giveBackEvery is after how many lists of folders the file's pages in memory are given back. For
// that all cores have to stop.
const giveBackEvery = 8

// Record returns the whole record of a folder, the zero Record for an unknown one.
func (s *Store) Record(folder Folder) (r Record, err error) {
	err = s.view(func(l ledger) error {
		_, r, err = l.load(folder)
		return err
	})
	return r, err
}

// Head is Record without the published marker and frames, which makes it cheap.
func (s *Store) Head(folder Folder) (r Record, err error) {
	err = s.view(func(l ledger) error {
		h, err := l.readHead(folder, new(values))
		if err == nil {
			r, err = l.withRun(folder, h)
		}
		return err
	})
	return r, err
}

// Heads lists the heads of all folders in the order of root and path. The store may be changed on
// the way; each head is as it was at some time during the listing. The file's pages in memory are
// given back, or all of them would count as memory of the program. A list that cannot be read ends
// early and Err returns why.
func (s *Store) Heads() iter.Seq2[Folder, Record] {
	return func(yield func(Folder, Record) bool) {
		heads := make([]listed, 0, headsAtOnce)
		var after Folder
		var err error
		for batch := 1; ; batch++ {
			if heads, err = s.headsAfter(after, heads[:0]); err != nil {
				return
			}
			for _, h := range heads {
				if !yield(h.folder, h.record) {
					return
				}
			}
			if len(heads) < headsAtOnce {
				return
			}
			after = heads[len(heads)-1].folder
			if batch%giveBackEvery == 0 {
				s.GiveMemoryBack()
			}
		}
	}
}

type listed struct {
	folder Folder
	record Record
}

// headsAfter appends the heads that follow on a folder, up to headsAtOnce.
func (s *Store) headsAfter(after Folder, heads []listed) ([]listed, error) {
	err := s.view(func(l ledger) error {
		folders := l.list("folders")
		cursor := folders.bucket.Cursor()
		key, stored := cursor.Seek(after.key())
		if string(key) == string(after.key()) {
			key, stored = cursor.Next()
		}
		root := after.Root
		for ; key != nil && len(heads) < headsAtOnce; key, stored = cursor.Next() {
			folder := folderOf(key)
			if folder.Root == root {
				folder.Root = root // thousands of folders share one text
			}
			root = folder.Root
			_, h, err := folders.head(key, stored)
			if err != nil {
				return err
			}
			record, err := l.withRun(folder, h)
			if err != nil {
				return err
			}
			heads = append(heads, listed{folder, record})
		}
		return nil
	})
	return heads, err
}

// Update changes a folder's record in one transaction: it is loaded, given to fn, and what differs
// is saved before Update returns. An error or panic of fn changes nothing. A folder is known from
// its first Update on.
//
// All writers wait while fn runs, so it must not block, nor call the store.
func (s *Store) Update(folder Folder, fn func(*Record) error) error {
	return s.write(updating(s, folder, fn))
}

// UpdatePatiently is Update for a change that may wait a moment, to be saved together with others.
// It too returns when it is saved.
func (s *Store) UpdatePatiently(folder Folder, fn func(*Record) error) error {
	return s.writePatiently(updating(s, folder, fn))
}

func updating(s *Store, folder Folder, fn func(*Record) error) func(ledger) (edit, error) {
	key := folder.key()
	return func(l ledger) (edit, error) {
		before, record, err := l.load(folder)
		if err != nil {
			return edit{}, s.damaged(err)
		}
		decided, err := s.share.partOf(folder, record) // fn may change what the record points to
		if err != nil {
			return edit{}, err
		}
		if err := fn(&record); err != nil {
			return edit{}, err
		}
		after, err := encode(record)
		if err != nil {
			return edit{}, fmt.Errorf("record %q: %w", folder, err)
		}
		if before.equal(after) {
			return edit{}, nil
		}
		if err := usable(key); err != nil {
			return edit{}, err
		}
		ready := edit{}
		if ready.store, err = difference(key, before, after); err == nil {
			ready.decide, err = s.share.decisions(decided, folder, record)
		}
		return ready, err
	}
}

// load returns a folder's record and the values that it was made of.
func (l ledger) load(folder Folder) (v values, r Record, err error) {
	h, err := l.readHead(folder, &v)
	if err != nil {
		return v, r, err
	}
	key := folder.key()
	err = cmp.Or(l.readRun(key, &v), l.readPublished(key, &v))
	if err == nil {
		err = cmp.Or(h.fillRun(v), h.fillPublished(v))
	}
	if err != nil {
		return v, Record{}, fmt.Errorf("%q: %w", folder, err)
	}
	return v, h.Record, nil
}

// withRun adds to a head what it lacks of its run.
func (l ledger) withRun(folder Folder, h head) (Record, error) {
	if h.Run == nil {
		return h.Record, nil
	}
	var v values
	err := l.readRun(folder.key(), &v)
	if err == nil {
		err = h.fillRun(v)
	}
	if err != nil {
		return Record{}, fmt.Errorf("%q: %w", folder, err)
	}
	return h.Record, nil
}

func (l ledger) readHead(folder Folder, v *values) (h head, err error) {
	folders, key := l.list("folders"), folder.key()
	stored := folders.bucket.Get(key)
	if stored == nil {
		return head{}, nil
	}
	v.head, h, err = folders.head(key, stored)
	return h, err
}

// head reads the head of a folder as it is stored in the list of folders.
func (l list) head(key, stored []byte) (data []byte, h head, err error) {
	data, err = l.unseal(key, stored)
	if err == nil {
		h, err = decodeHead(data)
	}
	if err != nil {
		return nil, head{}, fmt.Errorf("%q: %w", folderOf(key), err)
	}
	return data, h, nil
}

// MarkUploaded replaces frame index of the folder's run, as uploaded. It rewrites one small value,
// and may wait as UpdatePatiently does.
func (s *Store) MarkUploaded(folder Folder, index int, frame RunFrame) error {
	frame.Uploaded = true
	return s.writePatiently(func(l ledger) (edit, error) {
		run := l.list("runs").in(folder.key())
		if run.bucket == nil || run.bucket.Get(frameKey(index)) == nil {
			return edit{}, fmt.Errorf("record %q of %q: its run has no frame %d", frame.Name, folder, index)
		}
		value := pack((*coder).runFrame, &frame)
		return edit{store: []mutation{{list: "runs", run: folder.key(), key: frameKey(index), value: value}}}, nil
	})
}

// Move gives a folder's record to another folder, in one transaction with a change of it that may
// fail; nil is none. What a person wished for the other one already stays. It refuses to overwrite a
// record that may own a product.
func (s *Store) Move(from, to Folder, change func(*Record) error) error {
	if from == to {
		return nil
	}
	return s.write(func(l ledger) (edit, error) {
		before, moved, err := l.load(from)
		if err != nil {
			return edit{}, s.damaged(err)
		}
		decided, err := s.share.partOf(from, moved)
		if err != nil {
			return edit{}, err
		}
		if change != nil {
			if err := change(&moved); err != nil {
				return edit{}, err
			}
		}
		if before.head == nil {
			return edit{}, fmt.Errorf("move the record of %q: nothing is recorded for it", from)
		}
		replaced, own, err := l.load(to)
		if err != nil {
			return edit{}, s.damaged(err)
		}
		if own.Product.UUID != "" || own.Run != nil {
			return edit{}, fmt.Errorf("move the record of %q: %q has a product of its own", from, to)
		}
		decidedTo, err := s.share.partOf(to, own)
		if err != nil {
			return edit{}, err
		}
		moved.Idle.Listing = "" // the product is still to get the name of the other folder
		moved.Wishes.Paused, moved.Wishes.Priority = earliest(moved.Wishes.Paused, own.Wishes.Paused), moved.Wishes.Priority || own.Wishes.Priority
		after, err := encode(moved)
		if err != nil {
			return edit{}, fmt.Errorf("record %q: %w", to, err)
		}
		if err := usable(to.key()); err != nil {
			return edit{}, err
		}
		coming, err := difference(to.key(), replaced, after)
		if err != nil {
			return edit{}, err
		}
		going, err := difference(from.key(), before, values{})
		if err != nil {
			return edit{}, err
		}
		comes, err := s.share.decisions(decidedTo, to, moved)
		if err != nil {
			return edit{}, err
		}
		goes, err := s.share.decisions(decided, from, Record{})
		return edit{append(coming, going...), append(comes, goes...)}, err
	})
}

// earliest is the earlier of two times, where a zero time is none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Delete forgets a folder. Forgetting an unknown one is no error.
func (s *Store) Delete(folder Folder) error {
	return s.write(func(l ledger) (edit, error) {
		before, record, err := l.load(folder)
		if err != nil {
			return edit{}, s.damaged(err)
		}
		decided, err := s.share.partOf(folder, record)
		if err != nil {
			return edit{}, err
		}
		ready := edit{}
		if ready.store, err = difference(folder.key(), before, values{}); err == nil {
			ready.decide, err = s.share.decisions(decided, folder, Record{})
		}
		return ready, err
	})
}
