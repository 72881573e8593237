package syncstate

import (
	"fmt"
	"iter"
)

// headsAtOnce bounds how long a list of folders holds a transaction open.
const headsAtOnce = 256

// Record returns all that is known of a folder, the zero Record for an unknown one.
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
		r, err = l.loadHead(folder)
		return err
	})
	return r, err
}

// Heads lists the heads of all folders in the order of root and path. The store may be changed meanwhile; each
// head is as it was at some time during the listing. What was read of the file is given back on the way, or all of it would end
// as the memory of a program that lists them. A list that cannot be read ends early and Err tells why.
func (s *Store) Heads() iter.Seq2[Folder, Record] {
	return func(yield func(Folder, Record) bool) {
		var after Folder
		heads := make([]listed, 0, headsAtOnce)
		for {
			var err error
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
			s.GiveMemoryBack()
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
		cursor := l.bucket("folders").Cursor()
		key, head := cursor.Seek(after.key())
		if string(key) == string(after.key()) {
			key, head = cursor.Next()
		}
		root := after.Root
		for ; key != nil && len(heads) < headsAtOnce; key, head = cursor.Next() {
			folder := folderOf(key)
			if folder.Root == root {
				folder.Root = root // thousands of folders share one text
			}
			root = folder.Root
			record, err := l.decodeHead(folder, head)
			if err != nil {
				return err
			}
			heads = append(heads, listed{folder, record})
		}
		return nil
	})
	return heads, err
}

// Update changes a folder's record in one transaction: it is loaded, given to fn, and what differs is
// saved before Update returns. An error or panic of fn changes nothing. A folder is known from its first Update on.
//
// All writers wait while fn runs, so it must not block, nor call the store.
func (s *Store) Update(folder Folder, fn func(*Record) error) error {
	key := folder.key()
	return s.write(func(l ledger) (func() error, error) {
		before, record, err := l.load(folder)
		if err != nil {
			return nil, s.damaged(err)
		}
		if err := fn(&record); err != nil {
			return nil, err
		}
		after, err := encode(record)
		if err != nil {
			return nil, fmt.Errorf("record %q: %w", folder, err)
		}
		if before.equal(after) {
			return nil, nil
		}
		return func() error { return l.write(key, before, after) }, usable(key)
	})
}

// load returns a folder's record and the values that it was made of.
func (l ledger) load(folder Folder) (v values, r Record, err error) {
	v, err = l.read(folder.key())
	if err == nil {
		r, err = v.record()
	}
	if err != nil {
		err = fmt.Errorf("%q: %w", folder, err)
	}
	return v, r, err
}

func (l ledger) loadHead(folder Folder) (Record, error) {
	return l.decodeHead(folder, l.bucket("folders").Get(folder.key()))
}

// decodeHead reads what else belongs to a head only where there is something: a run.
func (l ledger) decodeHead(folder Folder, head []byte) (Record, error) {
	if head == nil {
		return Record{}, nil
	}
	r, err := decodeHead(head)
	if err == nil && r.Run != nil {
		err = l.readHead(folder.key()).fill(r.Run)
	}
	if err != nil {
		err = fmt.Errorf("%q: %w", folder, err)
	}
	return r, err
}

// MarkUploaded replaces frame index of the folder's run, as uploaded. It rewrites one small value.
func (s *Store) MarkUploaded(folder Folder, index int, frame RunFrame) error {
	frame.Uploaded = true
	return s.write(func(l ledger) (func() error, error) {
		run := l.bucket("runs").Bucket(folder.key())
		if run == nil || run.Get(indexKey(index)) == nil {
			return nil, fmt.Errorf("record %q of %q: its run has no frame %d", frame.Name, folder, index)
		}
		return func() error { return run.Put(indexKey(index), pack((*coder).runFrame, &frame)) }, nil
	})
}

// Move gives a folder's record to another folder. It refuses to overwrite one that may own a product.
func (s *Store) Move(from, to Folder) error {
	if from == to {
		return nil
	}
	return s.write(func(l ledger) (func() error, error) {
		moved, _, err := l.load(from)
		if err != nil {
			return nil, s.damaged(err)
		}
		if moved.head == nil {
			return nil, fmt.Errorf("move the record of %q: nothing is recorded for it", from)
		}
		replaced, record, err := l.load(to)
		if err != nil {
			return nil, s.damaged(err)
		}
		if record.Product.UUID != "" || record.Intent != nil || record.Run != nil {
			return nil, fmt.Errorf("move the record of %q: %q has a product of its own", from, to)
		}
		return func() error { return l.move(from, to, moved, replaced) }, usable(to.key())
	})
}

func (l ledger) move(from, to Folder, moved, replaced values) error {
	if err := l.write(to.key(), replaced, moved); err != nil {
		return err
	}
	return l.write(from.key(), moved, values{})
}

// Delete forgets a folder. Forgetting an unknown one is no error.
func (s *Store) Delete(folder Folder) error {
	return s.write(func(l ledger) (func() error, error) {
		before, _, err := l.load(folder)
		if err != nil {
			return nil, s.damaged(err)
		}
		return func() error { return l.write(folder.key(), before, values{}) }, nil
	})
}
