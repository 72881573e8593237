package syncstate

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"
)

var errCutOff = errors.New("the value is cut off")

// A coder packs fields into data, or reads them from it. Each method does both, so that one
// description of a type serves both ways and cannot contradict itself.
type coder struct {
	data    []byte
	reading bool
	err     error
}

func (c *coder) number(v *int64) {
	if !c.reading {
		c.data = binary.AppendVarint(c.data, *v)
		return
	}
	n, size := binary.Varint(c.data)
	if size <= 0 {
		c.err = errCutOff
		return
	}
	*v, c.data = n, c.data[size:]
}

func (c *coder) int(v *int) {
	n := int64(*v)
	c.number(&n)
	*v = int(n)
}

func (c *coder) bool(v *bool) {
	var n int64
	if *v {
		n = 1
	}
	c.number(&n)
	*v = n != 0
}

// count codes a number of things that take at least one byte each.
func (c *coder) count(n int) int {
	c.int(&n)
	if c.reading && (n < 0 || n > len(c.data)) {
		c.err = errCutOff
		return 0
	}
	return n
}

func (c *coder) bytes(v *[]byte) {
	n := c.count(len(*v))
	if !c.reading {
		c.data = append(c.data, *v...)
		return
	}
	if n > 0 {
		*v = bytes.Clone(c.data[:n])
	}
	c.data = c.data[n:]
}

func (c *coder) text(v *string) {
	n := c.count(len(*v))
	if !c.reading {
		c.data = append(c.data, *v...)
		return
	}
	*v, c.data = string(c.data[:n]), c.data[n:]
}

// time keeps the instant, of any year, and forgets the zone.
func (c *coder) time(v *time.Time) {
	seconds, nanoseconds := v.Unix(), int64(v.Nanosecond())
	c.number(&seconds)
	c.number(&nanoseconds)
	*v = time.Unix(seconds, nanoseconds).UTC()
}

// texts codes a map in the order of its keys. An empty one is read back as nil.
func (c *coder) texts(m *map[string]string) {
	n := c.count(len(*m))
	if !c.reading {
		for _, key := range slices.Sorted(maps.Keys(*m)) {
			text := (*m)[key]
			c.text(&key)
			c.text(&text)
		}
		return
	}
	*m = nil
	for range n {
		var key, text string
		c.text(&key)
		c.text(&text)
		if *m == nil {
			*m = make(map[string]string, n)
		}
		(*m)[key] = text
	}
}

// beside codes the marker of a run, and the frames before it.
func (c *coder) beside(r *Run) {
	c.file(&r.Marker)
	c.frames(&r.Before.Frames)
}

func (c *coder) file(f *File) {
	c.text(&f.Name)
	c.number(&f.Size)
	c.time(&f.ModTime)
	c.text(&f.ID)
}

func (c *coder) runFrame(f *RunFrame) {
	c.file(&f.File)
	c.text(&f.Stored)
	c.bytes(&f.Digest)
	c.bool(&f.Uploaded)
	c.time(&f.Captured)
	c.number(&f.Changed)
}

func (c *coder) published(p *Published) {
	c.file(&p.Marker)
	c.frames(&p.Frames)
}

func (c *coder) frames(frames *[]Frame) {
	n := c.count(len(*frames))
	if c.reading && n > 0 {
		*frames = make([]Frame, n)
	}
	for i := range *frames {
		c.frame(&(*frames)[i])
	}
}

func (c *coder) frame(f *Frame) {
	c.file(&f.File)
	c.text(&f.Stored)
	c.bytes(&f.Digest)
	c.time(&f.Captured)
	c.number(&f.ImageID)
	c.int(&f.Ordial)
	c.text(&f.Source)
	c.int(&f.Row)
	c.text(&f.Group)
	c.int(&f.StorageVersion)
	c.text(&f.MediaURL)
	c.text(&f.ThumbnailURL)
	c.texts(&f.Alt)
	c.texts(&f.AltSet)
	c.texts(&f.AltCarry)
}

// pack codes v by code, a method of coder.
func pack[T any](code func(*coder, *T), v *T) []byte {
	var c coder
	code(&c, v)
	return c.data
}

// unpack reads what pack made, all of it.
func unpack[T any](code func(*coder, *T), data []byte, v *T) error {
	c := coder{data: data, reading: true}
	code(&c, v)
	if c.err == nil && len(c.data) > 0 {
		return fmt.Errorf("the value has %d bytes too many", len(c.data))
	}
	return c.err
}

// A compressor is kept, because making one takes longer and costs more memory than the values that
// it compresses. One is enough: all changes are written by one goroutine.
var compressor = struct {
	sync.Mutex
	*zlib.Writer
}{Writer: zlib.NewWriter(nil)}

func compress(data []byte) ([]byte, error) {
	compressor.Lock()
	defer compressor.Unlock()
	var b bytes.Buffer
	compressor.Reset(&b)
	_, err := compressor.Write(data)
	err = errors.Join(err, compressor.Close())
	return b.Bytes(), err
}

// decompressors are kept for the same reason.
var decompressors sync.Pool

func decompress(data []byte) ([]byte, error) {
	r, err := decompressor(data)
	if err != nil {
		return nil, err
	}
	defer decompressors.Put(r)
	return io.ReadAll(r)
}

func decompressor(data []byte) (io.Reader, error) {
	kept := decompressors.Get()
	if kept == nil {
		return zlib.NewReader(bytes.NewReader(data))
	}
	return kept.(io.Reader), kept.(zlib.Resetter).Reset(bytes.NewReader(data), nil)
}
