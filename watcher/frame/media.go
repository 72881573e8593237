package frame

import (
	"encoding/binary"
	"math"
	"strings"
)

// xmpBox is the extended type of the box that carries XMP (XMP part 3, 1.1.4).
const xmpBox = "\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac"

// opensMedia reports whether a file of the ISO base media family can begin with a box of this kind.
// Old QuickTime files have no ftyp.
func opensMedia(kind string) bool {
	switch kind {
	case "ftyp", "moov", "mdat", "wide", "free", "skip", "pnot":
		return true
	}
	return false
}

// media walks the top-level boxes of MP4, MOV, HEIC and AVIF. They must add up to the file, and
// there must be both media data and its table of contents, which many recorders write last.
//
// A fragmented file that was cut exactly between two fragments passes: nothing in it shows that
// more was to come. So does a file whose mdat has the length "to the end", when its table of
// contents comes first.
func (f *file) media() error {
	f.info.ContentType = "video/quicktime"
	seen := map[string]bool{}
	for f.in.left() > 0 {
		kind, length, err := f.box()
		if err != nil {
			return err
		}
		if !isBox(kind) {
			break // bytes behind the end
		}
		if length > f.in.left() {
			return broken("its " + kind + " box is longer than the file")
		}
		switch kind {
		case "ftyp", "moov", "meta", "mdat":
			seen[kind] = true
		}
		if err := f.boxContent(kind, length); err != nil {
			return err
		}
	}
	still := strings.HasPrefix(f.info.ContentType, "image/")
	switch {
	case !seen["mdat"]:
		return broken("there is no picture in it")
	case seen["moov"], seen["meta"] && still:
		return nil
	}
	return broken("its table of contents is missing")
}

// box consumes a box's header. The length is that of its content; without a kind, no box follows.
func (f *file) box() (kind string, length int64, err error) {
	if f.in.left() < 8 {
		return "", 0, nil
	}
	head, err := f.in.next(8)
	if err != nil {
		return "", 0, err
	}
	kind = string(head[4:])
	switch size := binary.BigEndian.Uint32(head); {
	case size == 0:
		return kind, f.in.left(), nil
	case size == 1:
		return f.largeBox(kind)
	case size < 8:
		return "", 0, nil
	default:
		return kind, int64(size) - 8, nil
	}
}

func (f *file) largeBox(kind string) (string, int64, error) {
	head, err := f.in.next(8)
	if err != nil {
		return "", 0, err
	}
	size := binary.BigEndian.Uint64(head)
	if size < 16 || size > math.MaxInt64 {
		return "", 0, nil
	}
	return kind, int64(size) - 16, nil
}

// isBox reports whether the four bytes can be the type of a box: ASCII, or Apple's ©.
func isBox(kind string) bool {
	for _, c := range []byte(kind) {
		if (c < ' ' || '~' < c) && c != 0xA9 {
			return false
		}
	}
	return kind != ""
}

// boxContent consumes the content of a box and keeps its metadata.
func (f *file) boxContent(kind string, length int64) error {
	switch {
	case kind == "ftyp":
		brands, err := f.in.take(length)
		if err != nil {
			return err
		}
		f.info.ContentType = mediaType(brands)
		return nil
	case kind == "uuid" && length > int64(len(xmpBox)):
		id, err := f.in.next(len(xmpBox))
		if err != nil {
			return err
		}
		length -= int64(len(xmpBox))
		if string(id) == xmpBox {
			packet, err := f.in.take(length)
			f.setXMP(packet)
			return err
		}
	}
	return f.in.skip(length)
}

// mediaType finds the media type in ftyp: the major brand, four bytes of version, and the brands
// that the file is compatible with.
func mediaType(brands []byte) string {
	found := "video/mp4"
	for i := 0; i+4 <= len(brands); i += 4 {
		switch string(brands[i : i+4]) {
		case "avif", "avis":
			return "image/avif"
		case "heic", "heix", "heim", "heis", "hevc", "hevx":
			return "image/heic"
		case "mif1", "msf1":
			found = "image/heif"
		case "qt  ":
			return "video/quicktime"
		}
	}
	return found
}
