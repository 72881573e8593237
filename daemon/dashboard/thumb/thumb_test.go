package thumb

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/syncstate"
)

// A hangingPicture is on a drive that does not answer.
type hangingPicture struct {
	File
	asked  chan struct{}
	answer chan struct{}
}

func (h hangingPicture) Read([]byte) (int, error) {
	select {
	case h.asked <- struct{}{}:
	default:
	}
	<-h.answer
	return 0, io.ErrUnexpectedEOF
}

// TestHangingDriveKeepsOnlyItsOwnPictures: while a frame of one root cannot be read, pictures of
// another are made.
func TestHangingDriveKeepsOnlyItsOwnPictures(t *testing.T) {
	var content bytes.Buffer
	path := filepath.Join(t.TempDir(), "1.jpg")
	err := jpeg.Encode(&content, image.NewGray(image.Rect(0, 0, 8, 8)), nil)
	if err == nil {
		err = os.WriteFile(path, content.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	open := func() (File, error) { return os.Open(path) }
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	thumbs, ended := New(), make(chan struct{})
	dead := hangingPicture{asked: make(chan struct{}, 1), answer: make(chan struct{})}
	go func() {
		defer close(ended)
		_, _ = thumbs.Picture(ctx, syncstate.Folder{Root: "/dead", Path: "Summer/SKU-1"}, "1.jpg", 320, func() (File, error) {
			file, err := os.Open(path)
			return hangingPicture{file, dead.asked, dead.answer}, err
		})
	}()
	<-dead.asked
	if _, err := thumbs.Picture(ctx, syncstate.Folder{Root: "/alive", Path: "Summer/SKU-1"}, "1.jpg", 320, open); err != nil {
		t.Error(err)
	}
	close(dead.answer)
	<-ended
}

// A closedFile counts itself as open until it is closed.
type closedFile struct {
	*os.File
	open *atomic.Int32
}

func (f closedFile) Close() error {
	f.open.Add(-1)
	return f.File.Close()
}

// TestWaitingPictureHasNothingOpen: a photo whose picture waits for its turn can be saved over.
func TestWaitingPictureHasNothingOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "1.jpg")
	if err := os.WriteFile(path, []byte("no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var open, opened atomic.Int32
		thumbs, ended := New(), make(chan error)
		turn := thumbs.turnOf("/shoots")
		turn <- struct{}{}
		go func() {
			_, err := thumbs.Picture(t.Context(), syncstate.Folder{Root: "/shoots"}, "1.jpg", 320, func() (File, error) {
				open.Add(1)
				opened.Add(1)
				file, err := os.Open(path)
				return closedFile{file, &open}, err
			})
			ended <- err
		}()
		synctest.Wait()
		if open.Load() != 0 || opened.Load() == 0 {
			t.Errorf("%d of %d files are open while it waits", open.Load(), opened.Load())
		}
		<-turn
		if err := <-ended; !errors.Is(err, ErrNoPicture) || open.Load() != 0 {
			t.Errorf("%v, %d files are open after it", err, open.Load())
		}
	})
}

// TestKeptPicturesAreBounded: the newest pictures take the place of others, also of their own older ones.
func TestKeptPicturesAreBounded(t *testing.T) {
	c := New()
	for i := range 100 {
		k := key{name: strconv.Itoa(i)}
		c.keep(k, make([]byte, mostKept/8))
		c.keep(k, make([]byte, mostKept/4))
		kept := 0
		for _, picture := range c.pictures {
			kept += len(picture)
		}
		if kept != c.bytes || kept > mostKept || i >= 4 && kept <= mostKept/2 {
			t.Fatalf("after %d pictures %d bytes are kept, counted as %d", i+1, kept, c.bytes)
		}
	}
}

// The memory that decoding takes is bounded, not only the number of pixels: those of 16 bits take
// twice as much.
func TestDecodedPhotosAreBounded(t *testing.T) {
	for _, test := range []struct {
		side     uint32
		depth    byte
		tooLarge bool
	}{{8000, 8, false}, {8001, 8, true}, {5600, 16, false}, {8000, 16, true}} {
		_, err := shrink(bytes.NewReader(headOfPNG(test.side, test.depth)), 320)
		if !errors.Is(err, ErrNoPicture) || errors.Is(err, ErrTooLarge) != test.tooLarge {
			t.Errorf("%d pixels square of %d bits: %v", test.side, test.depth, err)
		}
	}
}

