// Package frame checks whether one image or video file is structurally whole. Call Glance before a
// file is used: it returns kind, size, the settings of the camera and the embedded XMP packet, or a
// BrokenError. Who reads the whole file anyway passes its bytes to a Proof.
//
// A file is judged by its content, not by its name: each kind has a rule that finds a file cut off
// at any byte, and that does not mind bytes after the end. The files come from anywhere, so every
// length in them is checked against the file before it is believed, and only a little of one is
// ever held in memory.
//
// The package decodes no pixels and writes nothing. It turns a photo that others decoded upright. A
// whole file may still show noise: the package promises only that all of it is there.
package frame

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Info is the metadata of a file.
type Info struct {
	ContentType string // media type by content, by extension where the content has no rule

	// Captured is EXIF's DateTimeOriginal with its fraction of a second, as if the camera's clock
	// were UTC. It is fit for ordering the frames of one camera and for nothing else. Its offset
	// is left out, since some programs remove it from some photos of a set. Zero = unknown.
	Captured time.Time

	Orientation Orientation

	// Width and Height are in pixels, before the photo is turned. Zero = unknown.
	Width, Height int64

	// Decoded is how many bytes image/jpeg or image/png needs for the picture, at most. Zero means
	// that they cannot decode it, or that it is unknown.
	Decoded int64

	Shot      Shot
	Thumbnail Thumbnail // its offset is one of the file

	// XMP is the embedded packet, cut at 1 MiB; nil = none.
	XMP []byte

	// Hollow means that the file ends in zeros, and that its format has no end marker: black
	// pixels, silence or padding. An unfinished copy that set the length first is the same.
	Hollow bool
}

// A BrokenError means that a file is not whole, or not readable as its type.
type BrokenError struct {
	Name   string
	Reason string // completes "the file is not whole: …"
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("%s is not whole: %s; copy or export it again", e.Name, e.Reason)
}

// maxMeta bounds the EXIF block and the XMP packet, in bytes.
const maxMeta = 1 << 20

// What a huge file may cost: a hole of terabytes takes a few kilobytes of the disk.
const (
	maxHeader = 64 << 20 // bytes before the picture data of a JPEG
	maxPhoto  = 8 << 30  // bytes of a file that is no video
)

// broken is the reason of a BrokenError on its way up, before the file's name is known.
type broken string

func (b broken) Error() string { return string(b) }

const (
	errEmpty  = broken("empty")
	errCut    = broken("it ends too early")
	errShrank = broken("it is shorter than its directory entry says")

	errHuge     = broken("it is larger than 8 GiB, the most that a photo may have")
	errEndless  = broken("its header does not end")
	errNoLength = broken("a segment of it has no length")
)

// Glance judges a file of size bytes. The error is a *BrokenError when the file is not whole; every
// other error comes from reading r. The file is read once, from front to back, and parts that the
// rule of its kind does not need are skipped.
//
// The picture data of a JPEG that ends as a whole one does is left out, which is nearly all of the
// file. It may still be damaged. A caller that reads the whole file anyway, for instance to send
// it, checks the bytes with a Proof.
func Glance(r io.ReaderAt, size int64, name string) (Info, error) {
	f := &file{in: newStream(r, size)}
	defer f.in.release()
	err := f.inspect(name)
	if err == nil {
		err = f.findHollow()
	}
	if reason, ok := errors.AsType[broken](err); ok {
		return Info{}, &BrokenError{Name: name, Reason: string(reason)}
	} else if err != nil {
		return Info{}, fmt.Errorf("inspect %s: %w", name, err)
	}
	return f.info, nil
}

// Meta reads only as far as the metadata of a file, which for most files is in their first few
// kilobytes. It does not judge the file: what lies behind a damaged header counts as absent, and
// every error comes from reading r.
func Meta(r io.ReaderAt, size int64) (Info, error) {
	f := &file{in: newStream(r, size), headerOnly: true}
	defer f.in.release()
	err := f.inspect("")
	if _, ok := errors.AsType[broken](err); ok {
		err = nil
	}
	return f.info, err
}

// noEnd is how many zeros at the end of compressed data show that it was not written yet.
const noEnd = 16

const errZeros = broken("its end is empty (zeros)")

func allZeros(p []byte) bool { return bytes.Count(p, []byte{0}) == len(p) }

// findHollow checks the end of a file that its rule found whole.
func (f *file) findHollow() error {
	switch f.info.ContentType {
	case "image/jpeg", "image/png": // which end in a marker
		return nil
	}
	tail := make([]byte, min(f.in.size, 4*noEnd))
	err := readFull(f.in.r, tail, f.in.size-int64(len(tail)))
	f.info.Hollow = err == nil && allZeros(tail)
	return err
}

// file is one file under inspection, with the results so far.
type file struct {
	in         stream
	info       Info
	headerOnly bool // stop where the metadata ends, check nothing
}

func (f *file) inspect(name string) error {
	if f.in.size <= 0 {
		return errEmpty
	}
	n := int(min(f.in.size, 12))
	head, err := f.in.peek(n)
	if err != nil {
		return err
	}
	isMedia := n >= 8 && opensMedia(string(head[4:8]))
	if f.in.size > maxPhoto && !isMedia && !f.headerOnly {
		return errHuge
	}
	if judge := f.rule(string(head[:n])); judge != nil {
		return judge()
	}
	f.info.ContentType = ContentType(name)
	if hasRule(f.info.ContentType) {
		return broken(isNo(f.info.ContentType))
	}
	return nil
}

// rule picks the rule for a file's first bytes, nil if there is none.
func (f *file) rule(head string) func() error {
	begins := func(magic string) bool { return strings.HasPrefix(head, magic) }
	switch {
	case begins("\xff\xd8\xff"):
		return f.jpeg
	case begins(pngSignature):
		return f.png
	case begins("RIFF") && strings.HasSuffix(head, "WEBP"):
		return f.webp
	case begins("II*\x00"), begins("MM\x00*"), begins("II+\x00"), begins("MM\x00+"):
		return f.tiff
	case len(head) >= 8 && opensMedia(head[4:8]):
		return f.media
	}
	return nil
}

// setXMP keeps the first packet found.
func (f *file) setXMP(packet []byte) {
	if f.info.XMP == nil && len(packet) > 0 {
		f.info.XMP = packet
	}
}

// setEXIF keeps the values of the first EXIF block that has them. The block lies at an offset of the
// file.
func (f *file) setEXIF(block []byte, at int64) {
	found := exifIn(block)
	if f.info.Captured.IsZero() {
		f.info.Captured = found.captured
	}
	if f.info.Orientation == 0 {
		f.info.Orientation = found.orientation
	}
	if f.info.Shot == (Shot{}) {
		f.info.Shot = found.shot
	}
	if f.info.Thumbnail.Length == 0 && found.thumbnail.Length > 0 {
		f.info.Thumbnail = Thumbnail{Offset: at + found.thumbnail.Offset, Length: found.thumbnail.Length}
	}
}
