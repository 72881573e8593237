package syncstate

import (
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// A change waits for its turn in the transaction that is being put together.
//
// It prepares what to store on its caller's goroutine, so that a panic in a caller's closure is the
// caller's, and only then, when nothing can go wrong any more, is it stored.
type change struct {
	turn  chan ledger       // closed instead when the store refuses
	ready chan func() error // what to store; nil for nothing
	saved chan error
}

// write calls prepare in a transaction of its own or one shared with changes that came at the same
// time, and returns when what prepare returned is saved.
func (s *Store) write(prepare func(ledger) (store func() error, err error)) error {
	c := change{turn: make(chan ledger), ready: make(chan func() error), saved: make(chan error, 1)}
	select {
	case s.changes <- c:
	case <-s.done:
		return s.notWritable()
	}
	err := c.take(prepare)
	saved := <-c.saved
	if err != nil {
		return err
	}
	return saved
}

func (s *Store) notWritable() error {
	select {
	case <-s.closing:
		return closed(s.path)
	default:
		return fmt.Errorf("%s: the state file was opened for reading only", s.path)
	}
}

func (c change) take(prepare func(ledger) (func() error, error)) (err error) {
	l, granted := <-c.turn
	if !granted {
		return nil
	}
	var store func() error
	defer func() { c.ready <- store }() // a panic gives the turn back too
	store, err = prepare(l)
	return err
}

// serve is the one goroutine that writes.
func (s *Store) serve() {
	defer close(s.done)
	for {
		select {
		case c := <-s.changes:
			s.save(c)
		case answer := <-s.reopen:
			answer <- s.openAgain()
		case <-s.closing:
			return
		}
	}
}

// save commits first at once when it is alone, else together with all that came while the commit
// before was under way.
func (s *Store) save(first change) {
	f := s.current.Load()
	if f.refusal != nil {
		close(first.turn)
		first.saved <- f.refusal
		return
	}
	tx, err := f.db.Begin(true)
	if err != nil {
		close(first.turn)
		first.saved <- err
		return
	}
	batch, changed, err := s.gather(tx, first)
	if changed && err == nil {
		err = s.commit(f, tx)
	} else {
		err = errors.Join(err, tx.Rollback())
	}
	for _, c := range batch {
		c.saved <- err
	}
}

// gather gives a turn to first and to each change that waits.
func (s *Store) gather(tx *bolt.Tx, first change) (batch []change, changed bool, err error) {
	l := openLedger(tx, s.account)
	c := first
	for {
		batch = append(batch, c)
		c.turn <- l
		if store := <-c.ready; store != nil {
			changed = true
			if err := store(); err != nil {
				return batch, changed, fmt.Errorf("%s: nothing was saved: %w", s.path, err)
			}
		}
		select {
		case c = <-s.changes:
		default:
			return batch, changed, nil
		}
	}
}

// commit refuses everything after a failure: bbolt may show, or may not, what it could not save.
func (s *Store) commit(f *file, tx *bolt.Tx) error {
	err := s.around(tx.Commit)
	if err != nil {
		_ = tx.Rollback() // a commit that was tried has done so itself
		return s.refuse(f, unknown(s.path, err))
	}
	return nil
}
