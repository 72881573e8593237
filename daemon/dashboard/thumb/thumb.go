// Package thumb makes small pictures of the frames of product folders, and caches them. Call New
// once, then the Cache for each picture.
package thumb

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	_ "image/png" // decodes frames
	"io"
	"os"
	"slices"
	"sync"
	"time"

	scale "golang.org/x/image/draw"
	_ "golang.org/x/image/tiff" // decodes frames
	_ "golang.org/x/image/webp" // decodes frames

	"spinsync/syncstate"
	"spinsync/watcher/frame"
)

const (
	// mostDecoded bounds the bytes of a decoded photo: 64 megapixels of 8 bits a colour, half as
	// many of 16.
	mostDecoded = 256_000_000
	// mostKept is how many bytes of small pictures are kept.
	mostKept = 48 << 20
)

var (
	// ErrNoPicture is the error for a file that is no picture that can be shown.
	ErrNoPicture = errors.New("no picture can be made of this file")
	// ErrTooLarge is ErrNoPicture for a photo too large to be decoded on the camera's computer.
	ErrTooLarge = fmt.Errorf("%w: decoded it takes more than %d MB", ErrNoPicture, mostDecoded/1_000_000)
)

// A Cache makes small pictures and keeps some. It makes one at a time for each root,
// because publishing comes first. A drive that does not answer so holds up its own pictures only.
type Cache struct {
	mu       sync.Mutex
	turns    map[string]chan struct{} // by root
	pictures map[key][]byte
	bytes    int // of all pictures
}

type key struct {
	folder syncstate.Folder
	name   string
	size   int64
	time   time.Time
	width  int
}

// New returns an empty cache.
func New() *Cache {
	return &Cache{turns: map[string]chan struct{}{}, pictures: map[key][]byte{}}
}

// A File is an open frame.
type File interface {
	seekable
	io.Closer
	Stat() (os.FileInfo, error)
}

type seekable interface {
	io.ReadSeeker
	io.ReaderAt
}

// An input is what decoders read. image recognises the format by Peek. The decoder of TIFF would take
// the whole file into memory without ReadAt.
type input struct {
	*bufio.Reader
	io.ReaderAt
}

func inputOf(file seekable) input { return input{bufio.NewReader(file), file} }

// Picture returns a frame of a folder as a JPEG of at most that width. While it waits for its turn the
// frame is closed: on Windows nobody can save over one that is open.
func (c *Cache) Picture(
	ctx context.Context, folder syncstate.Folder, name string, width int, open func() (File, error),
) ([]byte, error) {
	k := key{folder: folder, name: name, width: width}
	file, err := k.opened(open)
	if err != nil {
		return nil, err
	}
	file.Close()
	if known := c.known(k); known != nil {
		return known, nil
	}
	turn := c.turnOf(folder.Root)
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if file, err = k.opened(open); err != nil {
		return nil, err
	}
	defer file.Close()
	made, err := shrink(file, width)
	if err != nil {
		return nil, err
	}
	c.keep(k, made)
	return made, nil
}

// opened opens the frame, and makes the key that of its present content.
func (k *key) opened(open func() (File, error)) (File, error) {
	file, err := open()
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	k.size, k.time = info.Size(), info.ModTime()
	return file, nil
}

func (c *Cache) turnOf(root string) chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turns[root] == nil {
		c.turns[root] = make(chan struct{}, 1)
	}
	return c.turns[root]
}

func (c *Cache) known(k key) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pictures[k]
}

// keep makes room by dropping any others.
func (c *Cache) keep(k key, made []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes += len(made) - len(c.pictures[k])
	c.pictures[k] = made
	for other, jpeg := range c.pictures {
		if c.bytes <= mostKept {
			return
		}
		delete(c.pictures, other)
		c.bytes -= len(jpeg)
	}
}

// shrink decodes a photo and draws it small, the right way up.
func shrink(file seekable, width int) ([]byte, error) {
	config, _, err := image.DecodeConfig(inputOf(file))
	if err != nil || config.Width <= 0 || config.Height <= 0 {
		return nil, ErrNoPicture
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	pixels := float64(config.Width) * float64(config.Height)
	if pixels*(bytesOfPixel(config.ColorModel)+coefficients(file)) > mostDecoded {
		return nil, ErrTooLarge
	}
	turn := frame.OrientationOf(file)
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	photo, _, err := image.Decode(inputOf(file))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNoPicture, err)
	}
	var out bytes.Buffer
	err = jpeg.Encode(&out, turn.Apply(drawSmall(photo, width)), &jpeg.Options{Quality: 82})
	return out.Bytes(), err
}

// bytesOfPixel is the memory of one pixel, at most.
func bytesOfPixel(model color.Model) float64 {
	switch model {
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	}
	return 4
}

// coefficients is how many bytes for each pixel the decoder of a progressive JPEG keeps in addition
// to the picture: 4 for each component, of which most have a half or a quarter of the pixels. It is
// 0 for any other file.
func coefficients(file io.Reader) float64 {
	in := bufio.NewReader(file)
	if soi, _ := in.Peek(2); !bytes.Equal(soi, []byte{0xFF, 0xD8}) {
		return 0
	}
	_, _ = in.Discard(2)
	for {
		head, err := in.Peek(4)
		if err != nil {
			return 0
		}
		length := 2 + int(binary.BigEndian.Uint16(head[2:]))
		switch {
		case head[0] != 0xFF || head[1] == 0xFF || head[1] == 0: // filling
			_, _ = in.Discard(1)
		case head[1] == 0xC2: // a progressive frame
			segment, _ := in.Peek(length)
			return coefficientsOf(segment[min(10, len(segment)):])
		case head[1] == 0xC0, head[1] == 0xC1, head[1] == 0xDA: // another frame, or picture data
			return 0
		default:
			_, _ = in.Discard(length)
		}
	}
}

// coefficientsOf reads the components of a frame, three bytes each.
func coefficientsOf(components []byte) float64 {
	var all, most float64
	for c := range slices.Chunk(components, 3) {
		if len(c) == 3 {
			area := float64(c[1]>>4) * float64(c[1]&15)
			all, most = all+area, max(most, area)
		}
	}
	return 4 * all / max(most, 1)
}

// drawSmall scales to the width, and never up. Transparent pixels become white.
func drawSmall(photo image.Image, width int) *image.RGBA {
	bounds := photo.Bounds()
	width = min(width, bounds.Dx())
	height := max(1, bounds.Dy()*width/bounds.Dx())
	small := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(small, small.Bounds(), image.White, image.Point{}, draw.Src)
	scale.ApproxBiLinear.Scale(small, small.Bounds(), photo, bounds, draw.Over, nil)
	return small
}
