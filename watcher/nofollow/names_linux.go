package nofollow

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A nameBuffer is kept from one directory to the next.
type nameBuffer struct {
	entries [16 << 10]byte
	text    []byte // the names, with a zero byte behind each
}

var nameBuffers = sync.Pool{New: func() any { return new(nameBuffer) }}

// Names are in byte order. All are parts of one string: a piece of memory for each name costs a
// tenth of the reading.
func (d Dir) Names() ([]string, error) {
	buffers := nameBuffers.Get().(*nameBuffer)
	defer nameBuffers.Put(buffers)
	buf, text := buffers.entries[:], buffers.text[:0]
	for {
		n, err := again(func() (int, error) { return unix.Getdents(d.fd, buf) })
		if err != nil {
			return nil, &fs.PathError{Op: "list", Path: d.path, Err: err}
		}
		if n <= 0 {
			break
		}
		text = appendNames(text, buf[:n])
	}
	buffers.text = text
	names := make([]string, 0, bytes.Count(text, []byte{0}))
	for name := range strings.SplitAfterSeq(string(text), "\x00") {
		if name, ok := strings.CutSuffix(name, "\x00"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// appendNames takes the names out of what getdents64(2) gave: entries of their number 8, place 8,
// length 2, type 1, and the name up to a zero byte.
func appendNames(text, entries []byte) []byte {
	const length, name = unsafe.Offsetof(unix.Dirent{}.Reclen), unsafe.Offsetof(unix.Dirent{}.Name)
	for len(entries) > int(name) {
		size := int(binary.NativeEndian.Uint16(entries[length:]))
		entry := entries[:size]
		entries = entries[size:]
		end := int(name) + bytes.IndexByte(entry[name:], 0)
		if said := string(entry[name:end]); said != "." && said != ".." {
			text = append(text, entry[name:end+1]...)
		}
	}
	return text
}
