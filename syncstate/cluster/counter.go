package cluster

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
)

const counterKey = "counter"

// NeverActive is the condition that no station was ever active.
var NeverActive = Condition{Key: counterKey}

// A Counter is raised by each transaction of the fleet.
type Counter struct {
	N      uint64 `json:"n"`
	ID     string `json:"id"`               // random
	Before string `json:"before,omitempty"` // the id of the counter that it was raised from
}

// next is the counter after one more transaction.
func (c Counter) next() Counter { return Counter{N: c.N + 1, ID: rand.Text(), Before: c.ID} }

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
