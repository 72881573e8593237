package syncstate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	bolt "go.etcd.io/bbolt"
)

// bbolt maps the file into memory and believes every reference in it: one that was garbled may send it
// beyond the file, which no program survives, or in circles. So all references are followed here first, by
// plain reads. What is left for bbolt's own check is the order of the keys and lost pages.
//
// The layout is that of bbolt's file format 2, in the byte order of the machine. A page is
//
//	header    number 8, kind 2, count 2, overflow 4: so many pages more belong to it
//	elements  count × 16
//	contents  keys and values; an element counts their position from its own start

// A page is read with its overflow. Small buckets are pages inside of a value.
type page []byte

const (
	branchPage   = 1
	leafPage     = 2
	freelistPage = 16

	headerSize  = 16
	elementSize = 16
	bucketMark  = 1 // of a leaf's element whose value is a bucket
)

var errGarbled = errors.New("it is garbled")

func (p page) number() uint64   { return binary.NativeEndian.Uint64(p) }
func (p page) kind() uint16     { return binary.NativeEndian.Uint16(p[8:]) }
func (p page) count() uint64    { return uint64(binary.NativeEndian.Uint16(p[10:])) }
func (p page) overflow() uint64 { return uint64(binary.NativeEndian.Uint32(p[12:])) }

// A walk goes from page to page and to each once only.
type walk struct {
	file io.ReaderAt
	size int64  // of a page
	seen []bool // by number
}

// followPages reads all pages in use.
func followPages(tx *bolt.Tx, file io.ReaderAt) error {
	size := int64(tx.DB().Info().PageSize)
	w := walk{file: file, size: size, seen: make([]bool, tx.Size()/size)}
	if err := w.follow(uint64(tx.Cursor().Bucket().Root())); err != nil {
		return err
	}
	// The meta page of this transaction, whose checksum is known to be right, says at 32 where the list is.
	meta := make([]byte, headerSize+40)
	if _, err := file.ReadAt(meta, int64(tx.ID()%2)*size); err != nil {
		return err
	}
	return w.freelist(binary.NativeEndian.Uint64(meta[headerSize+32:]))
}

// freelist makes sure that no page in use is in the list of those that are not.
func (w walk) freelist(number uint64) error {
	p, err := w.read(number)
	if err != nil {
		return err
	}
	count, list := p.count(), p[headerSize:]
	if count == 0xffff {
		count, list = page(list).number(), list[8:]
	}
	if p.kind() != freelistPage || count > uint64(len(list)/8) {
		return fmt.Errorf("page %d: %w", number, errGarbled)
	}
	for i := range count {
		free := list[8*i:].number()
		if free < 2 || free >= uint64(len(w.seen)) || w.seen[free] {
			return fmt.Errorf("page %d cannot be free", free)
		}
	}
	return nil
}

func (w walk) read(number uint64) (page, error) {
	if number < 2 || number >= uint64(len(w.seen)) {
		return nil, fmt.Errorf("there is no page %d", number)
	}
	p := make(page, w.size)
	if _, err := w.file.ReadAt(p, int64(number)*w.size); err != nil {
		return nil, err
	}
	end := number + 1 + p.overflow()
	if p.number() != number || end > uint64(len(w.seen)) {
		return nil, fmt.Errorf("page %d: %w", number, errGarbled)
	}
	for i := number; i < end; i++ {
		if w.seen[i] {
			return nil, fmt.Errorf("page %d is used twice", i)
		}
		w.seen[i] = true
	}
	p = append(p, make(page, int64(p.overflow())*w.size)...)
	_, err := w.file.ReadAt(p, int64(number)*w.size)
	return p, err
}

// follow reads a page of a tree and all below it.
func (w walk) follow(number uint64) error {
	p, err := w.read(number)
	if err != nil {
		return err
	}
	if err := w.elements(p); err != nil {
		return fmt.Errorf("page %d: %w", number, err)
	}
	return nil
}

func (w walk) elements(p page) error {
	if len(p) < headerSize || headerSize+p.count()*elementSize > uint64(len(p)) {
		return errGarbled
	}
	follow := w.leaf
	switch p.kind() {
	case leafPage:
	case branchPage:
		if p.count() == 0 {
			return errGarbled // bbolt would follow what is not there
		}
		follow = w.branch
	default:
		return errGarbled
	}
	for i := range p.count() {
		if err := follow(p[headerSize+i*elementSize:]); err != nil {
			return err
		}
	}
	return nil
}

// branch follows an element: position of the key 4, its size 4, number of a page 8.
func (w walk) branch(element []byte) error {
	if _, err := contents(element, number(element), 0, number(element[4:])); err != nil {
		return err
	}
	return w.follow(page(element[8:]).number())
}

// leaf follows an element: marks 4, position of the key 4, its size 4, size of the value behind it 4. A
// bucket's value is the number of its root page 8 and a sequence 8, then for number 0 the page itself.
func (w walk) leaf(element []byte) error {
	value, err := contents(element, number(element[4:]), number(element[8:]), number(element[12:]))
	if err != nil || number(element)&bucketMark == 0 {
		return err
	}
	if len(value) < 16 {
		return errGarbled
	}
	if root := page(value).number(); root != 0 {
		return w.follow(root)
	}
	inner := page(value[16:])
	if len(inner) < headerSize || inner.kind() != leafPage {
		return errGarbled
	}
	return w.elements(inner)
}

func number(b []byte) uint32 { return binary.NativeEndian.Uint32(b) }

// contents returns size bytes that begin after skip bytes at position.
func contents(element []byte, position, skip, size uint32) ([]byte, error) {
	start := uint64(position) + uint64(skip)
	if start+uint64(size) > uint64(len(element)) {
		return nil, errGarbled
	}
	return element[start:][:size], nil
}
