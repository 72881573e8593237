package syncstate

import (
	"bytes"
	"slices"
)

// A mutation gives one key of an account a value, or removes it. It is data, so that a change can be
// done in another transaction than the one for which it was prepared.
type mutation struct {
	list  string
	run   []byte // key of the folder whose run it is about; nil where the list is not of runs
	key   []byte // nil is the whole run
	value []byte // nil removes the key
}

// do makes a mutation.
func (l ledger) do(m mutation) error {
	in := l.list(m.list)
	switch {
	case m.run != nil && m.key == nil:
		return in.bucket.DeleteBucket(m.run)
	case m.run != nil:
		if _, err := in.bucket.CreateBucketIfNotExists(m.run); err != nil {
			return err
		}
		in = in.in(m.run)
	}
	if m.value == nil {
		return in.bucket.Delete(m.key)
	}
	return in.put(m.key, m.value)
}

// doAll makes mutations in their order.
func (l ledger) doAll(all []mutation) error {
	for _, m := range all {
		if err := l.do(m); err != nil {
			return err
		}
	}
	return nil
}

// difference is what brings a folder from one state to another, without what they have in common.
func difference(key []byte, before, after values) ([]mutation, error) {
	published, err := publishedDifference(key, before.published, after.published)
	all := differing(mutation{list: "folders", key: key}, before.head, after.head)
	return slices.Concat(all, published, runDifference(key, before.run, after.run)), err
}

// differing is a mutation with a value, if that is another one than before.
func differing(m mutation, before, after []byte) []mutation {
	if bytes.Equal(before, after) && after != nil {
		return nil
	}
	m.value = after
	return []mutation{m}
}

func publishedDifference(key, before, after []byte) ([]mutation, error) {
	if bytes.Equal(before, after) {
		return nil, nil
	}
	m := mutation{list: "published", key: key}
	if after != nil {
		packed, err := compress(after)
		if err != nil {
			return nil, err
		}
		m.value = packed
	}
	return []mutation{m}, nil
}

func runDifference(key []byte, before, after [][]byte) (all []mutation) {
	if len(after) == 0 {
		if len(before) == 0 {
			return nil
		}
		return []mutation{{list: "runs", run: key}}
	}
	for i := range max(len(before), len(after)) {
		m := mutation{list: "runs", run: key, key: indexKey(i)}
		switch {
		case i >= len(after):
			all = append(all, m)
		case i >= len(before):
			all = append(all, differing(m, nil, after[i])...)
		default:
			all = append(all, differing(m, before[i], after[i])...)
		}
	}
	return all
}