// headOfPNG is the beginning of a PNG in colour that ends before its pixels.
func headOfPNG(side uint32, depth byte) []byte {
	chunk := binary.BigEndian.AppendUint32([]byte("IHDR"), side)
	chunk = append(binary.BigEndian.AppendUint32(chunk, side), depth, 6, 0, 0, 0)
	head := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\r"), chunk...)
	return binary.BigEndian.AppendUint32(head, crc32.ChecksumIEEE(chunk))
}

// TestProgressivePhotosAreBounded: the decoder keeps the coefficients of a progressive JPEG as well
// as its picture, so that it takes several times as much as a plain one of its size.
func TestProgressivePhotosAreBounded(t *testing.T) {
	const plain, progressive = 0xC0, 0xC2
	for _, test := range []struct {
		kind       byte
		side       uint16
		sampling   byte
		components int
		tooLarge   bool
	}{
		{plain, 7900, 0x11, 3, false}, {progressive, 7900, 0x11, 3, true},
		{progressive, 4000, 0x11, 3, false}, {progressive, 4001, 0x11, 3, true},
		{progressive, 5000, 0x22, 3, false}, {progressive, 5100, 0x22, 3, true},
		{progressive, 5600, 0x11, 1, false}, {progressive, 5700, 0x11, 1, true},
		{progressive, 3500, 0x11, 4, false}, {progressive, 3600, 0x11, 4, true},
	} {
		_, err := shrink(bytes.NewReader(headOfJPEG(test.kind, test.side, test.sampling, test.components)), 320)
		if !errors.Is(err, ErrNoPicture) || errors.Is(err, ErrTooLarge) != test.tooLarge {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// headOfJPEG is a square JPEG without its picture data. The first component has the sampling
// factors, the others have none.
func headOfJPEG(kind byte, side uint16, sampling byte, components int) []byte {
	head := []byte{0xFF, 0xD8, 0xFF, 0xFE, 0, 4, 0xFF, 0xC2, 0xFF, 0xFF, kind, 0, byte(8 + 3*components), 8}
	head = binary.BigEndian.AppendUint16(head, side)
	head = binary.BigEndian.AppendUint16(head, side)
	head = append(head, byte(components))
	for i := range components {
		head = append(head, byte(i+1), sampling, 0)
		sampling = 0x11
	}
	return append(head, 0xFF, 0xDA, 0, 2)
}

// A countedFile counts the bytes that are read of it.
type countedFile struct {
	*os.File
	read int
}

func (f *countedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.read += n
	return n, err
}

func (f *countedFile) ReadAt(p []byte, offset int64) (int, error) {
	n, err := f.File.ReadAt(p, offset)
	f.read += n
	return n, err
}

// TestTIFFStaysOnDisk: to find a TIFF too large, it is not read, wherever in the file its size stands.
func TestTIFFStaysOnDisk(t *testing.T) {
	const behind = 64 << 20 // bytes of the picture before what describes it
	path := filepath.Join(t.TempDir(), "1.tif")
	var head, tags bytes.Buffer
	put := func(to *bytes.Buffer, values ...any) {
		for _, v := range values {
			if err := binary.Write(to, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(&head, []byte("II*\x00"), uint32(behind))
	entries := [][2]uint32{{256, 20_000}, {257, 20_000}, {258, 16}, {259, 1}, {262, 1}, {273, 8}, {277, 1}, {279, behind}}
	put(&tags, uint16(len(entries)))
	for _, e := range entries {
		put(&tags, uint16(e[0]), uint16(4), uint32(1), e[1])
	}
	put(&tags, uint32(0))
	opened, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	file := &countedFile{File: opened}
	defer file.Close()
	for at, part := range map[int64]*bytes.Buffer{0: &head, behind: &tags} {
		if _, err := file.WriteAt(part.Bytes(), at); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := shrink(file, 320); !errors.Is(err, ErrTooLarge) || file.read > 64<<10 {
		t.Errorf("%d bytes are read, %v", file.read, err)
	}
}
