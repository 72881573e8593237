package inspect

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"runtime"
	"testing"

	"spinsync/daemon/inspect/inspecttest"
	"spinsync/watcher/frame"
)

// small observes a file as the command does.
func smallOf(file []byte, decode bool) (*image.YCbCr, frame.Info) {
	in := bytes.NewReader(file)
	info, err := frame.Meta(in, in.Size())
	if err != nil {
		panic(err) // a buffer is read to its end
	}
	return Small(in, in.Size(), info, decode), info
}

func encoded(img image.Image) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}

// field is a picture of one grey, with a dark stripe in the middle.
func field(width, high int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, width, high))
	for i := range img.Pix {
		img.Pix[i] = 200
		if x := i % width; 2*x > width-width/4 && 2*x < width+width/4 {
			img.Pix[i] = 60
		}
	}
	return img
}

// withThumbnail is a photo of that size whose EXIF holds a thumbnail.
func withThumbnail(photo image.Image, thumbnail []byte) []byte {
	block := append([]byte("Exif\x00\x00"), inspecttest.EXIF{Thumbnail: thumbnail}.Block()...)
	file := encoded(photo)
	head := []byte{0xFF, 0xD8, 0xFF, 0xE1, byte((len(block) + 2) >> 8), byte(len(block) + 2)}
	return append(append(head, block...), file[2:]...)
}

// barred puts bars of a brightness above and below a picture.
func barred(inner *image.Gray, bar int, brightness uint8) *image.Gray {
	size := inner.Rect.Max
	img := image.NewGray(image.Rect(0, 0, size.X, size.Y+2*bar))
	for i := range img.Pix {
		img.Pix[i] = brightness
	}
	copy(img.Pix[bar*size.X:], inner.Pix)
	return img
}

// TestThumbnailFirst: a thumbnail of the photo's shape stands for the photo, without its bars. Any other one
// does not, and the photo is decoded only where that is wanted.
func TestThumbnailFirst(t *testing.T) {
	photo := field(600, 400)
	for _, test := range []struct {
		name      string
		thumbnail []byte
		taken     bool
	}{
		{"of the photo's shape", encoded(field(159, 106)), true},
		{"with bars", encoded(barred(field(160, 106), 7, 0)), true},
		{"with bright bars, of another photo", encoded(barred(field(160, 106), 7, 200)), false},
		{"upright", encoded(field(80, 120)), false},
		{"broken", encoded(field(159, 106))[:200], false},
		{"of nothing", []byte("thumbnail"), false},
		{"of 65,535 pixels", huge(), false},
	} {
		file := withThumbnail(photo, test.thumbnail)
		without, _ := smallOf(file, false)
		if (without != nil) != test.taken {
			t.Errorf("a thumbnail %s: taken %v", test.name, without != nil)
		}
		whole, _ := smallOf(file, true)
		if whole == nil {
			t.Errorf("a thumbnail %s: the photo is not decoded", test.name)
			continue
		}
		got := Measure(whole)
		if d := got.pixels.distance(&Measure(shrunk(photo, photo.Rect)).pixels); d > 12 { // bars that stay make 70
			t.Errorf("a thumbnail %s: the picture differs from the photo by %.1f", test.name, d)
		}
		if got.border < 195 || got.border > 205 {
			t.Errorf("a thumbnail %s: the ground is %.0f, want 200", test.name, got.border)
		}
	}
}

// huge is a JPEG that says that it has 65,535 × 65,535 pixels.
func huge() []byte {
	file := encoded(field(16, 16))
	size := bytes.Index(file, []byte{0xFF, 0xC0}) + 5
	copy(file[size:], "\xff\xff\xff\xff")
	return file
}

// TestPicturesOfEveryKind: colour, grey, with alpha. What cannot be decoded, or takes too much memory, has no
// picture.
func TestPicturesOfEveryKind(t *testing.T) {
	coloured := image.NewRGBA(image.Rect(0, 0, 300, 200))
	for i := range 300 * 200 {
		coloured.Set(i%300, i/300, color.RGBA{200, 100, 50, 255})
	}
	var lossless bytes.Buffer
	if err := png.Encode(&lossless, coloured); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{"a JPEG": encoded(coloured), "a PNG": lossless.Bytes()} {
		got, _ := smallOf(file, true)
		if got == nil || got.Rect.Max != image.Pt(160, 106) {
			t.Errorf("%s: %v", name, got)
		} else if y := got.Y[len(got.Y)/2]; y < 120 || y > 128 || got.Cr[0] < 170 {
			t.Errorf("%s: brightness %d, Cr %d", name, y, got.Cr[0])
		}
	}
	for name, file := range map[string][]byte{"nothing": nil, "a text": []byte("<html>"), "a huge one": huge(), "half a JPEG": encoded(coloured)[:700]} {
		if got, _ := smallOf(file, true); got != nil {
			t.Errorf("%s has a picture of %v", name, got.Rect)
		}
	}
}

// TestMemory: with a thumbnail a frame takes at most 2 MB. A photo of 24 megapixels without one takes at most
// 60 MB, and is decoded.
func TestMemory(t *testing.T) {
	cost := func(file []byte) uint64 {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		small, info := smallOf(file, true)
		runtime.ReadMemStats(&after)
		if small == nil {
			t.Fatalf("%d × %d: no picture", info.Width, info.Height)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if got := cost(withThumbnail(field(600, 400), encoded(field(159, 106)))); got > 2<<20 {
		t.Errorf("with a thumbnail: %d bytes", got)
	}
	large := encoded(image.NewYCbCr(image.Rect(0, 0, 6000, 4000), image.YCbCrSubsampleRatio420))
	if got := cost(large); got > 60_000_000 {
		t.Errorf("a photo of 24 megapixels: %d bytes", got)
	}
}

// FuzzSmall feeds files that a studio may have: nothing crashes, and what comes out is small.
func FuzzSmall(f *testing.F) {
	f.Add(withThumbnail(field(60, 40), encoded(barred(field(160, 106), 7, 0))))
	f.Add(withThumbnail(field(60, 40), huge()))
	f.Add(encoded(field(1, 300)))
	f.Fuzz(func(t *testing.T, file []byte) {
		got, info := smallOf(file, true)
		if got == nil {
			return
		}
		if got.Rect.Dx() > small || got.Rect.Dy() > small || got.Rect.Empty() {
			t.Fatalf("%v of %d × %d", got.Rect, info.Width, info.Height)
		}
		p := Measure(got)
		if !(p.border >= 0 && p.border <= 255 && p.sharpness >= 0) {
			t.Fatalf("border %v, sharpness %v", p.border, p.sharpness)
		}
	})
}

func BenchmarkThumbnail(b *testing.B) {
	file := withThumbnail(field(600, 400), encoded(barred(field(160, 106), 7, 0)))
	for b.Loop() {
		picture, _ := smallOf(file, false)
		Measure(picture)
	}
}

func BenchmarkWholePhoto(b *testing.B) {
	noise := image.NewYCbCr(image.Rect(0, 0, 6000, 4000), image.YCbCrSubsampleRatio420)
	for i := range noise.Y {
		noise.Y[i] = uint8(i * i >> 7)
	}
	file := encoded(noise)
	for b.Loop() {
		picture, _ := smallOf(file, true)
		Measure(picture)
	}
}
