package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// inspect judges a file as it is judged on its way to the service: by a glance, and by a proof of
// all its bytes.
func inspect(data []byte, name string) (Info, error) {
	info, err := glance(data, name)
	if err != nil {
		return Info{}, err
	}
	p := NewProof(info.ContentType)
	p.Write(data)
	return info, p.Verdict(name)
}

func glance(data []byte, name string) (Info, error) {
	return Glance(bytes.NewReader(data), int64(len(data)), name)
}

// wantBroken fails unless the file is judged not whole, for a reason that holds the given words.
func wantBroken(t *testing.T, data []byte, name, reason string) {
	t.Helper()
	_, err := inspect(data, name)
	b, ok := errors.AsType[*BrokenError](err)
	if !ok {
		t.Fatalf("%s: got %v, want a BrokenError", name, err)
	}
	if b.Name != name || !strings.Contains(b.Reason, reason) {
		t.Errorf("%s: got %v, want %q in it", name, err, reason)
	}
}

func TestWholeFiles(t *testing.T) {
	for name, s := range samples(t) {
		got, err := inspect(s.data, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(s.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestEveryCutIsBroken cuts each file at a thousand places, small ones at all.
func TestEveryCutIsBroken(t *testing.T) {
	for name, s := range samples(t) {
		for cut := 0; cut < len(s.data); cut += 1 + len(s.data)/1000 {
			if _, err := inspect(s.data[:cut], name); !isBroken(err) {
				t.Fatalf("%s: %d of %d bytes: got %v, want a BrokenError", name, cut, len(s.data), err)
			}
		}
	}
}

// TestLengthIsSetFirst: a copy that sets the length of a file first and is not done has zeros for
// an end. It is not whole, or hollow where the format allows that end.
func TestLengthIsSetFirst(t *testing.T) {
	all := samples(t)
	for name, files := range map[string]struct {
		data  []byte
		spare int // bytes at the end that may be missing
	}{
		"deflate.tif":     {all["deflate.tif"].data, 4 * noEnd},
		"first.tif":       {all["first.tif"].data, 4 * noEnd},
		"big.tif":         {all["big.tif"].data, 4 * noEnd},
		"last.tif":        {all["last.tif"].data, 4 * noEnd},
		"lossless.webp":   {all["lossless.webp"].data, 4 * noEnd},
		"lossy.webp":      {all["lossy.webp"].data, 4 * noEnd},
		"extended.webp":   {all["extended.webp"].data, 4 * noEnd},
		"table-first.mp4": {join(box("ftyp", "mp42\x00\x00\x00\x00isom"), box("moov", noise(90)), box("mdat", noise(5000))), 4 * noEnd},
		"table-last.mp4":  {join(box("ftyp", "mp42\x00\x00\x00\x00isom"), box("mdat", noise(5000)), box("moov", noise(90))), 90},
	} {
		for written := 16; written < len(files.data)-files.spare; written += 7 {
			data := append(bytes.Clone(files.data[:written]), make([]byte, len(files.data)-written)...)
			if info, err := inspect(data, name); !isBroken(err) && !info.Hollow {
				t.Errorf("%s: %d of %d bytes are written: %v", name, written, len(data), err)
				break
			}
		}
	}
	unwritten := bytes.Clone(all["deflate.tif"].data)
	directory := binary.LittleEndian.Uint32(unwritten[4:]) // it lies behind the picture
	clear(unwritten[directory-4*noEnd : directory])
	if _, err := inspect(unwritten, "unwritten.tif"); !isBroken(err) {
		t.Errorf("a compressed picture that ends in zeros: %v", err)
	}
	black := handTIFF(binary.BigEndian, true)
	clear(black[len(black)-4*noEnd:])
	if info, err := inspect(black, "black.tif"); err != nil || !info.Hollow {
		t.Errorf("a picture whose last rows are black: %v, hollow %v", err, info.Hollow)
	}
}

func isBroken(err error) bool {
	_, ok := errors.AsType[*BrokenError](err)
	return ok
}

func TestBytesAfterTheEndAreNormal(t *testing.T) {
	tails := map[string][]byte{
		"zeros":     make([]byte, 3000),
		"one byte":  {0xFF},
		"preview":   pictureJPEG(t),
		"noise":     []byte("\x00\x00\x00\x03" + noise(5000)),
		"end again": {0xFF, markerEOI},
	}
	for name, s := range samples(t) {
		for kind, tail := range tails {
			got, err := inspect(join(s.data, tail), name)
			got.Hollow = s.want.Hollow
			if err != nil {
				t.Errorf("%s with %s behind it: %v", name, kind, err)
			} else if diff := cmp.Diff(s.want, got); diff != "" {
				t.Errorf("%s with %s behind it (-want +got):\n%s", name, kind, diff)
			}
		}
	}
}

func TestMetaAgreesWithGlance(t *testing.T) {
	for name, s := range samples(t) {
		info, err := Meta(bytes.NewReader(s.data), int64(len(s.data)))
		info.ContentType, info.Hollow = s.want.ContentType, s.want.Hollow // which may come from the name and the end
		if diff := cmp.Diff(s.want, info); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestMetaReadsOnlyTheHeader(t *testing.T) {
	photo := samples(t)["exif.jpg"].data
	photo = insert(photo, len(photo)-2, []byte(strings.Repeat("scan", 1<<20)))
	r := &counter{r: bytes.NewReader(photo)}
	if info, err := Meta(r, int64(len(photo))); err != nil || info.XMP == nil || info.Orientation == 0 {
		t.Fatalf("got %+v, %v", info, err)
	}
	if r.read > 2*firstRead {
		t.Errorf("read %d bytes of a header of some 2000", r.read)
	}
}

// counter counts the bytes that were read.
type counter struct {
	r    io.ReaderAt
	read int64
}

func (c *counter) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.r.ReadAt(p, off)
	c.read += int64(n)
	return n, err
}

func TestKindIsJudgedByContent(t *testing.T) {
	got, err := inspect(picturePNG(t), "shoe.jpg")
	if err != nil || got.ContentType != "image/png" {
		t.Errorf("a PNG named .jpg: got %+v, %v", got, err)
	}
	got, err = inspect([]byte("BM whatever follows"), "shoe.BMP")
	if err != nil || got.ContentType != "image/bmp" {
		t.Errorf("a kind without a rule: got %+v, %v", got, err)
	}
	got, err = inspect([]byte("\x1a\x45\xdf\xa3"), "turn.mkv")
	if err != nil || !strings.HasPrefix(got.ContentType, "video/") {
		t.Errorf("a video without a rule: got %+v, %v", got, err)
	}
	wantBroken(t, nil, "none.jpg", "empty")
	wantBroken(t, nil, "none.bmp", "empty")
	wantBroken(t, make([]byte, 4096), "reserved.jpg", "its content is no JPEG file")
	wantBroken(t, []byte("<html>please log in</html>"), "portal.png", "its content is no PNG file")
}

func TestDamageInside(t *testing.T) {
	pngData, tif := picturePNG(t), pictureTIFF(t)
	holed := bytes.Clone(pngData)
	clear(holed[len(holed)/2 : len(holed)/2+32])
	cutPhoto := samples(t)["exif.jpg"].data
	cutPhoto = cutPhoto[:len(cutPhoto)-200]
	tests := []struct {
		name   string
		data   []byte
		reason string
	}{
		{"hole.png", holed, "checksum"},
		{"nothing.png", join(pngData[:33], pngData[len(pngData)-12:]), "no picture"},
		{"thumbnail.jpg", cutPhoto, "the file is cut off"},
		{"preview.jpg", join(cutPhoto, pictureJPEG(t)), "a second picture"},
		{"nothing.jpg", []byte{0xFF, 0xD8, 0xFF, 0xD9}, "no picture"},
		{"lengthless.jpg", []byte{0xFF, 0xD8, 0xFF, 0xE0, 0, 1}, "no length"},
		{"nothing.webp", riff(webpChunk("XMP ", sampleXMP)), "no picture"},
		{"outgrown.webp", riff([]byte("VP8 \xff\xff\xff\xff")), "longer than the file"},
		{"nothing.tif", tiffWithoutPicture(), "no picture"},
		{"reserved.tif", join(tif[:8], make([]byte, len(tif)-8)), "no sensible length"},
		{"recording.mp4", join(box("ftyp", "isom\x00\x00\x02\x00"), box("mdat", noise(99)), make([]byte, 512)), "its table of contents"},
		{"reserved.mp4", join(box("ftyp", "isom\x00\x00\x02\x00"), box("moov", noise(99)), make([]byte, 512)), "no picture in it"},
		{"growing.mp4", join(box("ftyp", "isom\x00\x00\x02\x00"), []byte("\x00\x00\x00\x00mdat"+noise(99))), "its table of contents"},
	}
	for _, test := range tests {
		wantBroken(t, test.data, test.name, test.reason)
	}
}

func tiffWithoutPicture() []byte {
	w := newTIFFWriter(binary.LittleEndian)
	return w.finish(w.directory(0, field{256, 3, []byte{1, 0}}))
}

func TestDamagedEXIFIsNoDamage(t *testing.T) {
	block := exifBlock(binary.BigEndian, "2026:03:04 10:20:30", "12", "", nil)
	plain := pictureJPEG(t)
	for cut := range block {
		photo := insert(plain, 2, jpegSegment(markerAPP1, exifPrefix, block[:cut]))
		if _, err := inspect(photo, "shoe.jpg"); err != nil {
			t.Errorf("EXIF cut at %d: %v", cut, err)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		wrong := bytes.Clone(block)
		wrong[rng.IntN(len(wrong))] = byte(rng.Uint32())
		photo := insert(plain, 2, jpegSegment(markerAPP1, exifPrefix, wrong))
		if _, err := inspect(photo, "shoe.jpg"); err != nil {
			t.Errorf("EXIF % x: %v", wrong, err)
		}
	}
}

// The fraction of a second orders the frames of a burst. An offset from UTC is left out: where only some
// photos of a set have one, they would come hours before or after the others.
func TestCaptured(t *testing.T) {
	at := func(nanos int) time.Time { return time.Date(2026, 3, 4, 10, 20, 30, nanos, time.UTC) }
	tests := []struct {
		date, fraction, offset string
		want                   time.Time
	}{
		{"2026:03:04 10:20:30", "", "", at(0)},
		{"2026:03:04 10:20:30", "5", "", at(500_000_000)},
		{"2026:03:04 10:20:30", "012", "", at(12_000_000)},
		{"2026:03:04 10:20:30", "1234567891", "", at(123_456_789)},
		{"2026:03:04 10:20:30", "5", "+02:00", at(500_000_000)},
		{"2026:03:04 10:20:30", "", "-05:00", at(0)},
		{"2026:03:04 10:20:30", "5ms", "", at(0)},
		{"2026:03:04 10:20:30", "-", "+02:00", at(0)},
		{"2026:03:04", "5", "", time.Time{}},
		{"0000:00:00 00:00:00", "", "", time.Time{}},
		{"    :  :     :  :  ", "", "", time.Time{}},
		{"", "", "", time.Time{}},
		{"0000:01:01 00:00:00", "", "+02:00", time.Time{}},
	}
	for _, order := range []byteOrder{binary.BigEndian, binary.LittleEndian} {
		for _, test := range tests {
			got := exifIn(exifBlock(order, test.date, test.fraction, test.offset, nil)).captured
			if !got.Equal(test.want) {
				t.Errorf("%q %q %q: got %v, want %v", test.date, test.fraction, test.offset, got, test.want)
			}
		}
	}
}

func TestLongPacketIsCut(t *testing.T) {
	packet := strings.Repeat("x", maxMeta+77)
	data := insert(picturePNG(t), 33, pngChunk("iTXt", "XML:com.adobe.xmp\x00\x00\x00\x00\x00"+packet))
	got, err := inspect(data, "shoe.png")
	if err != nil || len(got.XMP) == 0 || len(got.XMP) > maxMeta {
		t.Errorf("got a packet of %d bytes, %v", len(got.XMP), err)
	}
}

func TestFragmentsAreWalked(t *testing.T) {
	whole := join(box("ftyp", "iso5\x00\x00\x00\x00"), box("moov", noise(50)), box("moof", noise(20)), box("mdat", noise(200)))
	if _, err := inspect(whole, "turn.mp4"); err != nil {
		t.Error(err)
	}
	wantBroken(t, join(whole, box("moof", noise(20))[:15]), "turn.mp4", "moof box is longer")
}

// TestNoDirectoryFollowsMetadata: what some writers leave behind the EXIF or GPS directory of a TIFF is no
// address. Directories of pictures below another follow one another.
func TestNoDirectoryFollowsMetadata(t *testing.T) {
	const nowhere = math.MaxInt32
	for tag, whole := range map[uint16]bool{tagEXIF: true, tagGPS: true, tagInterop: true, tagSubDirectories: false} {
		w := newTIFFWriter(binary.LittleEndian)
		below := w.directory(nowhere, field{256, 3, []byte{1, 0}})
		file := w.finish(w.directory(0,
			field{tagStripOffsets, 4, w.long(8)}, field{tagStripLengths, 4, w.long(2)}, field{tag, 4, w.long(below)}))
		if _, err := inspect(file, "shoe.tif"); isBroken(err) == whole {
			t.Errorf("below tag %d: %v", tag, err)
		}
	}
}

func TestHostileTIFF(t *testing.T) {
	loop := newTIFFWriter(binary.LittleEndian)
	loop.directory(8, field{tagStripOffsets, 4, loop.long(8)}, field{tagStripLengths, 4, loop.long(2)}, field{tagSubDirectories, 4, loop.long(8)})
	if _, err := inspect(loop.finish(8), "loop.tif"); err != nil {
		t.Errorf("a loop of directories: %v", err)
	}

	large := newTIFFWriter(binary.BigEndian)
	large.append(binary.BigEndian.AppendUint16(nil, math.MaxUint16))
	wantBroken(t, large.finish(8), "large.tif", "no sensible length")
	wantBroken(t, large.finish(math.MaxUint32), "far.tif", "too early")

	// The length of the strip is the last number before the address of the next directory.
	negative := bigTIFF(binary.LittleEndian)
	binary.LittleEndian.PutUint64(negative[len(negative)-wide*high-16:], 1<<63)
	if _, err := inspect(negative, "negative.tif"); !isBroken(err) {
		t.Errorf("a strip that is longer than any file: %v", err)
	}

	// 2000 directories that all name the same table of 100,000 strips.
	shared := newTIFFWriter(binary.LittleEndian)
	table := bytes.Repeat(shared.long(8), 100_000)
	at := shared.append(table)
	next := 0
	for range 2000 {
		next = shared.directory(next, field{tagStripOffsets, 4, shared.long(0)})
		shared.order.PutUint32(shared.buf[next+6:], 100_000)
		shared.order.PutUint32(shared.buf[next+10:], uint32(at))
	}
	r := &counter{r: bytes.NewReader(shared.finish(next))}
	if _, err := Glance(r, int64(len(shared.buf)), "shared.tif"); !isBroken(err) {
		t.Errorf("a table shared by 2000 directories: %v", err)
	}
	if limit := int64(3*len(shared.buf) + firstRead); r.read > limit {
		t.Errorf("read %d bytes of a file of %d", r.read, len(shared.buf))
	}
}

// failing reads well up to a limit.
type failing struct {
	io.ReaderAt
	limit int64
	err   error
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.limit {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(p, off)
}

func TestReadErrorsAreNotDamage(t *testing.T) {
	dead := errors.New("input/output error")
	photo := insert(pictureJPEG(t), 600, []byte(strings.Repeat("scan", 1<<16)))
	for _, limit := range []int64{0, firstRead, 3 * firstRead} {
		r := failing{bytes.NewReader(photo), limit, dead}
		_, err := Glance(r, int64(len(photo)), "shoe.jpg")
		if !errors.Is(err, dead) || isBroken(err) {
			t.Errorf("a drive that fails after %d bytes: %v", limit, err)
		}
	}
	cut := photo[:len(photo)-2] // so that all of it is read
	_, err := Glance(failing{bytes.NewReader(cut), 3 * firstRead, dead}, int64(len(cut)), "shoe.jpg")
	if !errors.Is(err, dead) || isBroken(err) {
		t.Errorf("a drive that fails in the middle of the picture data: %v", err)
	}
	if _, err := Meta(failing{bytes.NewReader(photo), 0, dead}, int64(len(photo))); !errors.Is(err, dead) {
		t.Errorf("Meta on a drive that fails: %v", err)
	}
}

func TestFileThatShrinksIsBroken(t *testing.T) {
	photo := pictureJPEG(t)
	_, err := Glance(bytes.NewReader(photo[:len(photo)/2]), int64(len(photo)), "shoe.jpg")
	if !isBroken(err) {
		t.Errorf("got %v, want a BrokenError", err)
	}
}

func TestContentType(t *testing.T) {
	tests := map[string]string{
		"frame_01.JPG": "image/jpeg", "a.b.png": "image/png", "turn.MOV": "video/quicktime",
		"x.tif": "image/tiff", "x": "application/octet-stream", "": "application/octet-stream", ".jpg": "image/jpeg",
	}
	for name, want := range tests {
		if got := ContentType(name); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}

// FuzzGlance feeds files that were never written by a camera: no panic, no more reading than a
// small multiple of the file, and the quick check agrees with the thorough one.
func FuzzGlance(f *testing.F) {
	for name, s := range samples(f) {
		f.Add(s.data, name)
	}
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		r := &counter{r: bytes.NewReader(data)}
		info, err := Glance(r, int64(len(data)), name)
		if err != nil && !isBroken(err) {
			t.Fatalf("not a reading error: %v", err)
		}
		if limit := int64(3*len(data) + firstRead); r.read > limit {
			t.Fatalf("read %d bytes of a file of %d", r.read, len(data))
		}
		if bytes.HasPrefix(data, []byte{0xFF, 0xD8, 0xFF}) {
			fuzzJPEG(t, data, err)
		}
		quick, quickErr := Meta(bytes.NewReader(data), int64(len(data)))
		if quickErr != nil {
			t.Fatal(quickErr)
		}
		quick.ContentType, quick.Hollow = info.ContentType, info.Hollow
		if diff := cmp.Diff(info, quick); err == nil && diff != "" {
			t.Fatalf("Glance and Meta differ:\n%s", diff)
		}
	})
}

// fuzzJPEG holds a glance against a proof. With a byte behind its end, all of a file is read for a
// glance.
func fuzzJPEG(t *testing.T, data []byte, glanceErr error) {
	if glanceErr != nil && provenWhole(data, 5) {
		t.Fatalf("a glance finds damage in a whole file: %v", glanceErr)
	}
	longer := append(bytes.Clone(data), 1)
	if whole := provenWhole(longer, 5); glanced(longer) != whole {
		t.Fatalf("with a byte behind it a Proof says whole = %v, and a Glance the opposite", whole)
	}
}

// provenWhole lets a file pass by a Proof in pieces of n bytes.
func provenWhole(data []byte, n int) bool {
	p := NewProof("image/jpeg")
	for piece := range slices.Chunk(data, n) {
		p.Write(piece)
	}
	return p.Verdict("shoe.jpg") == nil
}

func glanced(data []byte) bool {
	_, err := glance(data, "shoe.jpg")
	return err == nil
}

func TestProofAgreesWithGlance(t *testing.T) {
	for name, s := range samples(t) {
		if !bytes.HasPrefix(s.data, []byte{0xFF, 0xD8, 0xFF}) {
			continue
		}
		for end := 3; end <= len(s.data); end++ {
			cut := s.data[:end]
			want := glanced(cut)
			if provenWhole(cut, 1) != want || provenWhole(cut, 7) != want || provenWhole(cut, end) != want {
				t.Fatalf("%s, its first %d bytes: a Glance says whole = %v, and a Proof the opposite", name, end, want)
			}
		}
	}
	if provenWhole([]byte("GIF89a"), 6) {
		t.Error("what is no JPEG is proven to be one")
	}
	if err := NewProof("image/png").Verdict("shoe.png"); err != nil {
		t.Errorf("of a PNG a Glance leaves nothing open: %v", err)
	}
}

// TestProofOfMarkers: scans, comments between them, and segments without a length.
func TestProofOfMarkers(t *testing.T) {
	for data, whole := range map[string]bool{
		"\xff\xd8\xff\xda\x00\x02a\xff\xd9":                          true,
		"\xff\xd8\xff\xda\x00\x02a\xff\xda\x00\x02b\xff\xd9":         true,  // a second scan
		"\xff\xd8\xff\xda\x00\x02a\xff\xfe\x00\x04xxb\xff\xd9":       true,  // a comment behind the first
		"\xff\xd8\xff\xe0\x00\x03x\xff\xda\x00\x02a\xff\xd9":         true,  // the shortest segment with content
		"\xff\xd8\xff\xe0\x00\x00\xff\xda\x00\x02a\xff\xd9":          false, // a segment shorter than its own length
		"\xff\xd8\xff\xe0\x00\x01\xff\xda\x00\x02a\xff\xd9":          false,
		"\xff\xd8\xff\xda\x00\x02a\xff\xd8\xff\xda\x00\x02b\xff\xd9": false, // another picture
		"\xff\xd8\xff\xd9": false, // none
	} {
		for _, piece := range []int{1, len(data)} {
			if got := provenWhole([]byte(data), piece); got != whole {
				t.Errorf("%q in pieces of %d: whole = %v", data, piece, got)
			}
		}
	}
}

func TestGlanceLeavesPictureDataToTheProof(t *testing.T) {
	whole := samples(t)["exif.jpg"].data
	torn := join(whole[:len(whole)-200], pictureJPEG(t))
	if !glanced(torn) || provenWhole(torn, 64) {
		t.Errorf("a torn picture that ends well: the glance lets it pass = %v, the proof = %v", glanced(torn), provenWhole(torn, 64))
	}
	padded := append(bytes.Clone(whole), make([]byte, 300)...)
	if !glanced(padded) || !provenWhole(padded, 64) {
		t.Error("padding behind the end marker is taken for damage")
	}
	long := insert(pictureJPEG(t), 600, []byte(strings.Repeat("scan", 1<<16)))
	r := &counter{r: bytes.NewReader(long)}
	if _, err := Glance(r, int64(len(long)), "shoe.jpg"); err != nil || r.read > 2*firstRead {
		t.Errorf("%d of %d bytes read for a glance, %v", r.read, len(long), err)
	}
}

// FuzzEXIF feeds blocks that a JPEG may carry.
func FuzzEXIF(f *testing.F) {
	f.Add(exifBlock(binary.BigEndian, "2026:03:04 10:20:30", "12", "+02:00", []byte("thumbnail")))
	f.Add(exifBlock(binary.LittleEndian, "2026:03:04 10:20:30", "", "", nil))
	f.Add(shotBlock(binary.LittleEndian))
	f.Fuzz(func(t *testing.T, block []byte) {
		found := exifIn(block)
		if !found.captured.IsZero() && (found.captured.Year() < 1 || found.captured.Year() > 9999) {
			t.Fatalf("captured in the year %d", found.captured.Year())
		}
		if found.orientation > 8 {
			t.Fatalf("orientation %d", found.orientation)
		}
		if at := found.thumbnail; at.Offset < 0 || at.Length < 0 || at.Offset+at.Length > int64(len(block)) {
			t.Fatalf("a thumbnail at %+v of %d bytes", at, len(block))
		}
		if shot := found.shot; !(shot.Exposure >= 0 && shot.Aperture >= 0 && shot.ISO >= 0) {
			t.Fatalf("taken with %+v", shot)
		}
	})
}

func BenchmarkProof(b *testing.B) {
	scan := []byte(noise(4 << 20))
	for i := range scan[1:] {
		if scan[i] == 0xFF {
			scan[i+1] = 0
		}
	}
	photo := samples(b)["exif.jpg"].data
	photo = insert(photo, len(photo)-2, append(scan, 0))
	b.SetBytes(int64(len(photo)))
	for b.Loop() {
		if _, err := inspect(photo, "shoe.jpg"); err != nil {
			b.Fatal(err)
		}
	}
}

// TestMarkersOfAScan: stuffed bytes, restart markers and fill bytes end no scan. An FF at the end waits
// for the byte that follows.
func TestMarkersOfAScan(t *testing.T) {
	for text, want := range map[string]struct {
		marker byte
		n      int
	}{
		"\x01\xff\x00\xff\xd3\xff\xff\xd9\x02": {markerEOI, 8},
		"\x01\xff\x00\x02":                     {0, 4},
		"\x01\xff":                             {0, 1},
		"\xff\xff":                             {0, 1},
	} {
		if marker, n := findMarker([]byte(text)); marker != want.marker || n != want.n {
			t.Errorf("in %x: marker %x after %d bytes, want %x after %d", text, marker, n, want.marker, want.n)
		}
	}
}
