package syncstate

import (
	"bytes"
	"encoding/json"
	"errors"

	bolt "go.etcd.io/bbolt"
)

// noteAccount records which account the file is opened for. While another account was at work,
// other views may have been made and other photos published: the products of this one are then
// doubted. An upload under way is given up, because another account may have begun one more to the
// same product. A finish would close that one with whatever came under it. A status that is not
// finished may be that one's for ever. In the copy of a fleet nothing is doubted: its stations know.
func noteAccount(tx *bolt.Tx, account Account) error {
	meta := tx.Bucket([]byte("meta"))
	last := meta.Get([]byte("account"))
	if bytes.Equal(last, account.key()) {
		return nil
	}
	l := openLedger(tx, account)
	at, err := l.position()
	if err == nil && last != nil && at.Cluster == "" {
		err = doubtAll(l)
	}
	if err != nil {
		return err
	}
	return meta.Put([]byte("account"), account.key())
}

func doubtAll(l ledger) error {
	return errors.Join(
		rewrite(l.list("folders"), func(h *head) {
			h.Doubted = h.Doubted || h.Product.UUID != ""
			if h.Run.In(Sending) || h.Run.IsBound() {
				h.Run.Unbind()
				h.Run.DropForm()
			}
		}),
		rewrite(l.list("roots"), func(r *RootRecord) { r.Known, r.Added = false, false }),
	)
}

// rewrite changes every value of a list. The next reader of a damaged one reports it.
func rewrite[T any](l list, change func(*T)) error {
	changed := map[string][]byte{} // a bucket must not be changed while it is listed
	err := l.each(func(key, value []byte) error {
		var v T
		if err := json.Unmarshal(value, &v); err != nil {
			return err
		}
		change(&v)
		encoded, err := json.Marshal(v)
		changed[string(key)] = encoded
		return err
	})
	for key, value := range changed {
		err = errors.Join(err, l.put([]byte(key), value))
	}
	return err
}
