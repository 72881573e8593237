package syncstate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// bbolt maps the file into memory and believes every reference in it. A garbled reference may send
// it beyond the file, which no program survives, or in circles. So the whole tree is followed here
// first: each page is referred to once or free, and all keys are in order. bbolt's own check is no
// help: it follows the same references and ends the program at the first one beyond the file. It
// also reads the file through the mapping, where all of it then counts as memory of the program.
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
	metaPage     = 4
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
	file    io.ReaderAt
	size    int64  // of a page
	seen    []bool // by number
	buffers []page // one for each level of the way down

	// value is called with each value, which is good until it returns.
	value func(at place, key, stored []byte) error
	// fault is called with what is wrong with a page. The walk ends with the error that it returns,
	// and after nil leaves out what is below the page.
	fault func(at place, err error) error
}

// A place is where in the file a value lies.
type place struct {
	names []string // of the buckets that it lies in
	list  list     // the innermost of them, without its bucket
}

// in is the place inside a bucket. The checksums of values begin with the names below the list of
// accounts.
func (at place) in(name []byte) place {
	inner := place{append(slices.Clip(at.names), string(name)), at.list.named(name)}
	if len(at.names) == 0 {
		inner.list = list{name: string(name)}
	}
	return inner
}

// isOurs reports whether values of the place end in a checksum.
func (at place) isOurs() bool { return len(at.names) > 1 && at.names[0] == "accounts" }

// A span is where the keys of a page must lie: from is the least, to lies above all. Nil is no
// bound.
type span struct{ from, to []byte }

func newWalk(tx *bolt.Tx, file io.ReaderAt) *walk {
	size := int64(tx.DB().Info().PageSize)
	return &walk{file: file, size: size, seen: make([]bool, tx.Size()/size)}
}

// followPages reads all pages in use. A value with a wrong checksum is returned apart: in a file of
// another schema there may be no checksum.
func followPages(tx *bolt.Tx, file io.ReaderAt) (value, err error) {
	w := newWalk(tx, file)
	w.value = func(at place, key, stored []byte) error {
		if at.isOurs() && value == nil {
			_, value = at.list.unseal(key, stored)
		}
		return nil
	}
	w.fault = func(_ place, err error) error { return err }
	return value, w.all(tx)
}

// all reads both meta pages, the tree and the list of free pages.
func (w *walk) all(tx *bolt.Tx) error {
	for number := range uint64(2) {
		if err := w.meta(number); err != nil {
			return err
		}
	}
	if err := w.tree(tx); err != nil {
		return err
	}
	// The meta page of this transaction, whose checksum is known to be right, has the place of the
	// list at 32.
	meta := make([]byte, headerSize+40)
	if _, err := w.file.ReadAt(meta, int64(tx.ID()%2)*w.size); err != nil {
		return err
	}
	if err := w.freelist(binary.NativeEndian.Uint64(meta[headerSize+32:])); err != nil {
		return err
	}
	if lost := slices.Index(w.seen, false); lost != -1 {
		return fmt.Errorf("page %d is neither in use nor free", lost)
	}
	return nil
}

// tree reads the tree of a transaction.
func (w *walk) tree(tx *bolt.Tx) error {
	return w.follow(place{}, uint64(tx.Cursor().Bucket().Root()), span{}, 0)
}

// meta makes sure that each of the first two pages is a meta page. Opening the file has already
// verified the checksum of one of them.
func (w *walk) meta(number uint64) error {
	p := make(page, headerSize)
	if _, err := w.file.ReadAt(p, int64(number)*w.size); err != nil {
		return err
	}
	if p.number() != number || p.kind() != metaPage {
		return fmt.Errorf("page %d: %w", number, errGarbled)
	}
	w.seen[number] = true
	return nil
}

// freelist makes sure that no page in use is in the list of those that are not, and none twice.
func (w *walk) freelist(number uint64) error {
	p, err := w.read(number, 0)
	if err != nil {
		return fmt.Errorf("page %d: %w", number, err)
	}
	count, list := p.count(), p[headerSize:]
	if count == 0xffff && len(list) >= 8 {
		count, list = page(list).number(), list[8:]
	}
	if p.kind() != freelistPage || count > uint64(len(list)/8) {
		return fmt.Errorf("page %d: %w", number, errGarbled)
	}
	for i := range count {
		free := list[8*i:].number()
		if free >= uint64(len(w.seen)) || w.seen[free] {
			return fmt.Errorf("page %d cannot be free", free)
		}
		w.seen[free] = true
	}
	return nil
}

