package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// A store keeps all that the sandbox knows, in a state file and in a directory of files.
type store struct {
	opts  Options
	db    *bolt.DB
	files fileStore

	accountMu sync.Mutex
	account   account // guarded by accountMu
}

// openStore takes the state file and removes what a kill left behind: half uploads, and files that
// no commit names.
func openStore(opts Options) (*store, error) {
	s := &store{opts: opts, files: fileStore{dir: opts.Dir, sync: !opts.NoSync}}
	if err := s.files.makeDirs(); err != nil {
		return nil, err
	}
	if err := s.openState(); err != nil {
		return nil, err
	}
	if err := s.removeOrphans(); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	return s, nil
}

func (s *store) removeOrphans() error {
	var known map[string]bool
	err := s.view(func(tx *tx) (err error) {
		known, err = tx.blobs()
		return err
	})
	if err != nil {
		return err
	}
	return s.files.keepOnly(known)
}

func (s *store) openState() error {
	db, err := bolt.Open(filepath.Join(s.opts.Dir, "sandbox.db"), 0o600, &bolt.Options{
		Timeout:      time.Second,
		FreelistType: bolt.FreelistMapType,
		NoSync:       s.opts.NoSync,
		NoStatistics: true,
	})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return errors.New("another sandbox is using it, stop that one or choose another directory")
	}
	if err != nil {
		return err
	}
	if err := db.Update(s.initState); err != nil {
		return errors.Join(err, db.Close())
	}
	s.db = db
	return nil
}

func (s *store) initState(btx *bolt.Tx) error {
	for _, name := range [][]byte{
		bucketMeta, bucketProjects, bucketProducts, bucketEmbeds, bucketUploads, bucketRevisions, bucketImages,
		bucketIDs, bucketJournal,
	} {
		if _, err := btx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	meta := btx.Bucket(bucketMeta)
	version, err := get[int](meta, keyVersion)
	switch {
	case err != nil:
		return err
	case version == nil:
		return s.newAccount(meta)
	case *version != stateVersion:
		return fmt.Errorf("its data has version %d, this program knows %d", *version, stateVersion)
	}
	known, err := get[account](meta, keyAccount)
	if err == nil && known == nil {
		err = errors.New("its data has no account")
	}
	if err == nil {
		s.account = *known
	}
	return err
}

func (s *store) newAccount(meta *bolt.Bucket) error {
	s.account = account{UUID: uuid.NewString()}.withNewKey()
	return errors.Join(put(meta, keyVersion, stateVersion), put(meta, keyAccount, s.account))
}

func (s *store) owner() account {
	s.accountMu.Lock()
	defer s.accountMu.Unlock()
	return s.account
}

func (s *store) rotateKey() error {
	s.accountMu.Lock()
	defer s.accountMu.Unlock()
	rotated := s.account.withNewKey()
	err := s.db.Update(func(btx *bolt.Tx) error { return put(btx.Bucket(bucketMeta), keyAccount, rotated) })
	if err == nil {
		s.account = rotated
	}
	return err
}
