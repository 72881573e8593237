package syncstate

import (
	bolt "go.etcd.io/bbolt"
	"golang.org/x/sys/unix"
)

// GiveMemoryBack unties the file's pages from this process, as whose memory they count once they
// were read. They stay in the system's cache.
func (s *Store) GiveMemoryBack() {
	f := s.current.Load()
	if f.refusal != nil {
		return
	}
	_ = f.db.View(func(tx *bolt.Tx) error { // so that the mapping stays where it is
		_, _, failed := unix.Syscall(unix.SYS_MADVISE, f.db.Info().Data, uintptr(tx.Size()), unix.MADV_DONTNEED)
		return failed
	})
}
