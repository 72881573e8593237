package syncstate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
)

// A node is a page of a tree. Its keys have one letter each; a branch has a node below each key.
type node struct {
	keys  string
	below []node
}

// appendTo appends the pages of a node to a file, its own first.
func (n node) appendTo(file []byte) []byte {
	at := len(file)
	p := make(page, pageSize)
	file = append(file, p...)
	kind, contents := uint16(leafPage), headerSize+len(n.keys)*elementSize
	if n.below != nil {
		kind = branchPage
	}
	binary.NativeEndian.PutUint64(p, uint64(at/pageSize))
	binary.NativeEndian.PutUint16(p[8:], kind)
	binary.NativeEndian.PutUint16(p[10:], uint16(len(n.keys)))
	copy(p[contents:], n.keys)
	for i := range n.keys {
		element := p.element(uint64(i))
		key := element[:8]
		if kind == branchPage {
			binary.NativeEndian.PutUint64(element[8:], uint64(len(file)/pageSize))
			file = n.below[i].appendTo(file)
		} else {
			key = element[4:]
		}
		binary.NativeEndian.PutUint32(key, uint32(contents+i-headerSize-i*elementSize))
		binary.NativeEndian.PutUint32(key[4:], 1)
	}
	copy(file[at:], p)
	return file
}

// The keys of a tree stand in order, within each page and between the pages, and below each key of
// a branch are those from it to the next.
func TestKeysStandInOrder(t *testing.T) {
	leaf := func(keys string) node { return node{keys: keys} }
	branch := func(keys string, below ...node) node { return node{keys, below} }
	for _, c := range []struct {
		root  node
		sound bool
	}{
		{leaf(""), true},
		{leaf("abc"), true},
		{leaf("acb"), false},
		{leaf("abb"), false},
		{branch("am", leaf("abl"), leaf("mz")), true},
		{branch("am", leaf("bl"), leaf("n")), true},
		{branch("bm", leaf("a"), leaf("m")), false},
		{branch("am", leaf("am"), leaf("n")), false},
		{branch("am", leaf("a"), leaf("l")), false},
		{branch("aa", leaf(""), leaf("a")), false},
		{branch("ma", leaf(""), leaf("")), false},
		{branch("amc", leaf("a"), leaf("m"), leaf("")), false},
		{branch("bm", branch("bd", leaf("b"), leaf("d")), branch("mp", leaf("m"), leaf("p"))), true},
		{branch("bm", branch("ad", leaf(""), leaf("d")), branch("mp", leaf("m"), leaf("p"))), false},
		{branch("bm", branch("bm", leaf("b"), leaf("")), branch("mp", leaf("m"), leaf("p"))), false},
		{branch("bm", branch("bd", leaf("b"), leaf("d")), branch("lp", leaf("m"), leaf("p"))), false},
	} {
		file := c.root.appendTo(make([]byte, 2*pageSize)) // behind the meta pages
		w := &walk{file: bytes.NewReader(append(file, 0)), size: pageSize, seen: make([]bool, len(file)/pageSize)}
		w.value = func(place, []byte, []byte) error { return nil }
		w.fault = func(_ place, err error) error { return err }
		if err := w.follow(place{}, 2, span{}, 0); (err == nil) != c.sound {
			t.Errorf("%v: %v", c.root, err)
		}
	}
}

// TestPageFarOutside: a garbled number of a page is damage, wherever it would lie in the file.
func TestPageFarOutside(t *testing.T) {
	data := sample(t)
	for _, number := range []uint64{1 << 51, 1 << 52, 1<<64 - 1, uint64(len(data) / pageSize)} {
		w := walk{file: bytes.NewReader(data), size: pageSize, seen: make([]bool, len(data)/pageSize)}
		if _, err := w.read(number, 0); !errors.Is(err, errGarbled) {
			t.Errorf("page %d: %v", number, err)
		}
	}
}

// TestLongListOfFreePages: one of 65,535 pages and more has its length in its first entry.
func TestLongListOfFreePages(t *testing.T) {
	const free = 0xffff + 1
	list := make([]byte, headerSize+8*(1+free)+1)
	binary.NativeEndian.PutUint16(list[8:], freelistPage)
	binary.NativeEndian.PutUint16(list[10:], 0xffff)
	binary.NativeEndian.PutUint64(list[headerSize:], free)
	for i := range uint64(free) {
		binary.NativeEndian.PutUint64(list[headerSize+8*(i+1):], i+1)
	}
	w := &walk{file: bytes.NewReader(list), size: int64(len(list) - 1), seen: make([]bool, 1+free)}
	if err := w.freelist(0); err != nil || slices.Contains(w.seen, false) {
		t.Errorf("page %d is not free, %v", slices.Index(w.seen, false), err)
	}
}
