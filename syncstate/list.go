package syncstate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// A list is a bucket whose values end in a checksum, so that a bit that flipped inside one is
// noticed before anything is done by it. The sum is a CRC-32C, big-endian, over the names of all
// buckets on the way, the key and the value: a value that strayed to another key is noticed too.
type list struct {
	bucket *bolt.Bucket
	name   string // for people
	sum    uint32 // over the names up to the bucket's own
}

const sumSize = 4

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	errSum     = errors.New("its checksum is wrong")
)

// addName carries a sum on over one more name.
func addName(sum uint32, name []byte) uint32 {
	return crc32.Update(crc32.Update(sum, castagnoli, name), castagnoli, []byte{0})
}

// in is the list of this name inside of l. Its bucket is nil when there is none.
func (l list) in(name []byte) list {
	inner := l.named(name)
	inner.bucket = l.bucket.Bucket(name)
	return inner
}

// named is in without the bucket, for bytes that were read from the file.
func (l list) named(name []byte) list {
	return list{name: strings.ReplaceAll(string(name), "\x00", "/"), sum: addName(l.sum, name)}
}

// seal returns the value as it is stored.
func (l list) seal(key, value []byte) []byte {
	sum := crc32.Update(addName(l.sum, key), castagnoli, value)
	return binary.BigEndian.AppendUint32(value[:len(value):len(value)], sum)
}

// unseal checks the checksum of stored bytes and returns the value without it.
func (l list) unseal(key, stored []byte) ([]byte, error) {
	size := len(stored) - sumSize
	if size < 0 {
		return nil, fmt.Errorf("the value in the list of %s: %w", l.name, errCutOff)
	}
	value := stored[:size:size]
	if crc32.Update(addName(l.sum, key), castagnoli, value) != binary.BigEndian.Uint32(stored[size:]) {
		return nil, fmt.Errorf("the value in the list of %s: %w", l.name, errSum)
	}
	return value, nil
}

// get returns nil when there is no such value. The value is good for as long as the transaction is.
func (l list) get(key []byte) ([]byte, error) {
	stored := l.bucket.Get(key)
	if stored == nil {
		return nil, nil
	}
	return l.unseal(key, stored)
}

func (l list) put(key, value []byte) error { return l.bucket.Put(key, l.seal(key, value)) }

// each reads all values.
func (l list) each(read func(key, value []byte) error) error {
	return l.bucket.ForEach(func(key, stored []byte) error {
		value, err := l.unseal(key, stored)
		if err != nil {
			return err
		}
		return read(key, value)
	})
}
