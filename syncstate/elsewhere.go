package syncstate

import (
	"math"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// Elsewhere is how many published folders the file holds of another account.
type Elsewhere struct {
	Account
	Published int
}

// Elsewhere lists the other accounts that published something, as long as the store's own has not:
// the address or the user in the configuration became another one, which leaves behind all that was
// recorded.
func (s *Store) Elsewhere() (others []Elsewhere, err error) {
	f := s.current.Load()
	if f.refusal != nil {
		return nil, f.refusal
	}
	err = f.db.View(func(tx *bolt.Tx) error {
		accounts := tx.Bucket([]byte("accounts"))
		if own := accounts.Bucket(s.account.key()); own != nil && countPublished(own, 1) > 0 {
			return nil
		}
		return accounts.ForEachBucket(func(key []byte) error {
			baseURL, username, _ := strings.Cut(string(key), "\x00")
			if n := countPublished(accounts.Bucket(key), math.MaxInt); n > 0 {
				others = append(others, Elsewhere{Account{BaseURL: baseURL, Username: username}, n})
			}
			return nil
		})
	})
	return others, err
}

// countPublished counts the published folders of an account, up to most.
func countPublished(account *bolt.Bucket, most int) int {
	n := 0
	cursor := account.Bucket([]byte("published")).Cursor()
	for folder, _ := cursor.First(); folder != nil && n < most; folder, _ = cursor.Next() {
		n++
	}
	return n
}
