package frame

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// shotBlock is the EXIF of a camera that writes all of a Shot.
func shotBlock(order byteOrder) []byte {
	const ascii, short, long, ratio = 2, 3, 4, 5
	w := newTIFFWriter(order)
	number := func(v uint16) []byte { return order.AppendUint16(nil, v) }
	over := func(v, n uint32) []byte { return order.AppendUint32(order.AppendUint32(nil, v), n) }
	below := w.directory(0,
		field{tagExposure, ratio, over(10, 1250)},
		field{tagAperture, ratio, over(80, 10)},
		field{tagISO, short, number(200)},
		field{tagWhiteBalance, short, number(1)},
		field{tagLens, ascii, []byte("50mm f/2\x00")})
	return w.finish(w.directory(0,
		field{tagMaker, ascii, []byte("Nikon\x00")},
		field{tagModel, ascii, []byte("Nikon Z 8\x00")},
		field{tagEXIF, long, w.long(below)}))
}

// TestShot: the settings of a camera are read in both byte orders. Where one byte of them is wrong the
// others stay.
func TestShot(t *testing.T) {
	want := Shot{Camera: "Nikon Z 8", Lens: "50mm f/2", Exposure: 1.0 / 125, Aperture: 8, ISO: 200, WhiteBalance: "manual"}
	for _, order := range []byteOrder{binary.BigEndian, binary.LittleEndian} {
		if got := exifIn(shotBlock(order)).shot; got != want {
			t.Errorf("%v: %+v, want %+v", order, got, want)
		}
	}
	block := shotBlock(binary.BigEndian)
	lens := bytes.Index(block, []byte{0xA4, 0x34}) // its tag
	copy(block[lens+4:], "\xff\xff\xff\xff")       // its length
	want.Lens = ""
	if got := exifIn(block).shot; got != want {
		t.Errorf("with a broken lens: %+v, want %+v", got, want)
	}
	zero := bytes.ReplaceAll(shotBlock(binary.BigEndian), []byte("\x00\x00\x04\xe2"), make([]byte, 4))
	if got := exifIn(zero).shot; got.Exposure != 0 || got.Aperture != 8 {
		t.Errorf("an exposure over zero is %v", got.Exposure)
	}
}

// TestThumbnailOutside: a place that is not in the block is no thumbnail.
func TestThumbnailOutside(t *testing.T) {
	block := exifBlock(binary.BigEndian, "", "", "", []byte("thumbnail"))
	if got := exifIn(block).thumbnail; string(block[got.Offset:got.Offset+got.Length]) != "thumbnail" {
		t.Fatalf("the thumbnail lies at %+v", got)
	}
	length := bytes.Index(block, []byte{tagJPEGLength >> 8, tagJPEGLength & 255, 0, 4})
	binary.BigEndian.PutUint32(block[length+8:], 1<<30)
	if got := exifIn(block).thumbnail; got != (Thumbnail{}) {
		t.Errorf("a thumbnail that ends behind the block: %+v", got)
	}
}

// TestDecoded: what decoding takes depends on the subsampling, and on whether coefficients are kept.
func TestDecoded(t *testing.T) {
	const baseline, lossless = 0xC0, 0xC3
	for _, test := range []struct {
		marker     byte
		components string
		want       int64
	}{
		{baseline, "\x01\x11\x00", 100},                                     // grey
		{baseline, "\x01\x22\x00\x02\x11\x00\x03\x11\x00", 150},             // 4:2:0
		{markerSOF2, "\x01\x22\x00\x02\x11\x00\x03\x11\x00", 750},           // the same, progressive
		{baseline, "\x01\x11\x00\x02\x11\x00\x03\x11\x00", 700},             // 4:4:4
		{baseline, "\x01\x11\x00\x02\x11\x00\x03\x11\x00\x04\x11\x00", 800}, // CMYK
		{lossless, "\x01\x11\x00", 0},
		{baseline, "\x01\x00\x00", 0},
		{baseline, "", 0},
	} {
		var f file
		f.setSize(test.marker, []byte("\x08\x00\x0a\x00\x0a\x01"+test.components))
		if f.info.Width != 10 || f.info.Height != 10 || f.info.Decoded != test.want {
			t.Errorf("%x %x: %d × %d, %d bytes; want %d", test.marker, test.components, f.info.Width, f.info.Height, f.info.Decoded, test.want)
		}
	}
}
