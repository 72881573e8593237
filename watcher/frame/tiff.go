package frame

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// Tags of TIFF 6.0, its supplements and EXIF.
const (
	tagWidth           = 256
	tagHeight          = 257
	tagCompression     = 259
	tagMaker           = 271
	tagModel           = 272
	tagStripOffsets    = 273
	tagOrientation     = 274
	tagStripLengths    = 279
	tagTileOffsets     = 324
	tagTileLengths     = 325
	tagSubDirectories  = 330
	tagJPEGOffset      = 513
	tagJPEGLength      = 514
	tagXMP             = 700
	tagExposure        = 33434
	tagAperture        = 33437
	tagEXIF            = 34665
	tagGPS             = 34853
	tagISO             = 34855
	tagCaptured        = 36867
	tagCapturedSeconds = 37521
	tagInterop         = 40965
	tagWhiteBalance    = 41987
	tagLens            = 42036
)

const (
	maxDirectories = 4096
	maxEntries     = 4096 // real ones have a few dozen
)

// tiff follows every directory of a TIFF or BigTIFF: each directory, each value and each strip or
// tile must lie inside the file. The last one must have an end, if its compression has one.
func (f *file) tiff() error {
	f.info.ContentType = "image/tiff"
	t, first, err := openTIFF(f.in.r, f.in.size)
	if err != nil {
		return err
	}
	if err := f.tiffMeta(t, first); err != nil || f.headerOnly {
		return err
	}
	picture, err := t.check(first)
	if err == nil && !picture {
		return broken("there is no picture in it")
	}
	return err
}

// tiffMeta keeps the metadata of the first directory.
func (f *file) tiffMeta(t *tiffReader, first int64) error {
	dir, err := t.directory(first)
	if err != nil {
		return err
	}
	if xmp, ok := dir.entries[tagXMP]; ok {
		packet, err := t.read(xmp.at, min(xmp.length, maxMeta))
		if err != nil {
			return err
		}
		f.setXMP(packet)
	}
	f.info.Orientation = t.orientation(dir)
	f.info.Width, f.info.Height = t.number(dir.entries[tagWidth]), t.number(dir.entries[tagHeight])
	below, err := t.exifDirectory(dir)
	if err != nil {
		return err
	}
	f.info.Shot = t.shot(dir, below)
	f.info.Captured, err = t.captured(below)
	return err
}

// tiffReader reads a TIFF structure, which is also what an EXIF block is.
type tiffReader struct {
	r     io.ReaderAt
	size  int64
	order binary.ByteOrder
	big   bool // a BigTIFF, whose offsets and counts have 8 bytes

	// allowance is how many bytes may still be read. Directories of an honest file do not overlap;
	// without a limit, a few small ones that all point at one large table would take hours.
	allowance int64
}

// directory is one image file directory. Of entries with the same tag the first counts.
type directory struct {
	entries map[uint16]entry
	next    int64 // offset of the next directory; 0 = none
	flaw    error // a value that lies outside the file; its entry is missing
}

// entry is a directory's entry: where its value lies in the file.
type entry struct {
	width      int64 // of one number, in bytes; 0 = unknown type
	at, length int64
}

func (e entry) count() int64 {
	if e.width == 0 {
		return 0
	}
	return e.length / e.width
}

// openTIFF reads the header and returns the offset of the first directory.
func openTIFF(r io.ReaderAt, size int64) (*tiffReader, int64, error) {
	t := &tiffReader{r: r, size: size, order: binary.LittleEndian, allowance: 2*size + 4096}
	head, err := t.read(0, 8)
	if err != nil {
		return nil, 0, err
	}
	if head[0] == 'M' {
		t.order = binary.BigEndian
	}
	if t.big = t.order.Uint16(head[2:]) == bigVersion; !t.big {
		return t, t.offset(head[4:]), nil
	}
	first, err := t.read(8, 8)
	if err != nil {
		return nil, 0, err
	}
	return t, t.offset(first), nil
}

// bigVersion is that of a BigTIFF; a TIFF has 42.
const bigVersion = 43

