package cluster

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
)

const (
	counterKey = "counter"
	markEvery  = 1000 // transactions
	marksKept  = 100
)

// NeverActive is the condition that no station was ever active.
var NeverActive = Condition{Key: counterKey}

// A Counter is raised by each transaction of the fleet.
type Counter struct {
	N  uint64 `json:"n"`
	ID string `json:"id"` // random
	// Marks are the ids at each full thousand, the newest last. Two clusters of which one was restored
	// from the other have them in common up to that backup.
	Marks []string `json:"marks,omitempty"`
}

// next is the counter after one more transaction.
func (c Counter) next() Counter {
	n := Counter{N: c.N + 1, ID: rand.Text(), Marks: c.Marks}
	if n.N%markEvery == 0 {
		n.Marks = append(slices.Clone(c.Marks), n.ID)
		n.Marks = n.Marks[max(0, len(n.Marks)-marksKept):]
	}
	return n
}

// Continues reports whether a cluster with this counter went on from the one with the earlier
// counter. What neither of them holds any more counts as not.
func (c Counter) Continues(earlier Counter) bool {
	switch {
	case c.N < earlier.N:
		return false
	case c.N == earlier.N:
		return c.ID == earlier.ID
	case earlier.N == 0:
		return true
	}
	at, known := earlier.mark()
	if !known {
		return false
	}
	id, kept := c.markAt(at)
	return kept && id == earlier.Marks[len(earlier.Marks)-1]
}

// mark is the number of the newest mark.
func (c Counter) mark() (n uint64, known bool) {
	return c.N - c.N%markEvery, len(c.Marks) > 0
}

// markAt is the id that the counter had at a full thousand.
func (c Counter) markAt(n uint64) (id string, kept bool) {
	newest, known := c.mark()
	if !known || n > newest {
		return "", false
	}
	i := len(c.Marks) - 1 - int((newest-n)/markEvery)
	if i < 0 {
		return "", false
	}
	return c.Marks[i], true
}

func (c Counter) encode() []byte {
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // a counter has numbers and texts only
	}
	return data
}

// decodeCounter reads the value of the key; the zero Counter of a key that is not there.
func decodeCounter(e Entry) (c Counter, err error) {
	if e.Value == nil {
		return Counter{}, nil
	}
	if err := json.Unmarshal(e.Value, &c); err != nil {
		return Counter{}, fmt.Errorf("the cluster's key %s cannot be read: %w", e.Key, err)
	}
	return c, nil
}
