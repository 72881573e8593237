package frame

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/HugoSmits86/nativewebp"
	"golang.org/x/image/tiff"
)

const (
	sampleXMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF/></x:xmpmeta>`
	wide      = 48
	high      = 32
)

var sampleTime = time.Date(2026, 3, 4, 10, 20, 30, 120_000_000, time.UTC)

// sample is a whole file and what is known of it.
type sample struct {
	data []byte
	want Info
}

// samples are whole files of every kind that has a rule.
func samples(tb testing.TB) map[string]sample {
	exif := exifBlock(binary.BigEndian, "2026:03:04 10:20:30", "12", "+02:00", pictureJPEG(tb))
	app1 := append(jpegSegment(markerAPP1, exifPrefix, exif), jpegSegment(markerAPP1, "http://ns.adobe.com/xap/1.0/\x00", []byte(sampleXMP))...)
	bare := func(contentType string) Info { return Info{ContentType: contentType} }
	full := func(contentType string) Info {
		return Info{ContentType: contentType, Captured: sampleTime, Orientation: 6, XMP: []byte(sampleXMP), Shot: Shot{Camera: "Camera"}}
	}
	sized := func(info Info, decoded int64) Info {
		info.Width, info.Height, info.Decoded = wide, high, decoded
		return info
	}
	photo := sized(full("image/jpeg"), wide*high*3/2)
	photo.Thumbnail = Thumbnail{
		Offset: int64(bytes.Index(app1, pictureJPEG(tb))) + 2, // of the start of the image
		Length: int64(len(pictureJPEG(tb))),
	}
	film := sized(full("image/tiff"), 0)
	film.Shot = Shot{} // handTIFF has no camera
	return map[string]sample{
		"baseline.jpg":     {pictureJPEG(tb), sized(bare("image/jpeg"), wide*high*3/2)},
		"exif.jpg":         {insert(pictureJPEG(tb), 2, app1), photo},
		"progressive.jpg":  {fixture(tb, "progressive.jpg"), sized(bare("image/jpeg"), 5*wide*high*3/2)},
		"arithmetic.jpg":   {fixture(tb, "arithmetic.jpg"), sized(bare("image/jpeg"), 0)},
		"restart.jpg":      {fixture(tb, "restart.jpg"), sized(bare("image/jpeg"), wide*high*3/2)},
		"plain.png":        {picturePNG(tb), sized(bare("image/png"), wide*high*4)},
		"early.png":        {pngWithMeta(tb, 33), sized(full("image/png"), wide*high*4)},
		"late.png":         {pngWithMeta(tb, len(picturePNG(tb))-12), sized(full("image/png"), wide*high*4)},
		"lossless.webp":    {pictureWebP(tb), bare("image/webp")},
		"lossy.webp":       {fixture(tb, "lossy.webp"), bare("image/webp")},
		"white-floor.webp": {fixture(tb, "white-floor.webp"), bare("image/webp")},
		"extended.webp":    {webpWithMeta(tb), full("image/webp")},
		"plain.tif":        {pictureTIFF(tb), sized(Info{ContentType: "image/tiff", Hollow: true}, 0)},
		"last.tif":         {handTIFF(binary.LittleEndian, false), film},
		"first.tif":        {handTIFF(binary.BigEndian, true), film},
		"deflate.tif":      {deflatedTIFF(tb), sized(bare("image/tiff"), 0)},
		"white-floor.tif":  {webpTIFF(tb), bare("image/tiff")},
		"big.tif":          {bigTIFF(binary.LittleEndian), bare("image/tiff")},
		"big-endian.tif":   {bigTIFF(binary.BigEndian), bare("image/tiff")},
		"table-last.mp4":   {join(box("ftyp", "isom\x00\x00\x02\x00isomavc1mp41"), box("free", ""), box("mdat", noise(300)), box("moov", noise(90))), bare("video/mp4")},
		"table-first.mp4":  {join(box("ftyp", "mp42\x00\x00\x00\x00isom"), box("moov", noise(90)), box("mdat", noise(300))), bare("video/mp4")},
		"xmp.mp4":          {join(box("ftyp", "isom\x00\x00\x02\x00"), box("uuid", xmpBox+sampleXMP), box("moov", noise(90)), box("mdat", noise(300))), Info{ContentType: "video/mp4", XMP: []byte(sampleXMP)}},
		"large.mov":        {join(box("ftyp", "qt  \x00\x00\x00\x00qt  "), box("wide", ""), largeBox("mdat", noise(300)), box("moov", noise(90))), bare("video/quicktime")},
		"old.mov":          {join(box("mdat", noise(300)), box("moov", noise(90))), bare("video/quicktime")},
		"still.heic":       {join(box("ftyp", "heic\x00\x00\x00\x00mif1heic"), box("meta", noise(90)), box("mdat", noise(300))), bare("image/heic")},
		"still.avif":       {join(box("ftyp", "mif1\x00\x00\x00\x00mif1avif"), box("meta", noise(90)), box("mdat", noise(300))), bare("image/avif")},
	}
}

func fixture(tb testing.TB, name string) []byte {
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func picture() image.Image {
	m := image.NewPaletted(image.Rect(0, 0, wide, high), make(color.Palette, 0, 64))
	for i := range 64 {
		m.Palette = append(m.Palette, color.RGBA{uint8(i * 4), uint8(255 - i*3), uint8(i * i), 255})
	}
	copy(m.Pix, noise(len(m.Pix)))
	for i := range m.Pix {
		m.Pix[i] %= 64
	}
	return m
}

// noise is the same n bytes every time.
func noise(n int) string {
	p := make([]byte, n)
	rand.NewChaCha8([32]byte{7}).Read(p)
	return string(p)
}

func encoded(tb testing.TB, encode func(*bytes.Buffer) error) []byte {
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func pictureJPEG(tb testing.TB) []byte {
	return encoded(tb, func(b *bytes.Buffer) error { return jpeg.Encode(b, picture(), nil) })
}

func picturePNG(tb testing.TB) []byte {
	return encoded(tb, func(b *bytes.Buffer) error { return png.Encode(b, picture()) })
}

func pictureWebP(tb testing.TB) []byte {
	return encoded(tb, func(b *bytes.Buffer) error { return nativewebp.Encode(b, picture(), nil) })
}

func pictureTIFF(tb testing.TB) []byte {
	return encoded(tb, func(b *bytes.Buffer) error { return tiff.Encode(b, picture(), nil) })
}

func deflatedTIFF(tb testing.TB) []byte {
	m := image.NewNRGBA(image.Rect(0, 0, wide, high))
	copy(m.Pix, noise(len(m.Pix)))
	return encoded(tb, func(b *bytes.Buffer) error { return tiff.Encode(b, m, &tiff.Options{Compression: tiff.Deflate}) })
}

// webpTIFF is a TIFF whose strip is a WebP that ends in zeros.
func webpTIFF(tb testing.TB) []byte {
	const webp = 50001
	w := newTIFFWriter(binary.LittleEndian)
	strip := fixture(tb, "white-floor.webp")
	at := w.append(strip)
	return w.finish(w.directory(0,
		field{tagCompression, 3, w.order.AppendUint16(nil, webp)},
		field{tagStripOffsets, 4, w.long(at)},
		field{tagStripLengths, 4, w.long(len(strip))}))
}

// bigTIFF is a BigTIFF of one strip, which lies last in the file.
func bigTIFF(order byteOrder) []byte {
	const directory = 16
	strip := noise(wide * high)
	mark := "II"
	if order.String() == "BigEndian" {
		mark = "MM"
	}
	b := order.AppendUint16([]byte(mark), bigVersion)
	b = order.AppendUint16(order.AppendUint16(b, 8), 0)
	b = order.AppendUint64(b, directory)
	entries := []struct {
		tag, kind uint16
		value     uint64
	}{{tagStripOffsets, 16, directory + 8 + 2*20 + 8}, {tagStripLengths, 16, uint64(len(strip))}}
	b = order.AppendUint64(b, uint64(len(entries)))
	for _, e := range entries {
		b = order.AppendUint16(order.AppendUint16(b, e.tag), e.kind)
		b = order.AppendUint64(order.AppendUint64(b, 1), e.value)
	}
	return append(order.AppendUint64(b, 0), strip...)
}

func insert(data []byte, at int, extra []byte) []byte {
	return append(append(bytes.Clone(data[:at]), extra...), data[at:]...)
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func jpegSegment(marker byte, prefix string, data []byte) []byte {
	head := binary.BigEndian.AppendUint16([]byte{0xFF, marker}, uint16(2+len(prefix)+len(data)))
	return join(head, []byte(prefix), data)
}

func pngChunk(kind, data string) []byte {
	p := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	p = append(p, kind+data...)
	return binary.BigEndian.AppendUint32(p, crc32.ChecksumIEEE(p[4:]))
}

func pngWithMeta(tb testing.TB, at int) []byte {
	exif := exifBlock(binary.LittleEndian, "2026:03:04 10:20:30", "12", "", nil)
	meta := join(pngChunk("eXIf", string(exif)), pngChunk("iTXt", "XML:com.adobe.xmp\x00\x00\x00\x00\x00"+sampleXMP))
	return insert(picturePNG(tb), at, meta)
}

func webpChunk(kind, data string) []byte {
	p := binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(data)))
	p = append(p, data...)
	return append(p, make([]byte, len(data)%2)...)
}

func riff(chunks ...[]byte) []byte {
	data := join(chunks...)
	head := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(4+len(data)))
	return join(head, []byte("WEBP"), data)
}

func webpWithMeta(tb testing.TB) []byte {
	exif := exifBlock(binary.LittleEndian, "2026:03:04 10:20:30", "12", "", nil)
	size := string([]byte{0x0c, 0, 0, 0, wide - 1, 0, 0, high - 1, 0, 0})
	return riff(webpChunk("VP8X", size), pictureWebP(tb)[12:],
		webpChunk("EXIF", exifPrefix+string(exif)), webpChunk("XMP ", sampleXMP))
}

func box(kind, content string) []byte {
	head := binary.BigEndian.AppendUint32(nil, uint32(8+len(content)))
	return append(head, kind+content...)
}

func largeBox(kind, content string) []byte {
	head := append([]byte{0, 0, 0, 1}, kind...)
	head = binary.BigEndian.AppendUint64(head, uint64(16+len(content)))
	return append(head, content...)
}

// byteOrder is what both orders of package binary are.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// tiffWriter writes TIFF structures piece by piece.
type tiffWriter struct {
	order byteOrder
	buf   []byte
}

// field is one entry of a directory; its value is in the file's byte order.
type field struct {
	tag, kind uint16
	value     []byte
}

func newTIFFWriter(order byteOrder) *tiffWriter {
	w := &tiffWriter{order: order, buf: []byte("II")}
	if order.String() == "BigEndian" {
		w.buf = []byte("MM")
	}
	w.buf = append(w.order.AppendUint16(w.buf, 42), 0, 0, 0, 0)
	return w
}

func (w *tiffWriter) long(v int) []byte { return w.order.AppendUint32(nil, uint32(v)) }

// append adds data and returns its offset.
func (w *tiffWriter) append(data []byte) int {
	at := len(w.buf)
	w.buf = append(w.buf, data...)
	return at
}

// directory adds a directory behind the values that do not fit into it, and returns its offset.
func (w *tiffWriter) directory(next int, fields ...field) int {
	const room = 4
	var dir []byte
	for _, f := range fields {
		dir = w.order.AppendUint16(w.order.AppendUint16(dir, f.tag), f.kind)
		dir = append(dir, w.long(len(f.value)/int(typeWidth(f.kind)))...)
		value := f.value
		if len(value) > room {
			value = w.long(w.append(value))
		}
		dir = append(append(dir, value...), make([]byte, room-len(value))...)
	}
	count := w.order.AppendUint16(nil, uint16(len(fields)))
	return w.append(join(count, dir, w.long(next)))
}

// finish makes a directory the first one and returns the file.
func (w *tiffWriter) finish(first int) []byte {
	w.order.PutUint32(w.buf[4:], uint32(first))
	return w.buf
}

func (w *tiffWriter) exifDirectory(date, fraction, offset string) int {
	const ascii, offsetTag = 2, 36881
	fields := []field{{tagCaptured, ascii, []byte(date + "\x00")}}
	if offset != "" {
		fields = append(fields, field{offsetTag, ascii, []byte(offset + "\x00")})
	}
	if fraction != "" {
		fields = append(fields, field{tagCapturedSeconds, ascii, []byte(fraction + "\x00")})
	}
	return w.directory(0, fields...)
}

// exifBlock is what a camera writes: a main directory, the EXIF one, and a thumbnail if there is
// one.
func exifBlock(order byteOrder, date, fraction, offset string, thumbnail []byte) []byte {
	const long = 4
	w := newTIFFWriter(order)
	exif := w.exifDirectory(date, fraction, offset)
	var second int
	if thumbnail != nil {
		at := w.append(thumbnail)
		second = w.directory(0, field{tagJPEGOffset, long, w.long(at)}, field{tagJPEGLength, long, w.long(len(thumbnail))})
	}
	return w.finish(w.directory(second, field{271, 2, []byte("Camera\x00")},
		field{tagOrientation, 3, order.AppendUint16(nil, 6)}, field{tagEXIF, long, w.long(exif)}))
}

// handTIFF is a picture in two strips with EXIF and XMP. The strips lie before the directory that
// names them, or last in the file.
func handTIFF(order byteOrder, stripsLast bool) []byte {
	const strip = wide * high / 2
	build := func(at int) (*tiffWriter, int) {
		w := newTIFFWriter(order)
		if !stripsLast {
			at = w.append([]byte(noise(2 * strip)))
		}
		exif := w.exifDirectory("2026:03:04 10:20:30", "12", "")
		first := w.directory(0,
			field{256, 3, order.AppendUint16(nil, wide)},
			field{257, 3, order.AppendUint16(nil, high)},
			field{tagStripOffsets, 4, append(w.long(at), w.long(at+strip)...)},
			field{tagStripLengths, 4, append(w.long(strip), w.long(strip)...)},
			field{tagOrientation, 3, order.AppendUint16(nil, 6)},
			field{282, 5, append(w.long(300), w.long(1)...)},
			field{tagXMP, 1, []byte(sampleXMP)},
			field{tagEXIF, 4, w.long(exif)})
		return w, first
	}
	w, first := build(0)
	if stripsLast {
		w, first = build(len(w.buf))
		w.append([]byte(noise(2 * strip)))
	}
	return w.finish(first)
}