// read gives a page that is good until the next of its level is read.
func (w *walk) read(number uint64, level int) (page, error) {
	if number >= uint64(len(w.seen)) {
		return nil, errGarbled
	}
	if level == len(w.buffers) {
		w.buffers = append(w.buffers, make(page, w.size))
	}
	p := w.buffers[level][:w.size]
	if _, err := w.file.ReadAt(p, int64(number)*w.size); err != nil {
		return nil, err
	}
	end := number + 1 + p.overflow()
	if p.number() != number || end > uint64(len(w.seen)) {
		return nil, errGarbled
	}
	for i := number; i < end; i++ {
		if w.seen[i] {
			return nil, fmt.Errorf("page %d is used twice", i)
		}
		w.seen[i] = true
	}
	whole := int64(end-number) * w.size
	p = slices.Grow(p, int(whole)-len(p))[:whole]
	w.buffers[level] = p
	_, err := w.file.ReadAt(p[w.size:], int64(number+1)*w.size)
	return p, err
}

// follow reads a page of a tree and all below it.
func (w *walk) follow(at place, number uint64, keys span, level int) error {
	p, err := w.read(number, level)
	if err == nil {
		err = w.elements(at, p, keys, level)
	}
	if err != nil {
		return w.fault(at, fmt.Errorf("page %d: %w", number, err))
	}
	return nil
}

func (w *walk) elements(at place, p page, keys span, level int) error {
	if headerSize+p.count()*elementSize > uint64(len(p)) {
		return errGarbled
	}
	switch {
	case p.kind() == leafPage:
		return w.leaves(at, p, keys, level)
	case p.kind() == branchPage && p.count() > 0: // bbolt would follow a missing reference
		return w.branches(at, p, keys, level)
	}
	return errGarbled
}

// branches follows the elements of a branch: position of the key 4, its size 4, number of a page 8.
func (w *walk) branches(at place, p page, keys span, level int) error {
	key := func(i uint64) ([]byte, error) {
		element := p.element(i)
		return contents(element, number(element), 0, number(element[4:]))
	}
	from, err := key(0)
	for i := range p.count() {
		to := keys.to
		if err == nil && i+1 < p.count() {
			to, err = key(i + 1)
		}
		if err == nil && bytes.Compare(from, keys.from) < 0 || to != nil && bytes.Compare(from, to) >= 0 {
			err = errGarbled
		}
		if err == nil {
			err = w.follow(at, page(p.element(i)[8:]).number(), span{from, to}, level+1)
		}
		if err != nil {
			return err
		}
		from = to
	}
	return nil
}

// leaves follows the elements of a leaf: marks 4, position of the key 4, its size 4, size of the
// value behind it 4. A bucket's value is the number of its root page 8 and a sequence 8, then for
// number 0 the page itself.
func (w *walk) leaves(at place, p page, keys span, level int) error {
	last := keys.from
	for i := range p.count() {
		element := p.element(i)
		position, size := number(element[4:]), number(element[8:])
		key, err := contents(element, position, 0, size)
		if err != nil {
			return err
		}
		order := bytes.Compare(key, last)
		if order < 0 || order == 0 && i > 0 || keys.to != nil && bytes.Compare(key, keys.to) >= 0 {
			return errGarbled
		}
		last = key
		value, err := contents(element, position, size, number(element[12:]))
		switch {
		case err != nil:
		case number(element)&bucketMark != 0:
			err = w.bucket(at.in(key), value, level)
		default:
			err = w.value(at, key, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) bucket(at place, value []byte, level int) error {
	if len(value) < 16 {
		return errGarbled
	}
	if root := page(value).number(); root != 0 {
		return w.follow(at, root, span{}, level+1)
	}
	inner := page(value[16:])
	if len(inner) < headerSize || inner.kind() != leafPage {
		return errGarbled
	}
	return w.elements(at, inner, span{}, level)
}

// element is an element with all that follows it.
func (p page) element(i uint64) []byte { return p[headerSize+i*elementSize:] }

func number(b []byte) uint32 { return binary.NativeEndian.Uint32(b) }

// contents returns size bytes that begin after skip bytes at position.
func contents(element []byte, position, skip, size uint32) ([]byte, error) {
	start := uint64(position) + uint64(skip)
	if start+uint64(size) > uint64(len(element)) {
		return nil, errGarbled
	}
	return element[start:][:size], nil
}
