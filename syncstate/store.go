package syncstate

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// Account is whose ids a store keeps. BaseURL is taken as it is: the caller makes one address have
// one spelling.
type Account struct {
	BaseURL  string
	Username string
}

// A Store is an open state file as one account sees it. Its methods may be called by many
// goroutines at once, but not from inside a closure that another of its methods has called.
type Store struct {
	path    string
	account Account
	around  func(do func() error) error // stands around every commit; nil but in tests
	share   *share                      // nil but in a fleet

	current *atomic.Pointer[file]
	changes chan change
	reopen  chan chan error
	closing chan struct{}
	done    chan struct{} // closed when the writer has ended
	close   func()        // closes closing, once
}

// A file is the open database, and why it is not to be used any more.
type file struct {
	db      *bolt.DB    // nil when it could not be opened again
	opened  fs.FileInfo // nil where it is open for reading only
	refusal error
}

// Open opens the state file for reading and writing, and makes a missing one together with its
// directories. It waits one second for another process to let go of the file, then the error is
// ErrLocked. A file that is not sound gives ErrDamaged or ErrSchema and is not touched.
func Open(path string, account Account) (*Store, error) {
	if err := create(path); err != nil {
		return nil, err
	}
	f, err := openForWriting(path, account)
	if err != nil {
		return nil, err
	}
	s := newStore(path, account, f)
	go s.serve()
	return s, nil
}

// OpenObserved is Open for tests that stop the world around a commit, or make one fail. It calls
// around with every commit of a change, and around has to do it. Its result counts as the outcome.
func OpenObserved(path string, account Account, around func(do func() error) error) (*Store, error) {
	s, err := Open(path, account)
	if err == nil {
		s.around = around
	}
	return s, err
}

// OpenReadOnly opens an existing state file without changing it, for as long as no process has it
// open for writing. A missing file is an os.ErrNotExist. Every method that writes returns an error.
func OpenReadOnly(path string, account Account) (*Store, error) {
	db, err := openSound(path, complete)
	if err != nil {
		return nil, err
	}
	s := newStore(path, account, &file{db: db})
	close(s.done)
	return s, nil
}

func newStore(path string, account Account, f *file) *Store {
	s := &Store{
		path: path, account: account,
		changes: make(chan change), reopen: make(chan chan error),
		closing: make(chan struct{}), done: make(chan struct{}), current: new(atomic.Pointer[file]),
	}
	s.close = sync.OnceFunc(func() { close(s.closing) })
	s.current.Store(f)
	return s
}

// Path is where the file lies.
func (s *Store) Path() string { return s.path }

// Err returns why the store refuses to work, nil while it works.
func (s *Store) Err() error { return s.current.Load().refusal }

// Close waits for changes that are being saved and for reads, and lets go of the file.
func (s *Store) Close() error {
	s.close()
	<-s.done
	return s.release(closed(s.path))
}

// release closes the database. Readers that come later see the refusal.
func (s *Store) release(refusal error) error {
	old := s.current.Swap(&file{refusal: refusal})
	if old.db == nil {
		return nil
	}
	if !old.db.IsReadOnly() {
		forgetHolder(s.path)
	}
	return old.db.Close()
}

// Reopen closes the file, opens it again and checks it, as is due after ErrUnknown. From then on
// the store reads the saved values. When it fails, the store goes on refusing and Reopen may be
// called again.
func (s *Store) Reopen() error {
	answer := make(chan error, 1)
	select {
	case s.reopen <- answer:
		return <-answer
	case <-s.done:
		return s.notWritable()
	}
}

func (s *Store) openAgain() error {
	if err := s.release(unknown(s.path, errors.New("it is being opened again"))); err != nil {
		return err
	}
	f, err := openForWriting(s.path, s.account)
	if err != nil {
		f = &file{refusal: err}
	}
	s.current.Store(f)
	return err
}

// refuse makes everything fail with err until Reopen. It does nothing when f is not the current
// file any more.
func (s *Store) refuse(f *file, err error) error {
	s.current.CompareAndSwap(f, &file{db: f.db, opened: f.opened, refusal: err})
	return err
}

// isAt is ErrReplaced where another file has the path of this one, or none has. What cannot be asked
// now is left to the commit.
func (f *file) isAt(path string) error {
	there, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(there, f.opened) {
		return replaced(path)
	}
	return nil
}

// damaged is for what a change finds while it has the turn.
func (s *Store) damaged(err error) error { return s.spoilt(s.current.Load(), err) }

// spoilt is the error of a value in f that cannot be read. Nothing more is done with the file until
// Reopen, which finds out whether it is damaged.
func (s *Store) spoilt(f *file, why error) error { return s.refuse(f, readWrong(s.path, why)) }

// view calls read inside a transaction, unless nothing was ever recorded for the account. An error
// of read means a damaged value.
func (s *Store) view(read func(ledger) error) error { return s.viewOf(s.current.Load(), read) }

func (s *Store) viewOf(f *file, read func(ledger) error) error {
	if f.refusal != nil {
		return f.refusal
	}
	damaged := false
	err := f.db.View(func(tx *bolt.Tx) error {
		l := openLedger(tx, s.account)
		if l.root.bucket == nil {
			return nil
		}
		err := read(l)
		damaged = err != nil
		return err
	})
	switch {
	case damaged:
		return s.spoilt(f, err)
	case errors.Is(err, bolterrors.ErrDatabaseNotOpen) && s.current.Load() != f:
		return s.view(read) // it was closed: the file in its place answers
	}
	return err
}
