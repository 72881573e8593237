package syncstate

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"
)

// A ledger is the part of the file that belongs to one account, inside a transaction.
type ledger struct{ root list }

// lists are the buckets of a ledger.
func lists() []string {
	return []string{"folders", "notes", "projects", "published", "roots", "runs"}
}

func accountsIn(tx *bolt.Tx) list {
	return list{bucket: tx.Bucket([]byte("accounts")), name: "accounts"}
}

// openLedger returns a ledger without a bucket for an account that nothing was recorded for.
func openLedger(tx *bolt.Tx, account Account) ledger {
	return ledger{accountsIn(tx).in(account.key())}
}

func makeLedger(tx *bolt.Tx, account Account) error {
	accounts := tx.Bucket([]byte("accounts"))
	known := accounts.Bucket(account.key()) != nil
	root, err := accounts.CreateBucketIfNotExists(account.key())
	if err != nil {
		return err
	}
	for _, name := range lists() {
		if _, err := root.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	if !known && beginsPaused(tx) {
		return openLedger(tx, account).pauseAll(time.Now().Truncate(time.Second))
	}
	return nil
}

// pauseAll records in a new ledger that everything is paused.
func (l ledger) pauseAll(since time.Time) error {
	data, err := json.Marshal(since.UTC())
	if err != nil {
		return err
	}
	return l.list("notes").put([]byte(AllPaused.name), data)
}

// complete makes sure that every account has all its lists.
func complete(tx *bolt.Tx) error {
	accounts := tx.Bucket([]byte("accounts"))
	return accounts.ForEachBucket(func(account []byte) error {
		for _, name := range lists() {
			if accounts.Bucket(account).Bucket([]byte(name)) == nil {
				return fmt.Errorf("the list of %s of account %q is missing", name, account)
			}
		}
		return nil
	})
}

func (l ledger) list(name string) list { return l.root.in([]byte(name)) }

func (a Account) key() []byte { return []byte(a.BaseURL + "\x00" + a.Username) }

func (f Folder) key() []byte { return []byte(f.Root + "\x00" + f.Path) }

func folderOf(key []byte) Folder {
	root, path, _ := bytes.Cut(key, []byte{0})
	return Folder{Root: string(root), Path: string(path)}
}

// usable refuses a key in time, so that no put can fail on it after a part was written.
func usable(key []byte) error {
	switch {
	case len(key) == 0:
		return errors.New("a record needs a name")
	case len(key) > bolt.MaxKeySize:
		return fmt.Errorf("a name of %d bytes is too long to be recorded", len(key))
	}
	return nil
}

// readRun adds a folder's run, its head apart.
func (l ledger) readRun(key []byte, v *values) error {
	run := l.list("runs").in(key)
	if run.bucket == nil {
		return nil
	}
	return run.each(func(_, part []byte) error {
		v.run = append(v.run, part)
		return nil
	})
}

// readPublished adds what a folder has published, its head apart.
func (l ledger) readPublished(key []byte, v *values) error {
	data, err := l.list("published").get(key)
	if data != nil && err == nil {
		v.published, err = decompress(data)
	}
	return err
}

// frameKey is the key of a frame of a run.
func frameKey(index int) []byte { return indexKey(index + 1) }

func indexKey(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)) }