// sizes are the bytes of a directory's count, of an entry, and of an offset.
func (t *tiffReader) sizes() (count, entry, offset int64) {
	if t.big {
		return 8, 20, 8
	}
	return 2, 12, 4
}

// read returns n bytes at an offset.
func (t *tiffReader) read(at, n int64) ([]byte, error) {
	if !t.holds(at, n) {
		return nil, errCut
	}
	if t.allowance -= n; t.allowance < 0 {
		return nil, broken("its directories overlap")
	}
	p := make([]byte, n)
	return p, readFull(t.r, p, at)
}

func (t *tiffReader) holds(at, n int64) bool {
	return at >= 0 && n >= 0 && at <= t.size && n <= t.size-at
}

// offset reads an offset or a count. One that no file has is negative.
func (t *tiffReader) offset(p []byte) int64 {
	if t.big {
		return int64(t.order.Uint64(p))
	}
	return int64(t.order.Uint32(p))
}

// directory reads the directory at an offset.
func (t *tiffReader) directory(at int64) (directory, error) {
	countSize, entrySize, offsetSize := t.sizes()
	head, err := t.read(at, countSize)
	if err != nil {
		return directory{}, err
	}
	n := int64(t.order.Uint16(head))
	if t.big {
		n = t.offset(head)
	}
	if n < 1 || n > maxEntries {
		return directory{}, broken("a directory of it has no sensible length")
	}
	at += countSize
	raw, err := t.read(at, n*entrySize+offsetSize)
	if err != nil {
		return directory{}, err
	}
	dir := directory{entries: make(map[uint16]entry, n), next: t.offset(raw[n*entrySize:])}
	for i := range n {
		tag := t.order.Uint16(raw[i*entrySize:])
		e, ok := t.entry(raw[i*entrySize:(i+1)*entrySize], at+i*entrySize)
		if !ok {
			dir.flaw = broken(fmt.Sprintf("the value of its tag %d lies beyond its end", tag))
		} else if _, twice := dir.entries[tag]; !twice {
			dir.entries[tag] = e
		}
	}
	return dir, nil
}

// entry reads an entry that lies at an offset, and reports whether its value lies in the file. A
// value that fits is in the entry itself; one of an unknown type is taken for empty.
func (t *tiffReader) entry(raw []byte, at int64) (e entry, ok bool) {
	e = entry{width: typeWidth(t.order.Uint16(raw[2:]))}
	_, _, offsetSize := t.sizes()
	count := t.offset(raw[4:])
	if e.width == 0 {
		return e, true
	}
	if count < 0 || count > t.size {
		return e, false
	}
	e.length = count * e.width
	e.at = at + 4 + offsetSize
	if e.length > offsetSize {
		e.at = t.offset(raw[4+offsetSize:])
	}
	return e, t.holds(e.at, e.length)
}

// typeWidth is the size of a TIFF type in bytes, 0 for unknown ones.
func typeWidth(kind uint16) int64 {
	switch kind {
	case 1, 2, 6, 7:
		return 1
	case 3, 8:
		return 2
	case 4, 9, 11, 13:
		return 4
	case 5, 10, 12, 16, 17, 18:
		return 8
	}
	return 0
}

// numbers reads n of an entry's unsigned numbers, from the first-th on.
func (t *tiffReader) numbers(e entry, first, n int64) ([]int64, error) {
	raw, err := t.read(e.at+first*e.width, n*e.width)
	if err != nil {
		return nil, err
	}
	list := make([]int64, n)
	for i := range list {
		p := raw[int64(i)*e.width:]
		switch e.width {
		case 1:
			list[i] = int64(p[0])
		case 2:
			list[i] = int64(t.order.Uint16(p))
		case 4:
			list[i] = int64(t.order.Uint32(p))
		default:
			list[i] = int64(t.order.Uint64(p))
		}
	}
	return list, nil
}

