package media_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"

	"golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"spinsync/apiclient/sandbox/media"
)

// photo is an image with detail in every place, so that scaling has something to lose.
func photo(width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.Set(x, y, color.NRGBA{R: uint8(255 * x / width), G: uint8(255 * y / height), B: uint8(x ^ y), A: 255})
		}
	}
	return img
}

func jpegBytes(t testing.TB, img image.Image) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := jpeg.Encode(&file, img, &jpeg.Options{Quality: 92}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// transformed decodes what Transform wrote.
func transformed(t *testing.T, source []byte, segments []string, output string) (img image.Image, format, contentType string) {
	t.Helper()
	var result bytes.Buffer
	contentType, err := media.Transform(&result, bytes.NewReader(source), segments, output)
	if err != nil {
		t.Fatal(err)
	}
	img, format, err = image.Decode(&result)
	if err != nil {
		t.Fatal(err)
	}
	return img, format, contentType
}

func TestThumbnailIsWebP320WideWithRatioKept(t *testing.T) {
	img, format, contentType := transformed(t, jpegBytes(t, photo(1600, 1200)), []string{"resize;w_320"}, "image.webp")
	if format != "webp" || contentType != "image/webp" {
		t.Errorf("format %s as %s, want webp as image/webp", format, contentType)
	}
	if got, want := img.Bounds().Size(), image.Pt(320, 240); got != want {
		t.Errorf("size %v, want %v", got, want)
	}
	red, green, _, _ := img.At(240, 60).RGBA()
	if red>>8 < 180 || red>>8 > 200 || green>>8 < 55 || green>>8 > 75 {
		t.Errorf("colour at ¾, ¼ is %d, %d, want about 191, 64", red>>8, green>>8)
	}
}

func TestSegmentsGiveTheSizeThatTheyName(t *testing.T) {
	for _, test := range []struct {
		source   image.Point
		segments string
		want     image.Point
	}{
		{image.Pt(160, 120), "", image.Pt(160, 120)},
		{image.Pt(160, 120), "resize;w_80", image.Pt(80, 60)},
		{image.Pt(160, 120), "resize;h_30", image.Pt(40, 30)},
		{image.Pt(160, 120), "resize;w_100,h_30", image.Pt(40, 30)},
		{image.Pt(160, 120), "resize;h_300,w_80", image.Pt(80, 60)},
		{image.Pt(160, 120), "resize;w_80 resize;w_40", image.Pt(40, 30)},
		{image.Pt(160, 120), "resize;w_320", image.Pt(320, 240)},
		{image.Pt(400, 3), "resize;w_2000000000", image.Pt(4096, 31)},
		{image.Pt(1, 3000), "resize;w_320", image.Pt(1, 4096)},
		{image.Pt(3000, 1), "resize;w_320", image.Pt(320, 1)},
	} {
		img, _, _ := transformed(t, jpegBytes(t, photo(test.source.X, test.source.Y)), strings.Fields(test.segments), "a.jpg")
		if got := img.Bounds().Size(); got != test.want {
			t.Errorf("%v with %q: size %v, want %v", test.source, test.segments, got, test.want)
		}
	}
}

func TestOutputNamePicksFormat(t *testing.T) {
	for output, want := range map[string][2]string{
		"image.webp": {"webp", "image/webp"},
		"shoe.JPG":   {"jpeg", "image/jpeg"},
		"shoe.jpeg":  {"jpeg", "image/jpeg"},
		"a.b.png":    {"png", "image/png"},
	} {
		_, format, contentType := transformed(t, jpegBytes(t, photo(20, 10)), nil, output)
		if got := [2]string{format, contentType}; got != want {
			t.Errorf("%s: %v, want %v", output, got, want)
		}
	}
}

func TestReadsEveryStillFormat(t *testing.T) {
	source := photo(60, 40)
	var asPNG, asTIFF, asWebP bytes.Buffer
	if err := png.Encode(&asPNG, source); err != nil {
		t.Fatal(err)
	}
	if err := tiff.Encode(&asTIFF, source, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := media.Transform(&asWebP, bytes.NewReader(asPNG.Bytes()), nil, "x.webp"); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{"PNG": asPNG.Bytes(), "TIFF": asTIFF.Bytes(), "WebP": asWebP.Bytes()} {
		img, _, _ := transformed(t, file, nil, "image.png")
		for _, at := range []image.Point{{0, 0}, {59, 39}, {17, 33}} {
			if got, want := color.NRGBAModel.Convert(img.At(at.X, at.Y)), source.At(at.X, at.Y); got != want {
				t.Errorf("%s at %v: %v, want %v", name, at, got, want)
			}
		}
	}
}

func TestTransparentPixelsAreWhiteInJPEG(t *testing.T) {
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewNRGBA(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	img, _, _ := transformed(t, file.Bytes(), nil, "image.jpg")
	if grey := color.GrayModel.Convert(img.At(4, 4)).(color.Gray); grey.Y < 250 {
		t.Errorf("grey %d, want white", grey.Y)
	}
}

func TestUnknownTransformationsAreRequestErrors(t *testing.T) {
	source := jpegBytes(t, photo(8, 8))
	for _, test := range []struct{ segment, output string }{
		{"crop;w_10", "a.webp"},
		{"resize", "a.webp"},
		{"resize;", "a.webp"},
		{"resize;w_", "a.webp"},
		{"resize;w_0", "a.webp"},
		{"resize;w_-1", "a.webp"},
		{"resize;w_1e3", "a.webp"},
		{"resize;w_99999999999999999999", "a.webp"},
		{"resize;q_80", "a.webp"},
		{"resize;w_1,w_2", "a.webp"},
		{"resize;w_10", "a.gif"},
		{"resize;w_10", "webp"},
	} {
		var result bytes.Buffer
		_, err := media.Transform(&result, bytes.NewReader(source), []string{test.segment}, test.output)
		if !errors.Is(err, media.ErrRequest) || result.Len() != 0 {
			t.Errorf("%s/%s: error %v and %d bytes, want ErrRequest and none", test.segment, test.output, err, result.Len())
		}
	}
}

func TestWhatIsNoImageIsAnImageError(t *testing.T) {
	whole := jpegBytes(t, photo(64, 64))
	for name, source := range map[string][]byte{
		"nothing":  nil,
		"text":     []byte("alt text of a frame"),
		"cut JPEG": whole[:len(whole)/2],
		"bomb":     pngAnnouncing(t, 60_000, 60_000),
	} {
		var result bytes.Buffer
		_, err := media.Transform(&result, bytes.NewReader(source), []string{"resize;w_320"}, "image.webp")
		if !errors.Is(err, media.ErrImage) || result.Len() != 0 {
			t.Errorf("%s: error %v and %d bytes, want ErrImage and none", name, err, result.Len())
		}
	}
}

func TestASourceNeedNotSeek(t *testing.T) {
	source := struct{ io.Reader }{bytes.NewReader(jpegBytes(t, photo(64, 48)))}
	var result bytes.Buffer
	if _, err := media.Transform(&result, source, []string{"resize;w_32"}, "image.webp"); err != nil {
		t.Fatal(err)
	}
}

// pngAnnouncing returns a small file whose header claims a large image.
func pngAnnouncing(t *testing.T, width, height uint32) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := png.Encode(&file, photo(1, 1)); err != nil {
		t.Fatal(err)
	}
	const header = 12 // the type and content of IHDR, 17 bytes, then their checksum
	data := file.Bytes()
	binary.BigEndian.PutUint32(data[header+4:], width)
	binary.BigEndian.PutUint32(data[header+8:], height)
	binary.BigEndian.PutUint32(data[header+17:], crc32.ChecksumIEEE(data[header:header+17]))
	return data
}

func BenchmarkThumbnail(b *testing.B) {
	source := jpegBytes(b, photo(1600, 1200))
	for b.Loop() {
		if _, err := media.Transform(io.Discard, bytes.NewReader(source), []string{"resize;w_320"}, "image.webp"); err != nil {
			b.Fatal(err)
		}
	}
}
