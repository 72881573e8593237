package syncstate

import (
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"spinsync/syncstate/cluster"
)

// A change waits for its turn in the transaction that is being put together.
//
// It prepares what to store on its caller's goroutine, so that a panic in a caller's closure is the
// caller's, and only then, when nothing can go wrong any more, is it stored.
type change struct {
	patient bool        // it may wait for company
	share   *share      // nil but in a fleet
	turn    chan ledger // closed instead when the store refuses
	ready   chan edit
	saved   chan error
}

// An edit is what a change stores in the file, and what of it is a decision that all stations of a
// fleet are to know.
type edit struct {
	store  []mutation // nil for nothing
	decide []cluster.Write
}

// companyTime is how soon after the last change a patient one is saved by itself. Where many come
// one after the other, that saves most of the commits, for each of which the disk is waited for
// twice.
const companyTime = 5 * time.Millisecond

// write calls prepare in a transaction of its own or one shared with changes that came at the same
// time, and returns when what prepare returned is saved.
func (s *Store) write(prepare func(ledger) (edit, error)) error {
	return s.writeAs(change{}, prepare)
}

// writePatiently is write for a change that may wait for company, up to companyTime.
func (s *Store) writePatiently(prepare func(ledger) (edit, error)) error {
	return s.writeAs(change{patient: true}, prepare)
}

func (s *Store) writeAs(c change, prepare func(ledger) (edit, error)) error {
	c.turn, c.ready, c.saved, c.share = make(chan ledger), make(chan edit), make(chan error, 1), s.share
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

func (c change) take(prepare func(ledger) (edit, error)) error {
	l, granted := <-c.turn
	if !granted {
		return nil
	}
	var ready edit
	defer func() { c.ready <- ready }() // a panic gives the turn back too
	prepared, err := prepare(l)
	if err == nil {
		ready = prepared
	}
	return err
}

// serve is the one goroutine that writes.
func (s *Store) serve() {
	defer close(s.done)
	var rested time.Time // when a patient change need not wait any more
	for {
		select {
		case c := <-s.changes:
			s.save(s.company(c, rested))
			rested = time.Now().Add(companyTime)
		case answer := <-s.reopen:
			answer <- s.openAgain()
		case <-s.closing:
			return
		}
	}
}

// company delays a patient change until an impatient one comes, at most until the given time. It
// returns all that came.
func (s *Store) company(first change, until time.Time) []change {
	all := []change{first}
	wait := time.Until(until)
	if !first.patient || wait <= 0 {
		return all
	}
	enough := time.NewTimer(wait)
	defer enough.Stop()
	for all[len(all)-1].patient {
		select {
		case c := <-s.changes:
			all = append(all, c)
		case <-enough.C:
			return all
		case <-s.closing:
			return all
		}
	}
	return all
}

// save commits changes at once, together with all that come while they are gathered. Where a
// transaction of the fleet would become too large, it takes several.
func (s *Store) save(batch []change) {
	for len(batch) > 0 {
		batch = s.saveGroup(batch)
	}
}

// saveGroup returns the changes that are still to be saved.
func (s *Store) saveGroup(batch []change) (left []change) {
	f := s.current.Load()
	if f.refusal != nil {
		refuse(batch, f.refusal)
		return nil
	}
	if err := f.isAt(s.path); err != nil {
		refuse(batch, s.refuse(f, err))
		return nil
	}
	tx, err := f.db.Begin(true)
	if err != nil {
		refuse(batch, err)
		return nil
	}
	g, left, err := s.gather(tx, batch)
	if err == nil {
		err = g.decide(openLedger(tx, s.account))
	}
	if g.changed && err == nil {
		err = s.commit(f, tx)
		g.share.end(err)
	} else {
		err = errors.Join(err, tx.Rollback())
	}
	for _, c := range g.served {
		c.saved <- err
	}
	return left
}

// refuse ends changes that had no turn.
func refuse(batch []change, why error) {
	for _, c := range batch {
		close(c.turn)
		c.saved <- why
	}
}

// A group is the changes that are saved in one transaction.
type group struct {
	served  []change
	changed bool
	share   *share // of the decisions; nil for none
	decided []cluster.Write
	bytes   int // of the decisions
}

// gather gives a turn to each change of the batch, and to each that waits by then. It returns those
// that it left for another transaction.
func (s *Store) gather(tx *bolt.Tx, batch []change) (g group, left []change, err error) {
	l := openLedger(tx, s.account)
	for i := 0; i < len(batch); i++ {
		if g.isFull() {
			return g, batch[i:], nil
		}
		c := batch[i]
		c.turn <- l
		ready := <-c.ready
		if err := c.share.admits(ready); err != nil {
			c.saved <- err
			continue
		}
		g.served = append(g.served, c)
		g.add(c.share, ready)
		if err := l.doAll(ready.store); err != nil {
			err = fmt.Errorf("%s: nothing was saved: %w", s.path, err)
			refuse(batch[i+1:], err)
			return g, nil, err
		}
		select {
		case c := <-s.changes:
			batch = append(batch, c)
		default:
		}
	}
	return g, nil, nil
}

func (g *group) add(by *share, ready edit) {
	g.changed = g.changed || ready.store != nil
	if len(ready.decide) == 0 {
		return
	}
	g.share = by
	for _, w := range ready.decide {
		g.bytes += len(w.Key) + len(w.Value)
	}
	g.decided = append(g.decided, ready.decide...)
}

// commit refuses everything after a failure: bbolt may or may not show the values it could not
// save.
func (s *Store) commit(f *file, tx *bolt.Tx) error {
	commit := tx.Commit
	if s.around != nil {
		commit = func() error { return s.around(tx.Commit) }
	}
	err := commit()
	if err != nil {
		_ = tx.Rollback() // a commit that was tried has done so itself
		return s.refuse(f, unknown(s.path, err))
	}
	return nil
}