// check visits every directory that can be reached, each once however they are linked, and reports
// whether one of them holds a picture.
func (t *tiffReader) check(first int64) (picture bool, err error) {
	seen := map[int64]bool{0: true}
	for unseen := []pointer{{at: first}}; len(unseen) > 0; {
		p := unseen[0]
		unseen = unseen[1:]
		if seen[p.at] {
			continue
		}
		if seen[p.at] = true; len(seen) > maxDirectories {
			return false, broken("it has too many directories")
		}
		dir, err := t.directory(p.at)
		if err == nil {
			err = dir.flaw
		}
		if err != nil {
			return false, err
		}
		found, err := t.checkPictures(dir)
		if err != nil {
			return false, err
		}
		picture = picture || found
		below, err := t.below(dir)
		if err != nil {
			return false, err
		}
		if !p.last {
			unseen = append(unseen, pointer{at: dir.next})
		}
		unseen = append(unseen, below...)
	}
	return picture, nil
}

// A pointer leads to a directory. No other follows one of metadata, whatever stands in that place.
type pointer struct {
	at   int64
	last bool
}

// below lists the directories that a directory's entries point to.
func (t *tiffReader) below(dir directory) ([]pointer, error) {
	var list []pointer
	for _, tag := range []uint16{tagSubDirectories, tagEXIF, tagGPS, tagInterop} {
		e := dir.entries[tag]
		if e.width < 4 {
			continue
		}
		all, err := t.numbers(e, 0, min(e.count(), maxDirectories))
		if err != nil {
			return nil, err
		}
		for _, at := range all {
			list = append(list, pointer{at, tag != tagSubDirectories})
		}
	}
	return list, nil
}

// checkPictures reports whether a directory has picture data, and refuses what lies outside the
// file.
func (t *tiffReader) checkPictures(dir directory) (found bool, err error) {
	pairs := [][2]uint16{
		{tagStripOffsets, tagStripLengths},
		{tagTileOffsets, tagTileLengths},
		{tagJPEGOffset, tagJPEGLength},
	}
	for _, pair := range pairs {
		offsets, ok := dir.entries[pair[0]]
		if !ok || offsets.count() == 0 {
			continue
		}
		found = true
		end, length, err := t.checkPieces(offsets, dir.entries[pair[1]])
		if err == nil && pair[0] != tagJPEGOffset && t.hasEnd(dir) { // some writers pad a preview with zeros
			err = t.checkEnd(end, length)
		}
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// hasEnd reports whether a directory's picture is compressed in a way that never ends in zeros.
func (t *tiffReader) hasEnd(dir directory) bool {
	const lzw, jpeg, deflate, oldDeflate = 5, 7, 8, 32946
	e := dir.entries[tagCompression]
	if e.width != 2 || e.count() != 1 {
		return false
	}
	kind, err := t.numbers(e, 0, 1)
	return err == nil && slices.Contains([]int64{lzw, jpeg, deflate, oldDeflate}, kind[0])
}

// checkEnd refuses data that ends in zeros.
func (t *tiffReader) checkEnd(end, length int64) error {
	if length < noEnd {
		return nil
	}
	tail, err := t.read(end-noEnd, noEnd)
	if err == nil && allZeros(tail) {
		return errZeros
	}
	return err
}

// checkPieces compares strips or tiles with the file, a few at a time, for there may be millions.
// An empty one is a hole that sparse files are allowed to have. The lengths may be missing where
// nothing is compressed; then only the beginnings can be checked. It gives the end and the length of
// the piece that lies last in the file.
func (t *tiffReader) checkPieces(offsets, lengths entry) (end, last int64, err error) {
	const batch = 512
	if lengths.count() != 0 && lengths.count() != offsets.count() {
		return 0, 0, broken("its lists of strips do not agree")
	}
	for i := int64(0); i < offsets.count(); i += batch {
		n := min(batch, offsets.count()-i)
		at, err := t.numbers(offsets, i, n)
		if err != nil {
			return 0, 0, err
		}
		length := make([]int64, n)
		if lengths.count() != 0 {
			if length, err = t.numbers(lengths, i, n); err != nil {
				return 0, 0, err
			}
		}
		for k := range at {
			if empty := at[k] == 0 && length[k] == 0; !empty && !t.holds(at[k], length[k]) {
				return 0, 0, errCut
			}
			if at[k]+length[k] > end {
				end, last = at[k]+length[k], length[k]
			}
		}
	}
	return end, last, nil
}
