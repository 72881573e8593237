package syncstate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	bolt "go.etcd.io/bbolt"
)

// A Renewal is what Renew made of a file.
type Renewal struct {
	Kept string // where the old file is now; empty when it was sound, or there was none
	// Paused: the old file may have a pause that could not be read. So everything is paused.
	Paused bool
}

// Renew makes a new file in the place of one that is damaged or of another schema, and keeps the
// old one under a dated name. Pauses and other wishes are carried over, for each account. Nothing
// else is: what was published, and which product a folder has, is for the service to say.
func Renew(path string, account Account) (Renewal, error) {
	why := Check(path)
	damaged := errors.Is(why, ErrDamaged)
	if !damaged && !errors.Is(why, ErrSchema) {
		if errors.Is(why, fs.ErrNotExist) {
			return Renewal{}, nil
		}
		return Renewal{}, why
	}
	asked := asked{unread: true}
	if damaged {
		asked = askedIn(path)
	}
	temporary, err := temporaryFor(path)
	if err != nil {
		return Renewal{}, renewing(path, err)
	}
	defer os.Remove(temporary)
	err = initialise(temporary, func(tx *bolt.Tx) error {
		return errors.Join(noteRenewal(tx, time.Now(), asked.unread), asked.record(tx, account))
	})
	if err != nil {
		return Renewal{}, renewing(path, err)
	}
	kept := path + time.Now().Format(".kept-20060102-150405")
	if err := copyFile(path, kept); err != nil {
		return Renewal{}, renewing(path, err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return Renewal{}, renewing(path, err)
	}
	return Renewal{kept, asked.unread}, syncDirectory(filepath.Dir(path))
}

func renewing(path string, err error) error {
	return fmt.Errorf("make a new %s and keep the old one: %w%s", path, err, remedy(err))
}

// noteRenewal records when a file was renewed, and whether each account in it begins paused.
func noteRenewal(tx *bolt.Tx, now time.Time, paused bool) error {
	meta := tx.Bucket([]byte("meta"))
	err := meta.Put([]byte("renewed"), []byte(now.UTC().Format(time.RFC3339Nano)))
	if paused {
		err = errors.Join(err, meta.Put([]byte("begins paused"), []byte("true")))
	}
	return err
}

// beginsPaused reports whether each account of a file that has no ledger yet begins paused, because
// a pause of it may be lost.
func beginsPaused(tx *bolt.Tx) bool {
	return tx.Bucket([]byte("meta")).Get([]byte("begins paused")) != nil
}

// Renewed returns when Renew made the file; the zero time when it did not. Creates that were sent
// before are unknown to the file.
func (s *Store) Renewed() (at time.Time, err error) {
	f := s.current.Load()
	if f.refusal != nil {
		return time.Time{}, f.refusal
	}
	err = f.db.View(func(tx *bolt.Tx) error {
		value := tx.Bucket([]byte("meta")).Get([]byte("renewed"))
		if value == nil {
			return nil
		}
		at, err = time.Parse(time.RFC3339Nano, string(value))
		return err
	})
	return at, err
}

// copyFile makes a copy that is whole or absent.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return err
	}
	if err := os.Rename(out.Name(), to); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(to))
}

// asked is what people asked for, as far as it can be read in a file.
type asked struct {
	accounts []askedOf
	unread   bool // there may have been more
}

// askedOf is what people asked for in one account.
type askedOf struct {
	account Account
	paused  time.Time // since when everything is; zero: it is not
	wishes  map[string]Wishes
}

// askedIn reads a damaged file by plain reads.
func askedIn(path string) asked {
	db, file, err := openExisting(path, true)
	if err != nil {
		return asked{unread: true}
	}
	defer db.Close()
	var found asked
	version, harmless := "", false
	err = db.View(func(tx *bolt.Tx) error {
		w := newWalk(tx, file)
		w.fault = func(at place, _ error) error {
			if at.holdsNoPause() {
				harmless = true
			} else {
				found.unread = true
			}
			return nil
		}
		w.value = func(at place, key, stored []byte) error {
			if slices.Equal(at.names, []string{"meta"}) {
				if string(key) == "version" {
					version = string(stored)
				}
				return nil
			}
			if err := found.read(at, key, stored); err != nil {
				return w.fault(at, err)
			}
			return nil
		}
		return w.tree(tx)
	})
	if err != nil || version != strconv.Itoa(schema) {
		return asked{unread: true}
	}
	found.unread = found.unread || !harmless // something is missing, and nobody knows what
	return found
}

// holdsNoPause reports whether no pause can be lost with what lies here.
func (at place) holdsNoPause() bool {
	return len(at.names) > 2 && at.names[0] == "accounts" &&
		slices.Contains([]string{"projects", "published", "roots", "runs"}, at.names[2])
}

func (a *asked) read(at place, key, stored []byte) error {
	value, err := at.list.unseal(key, stored)
	if err != nil || at.holdsNoPause() {
		return err
	}
	if len(at.names) < 3 {
		return errGarbled
	}
	of := a.of(at.names[1])
	if at.list.name == "notes" {
		if string(key) == AllPaused.name {
			err = json.Unmarshal(value, &of.paused)
		}
		return err
	}
	h, err := decodeHead(value)
	if err == nil {
		h.Wishes.Verify, h.Wishes.NotMade = false, false // they are about a product or a create that is forgotten
		if h.Wishes != (Wishes{}) {
			of.wishes[string(key)] = h.Wishes
		}
	}
	return err
}

// of is the part of an account, by the key of the account.
func (a *asked) of(key string) *askedOf {
	base, user, _ := bytes.Cut([]byte(key), []byte{0})
	account := Account{BaseURL: string(base), Username: string(user)}
	i := slices.IndexFunc(a.accounts, func(of askedOf) bool { return of.account == account })
	if i < 0 {
		i = len(a.accounts)
		a.accounts = append(a.accounts, askedOf{account: account, wishes: map[string]Wishes{}})
	}
	return &a.accounts[i]
}

// record fills a new file, which account is the first to use.
func (a *asked) record(tx *bolt.Tx, account Account) error {
	a.of(string(account.key()))
	for _, of := range a.accounts {
		if err := makeLedger(tx, of.account); err != nil {
			return err
		}
		l := openLedger(tx, of.account)
		if !of.paused.IsZero() {
			if err := l.pauseAll(of.paused); err != nil {
				return err
			}
		}
		for key, wishes := range of.wishes {
			v, err := encode(Record{Wishes: wishes, Doubted: true})
			if err != nil {
				return err
			}
			if err := l.list("folders").put([]byte(key), v.head); err != nil {
				return err
			}
		}
	}
	return nil
}
