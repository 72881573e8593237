package turntable_test

import (
	"bytes"
	"encoding/xml"
	"image"
	"image/jpeg"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bep/imagemeta"
	"github.com/google/go-cmp/cmp"

	"spinsync/cmd/spinsync/turntable"
)

var small = turntable.Shoot{Frames: 6, Width: 96, Height: 72}

// difference is the mean distance of two frames' bytes.
func difference(a, b image.Image) float64 {
	first, second := a.(*image.RGBA).Pix, b.(*image.RGBA).Pix
	sum := 0
	for i := range first {
		sum += max(int(first[i]), int(second[i])) - min(int(first[i]), int(second[i]))
	}
	return float64(sum) / float64(len(first))
}

func TestFramesTurnOnceAround(t *testing.T) {
	var frames []image.Image
	for i := range small.Frames {
		frames = append(frames, small.Frame(i))
	}
	if difference(frames[0], small.Frame(small.Frames)) != 0 {
		t.Error("the frame after the last is not the first")
	}
	closing := difference(frames[len(frames)-1], frames[0])
	largest := 0.0
	for i := range frames[1:] {
		step := difference(frames[i], frames[i+1])
		if step < 2 {
			t.Errorf("frames %d and %d differ by %.2f only", i, i+1, step)
		}
		largest = max(largest, step)
	}
	if closing < 2 || closing > 1.2*largest {
		t.Errorf("the last frame differs from the first by %.2f, others by at most %.2f from the next", closing, largest)
	}
}

func TestVariantIsTheSameObjectInAnotherGlaze(t *testing.T) {
	other := small
	other.Variant = 1
	first, second := small.Frame(1), other.Frame(1)
	if between := difference(first, second); between < 2 {
		t.Errorf("variants differ by %.2f only", between)
	}
	for _, corner := range []image.Point{{0, 0}, {95, 0}, {0, 71}} {
		if a, b := first.At(corner.X, corner.Y), second.At(corner.X, corner.Y); a != b {
			t.Errorf("the background at %v is %v and %v", corner, a, b)
		}
	}
}

func TestEverySizeIsDrawn(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {65, 131}} {
		shoot := turntable.Shoot{Frames: 1, Width: size.X, Height: size.Y}
		if got := shoot.Frame(0).Bounds().Size(); got != size {
			t.Errorf("size %v, want %v", got, size)
		}
	}
}

func written(t *testing.T, i int, captured time.Time) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := small.WriteFrame(&file, i, captured); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

var captured = time.Date(2027, 3, 4, 5, 6, 7, 489_000_000, time.FixedZone("", 2*60*60))

func TestFrameIsJPEGWithEXIF(t *testing.T) {
	file := written(t, 1, captured)
	config, err := jpeg.DecodeConfig(bytes.NewReader(file))
	if err != nil || config.Width != small.Width || config.Height != small.Height {
		t.Errorf("decoded as %d × %d, %v", config.Width, config.Height, err)
	}
	got := map[string]any{}
	_, err = imagemeta.Decode(imagemeta.Options{
		R: bytes.NewReader(file), ImageFormat: imagemeta.JPEG, Sources: imagemeta.EXIF,
		ShouldHandleTag: func(imagemeta.TagInfo) bool { return true },
		HandleTag:       func(tag imagemeta.TagInfo) error { got[tag.Tag] = tag.Value; return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for tag, want := range map[string]any{
		"Make": "spinsync", "Model": "Turntable", "Orientation": uint16(1),
		"DateTimeOriginal": "2027:03:04 05:06:07", "SubSecTimeOriginal": 489, "OffsetTimeOriginal": "+02:00",
	} {
		if diff := cmp.Diff(want, got[tag]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tag, diff)
		}
	}
}

func TestSomeFramesCarryAltTexts(t *testing.T) {
	texts := embeddedTexts(t, written(t, 3, captured))
	want := "Teekanne mit gemalter Landschaft, um 180° gedreht, die Tülle zeigt nach links"
	if texts["de"] != want || texts["en"] == "" || texts["x-default"] != texts["en"] {
		t.Errorf("embedded texts are %q, want for de %q", texts, want)
	}
	if bytes.Contains(written(t, 4, captured), []byte("xap/1.0")) {
		t.Error("frame 4 carries XMP too")
	}
}

// embeddedTexts reads the alternatives of the one list in the XMP packet.
func embeddedTexts(t *testing.T, file []byte) map[string]string {
	t.Helper()
	_, packet, found := bytes.Cut(file, []byte("http://ns.adobe.com/xap/1.0/\x00"))
	if !found {
		t.Fatal("no XMP packet")
	}
	end := bytes.Index(packet, []byte("</x:xmpmeta>")) + len("</x:xmpmeta>")
	var meta struct {
		Items []struct {
			Locale string `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
			Text   string `xml:",chardata"`
		} `xml:"RDF>Description>AltTextAccessibility>Alt>li"`
	}
	if err := xml.Unmarshal(packet[:end], &meta); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, item := range meta.Items {
		texts[item.Locale] = item.Text
	}
	return texts
}

func TestExifToolFindsNothingWrong(t *testing.T) {
	tool, err := exec.LookPath("exiftool")
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal("exiftool is missing: install libimage-exiftool-perl")
	} else if err != nil {
		t.Skip("exiftool is missing; install libimage-exiftool-perl to run this test")
	}
	path := filepath.Join(t.TempDir(), "frame.jpg")
	if err := os.WriteFile(path, written(t, 0, captured), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tool, "-s3", "-validate", "-warning", "-SubSecDateTimeOriginal", "-XMP-iptcCore:AltTextAccessibility-de", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"OK", "2027:03:04 05:06:07.489+02:00", "Teekanne mit gemalter Landschaft, um 0° gedreht, die Tülle zeigt nach rechts"}
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(string(out)), "\n")); diff != "" {
		t.Errorf("exiftool (-want +got):\n%s", diff)
	}
}

func BenchmarkFrame(b *testing.B) {
	shoot := turntable.Shoot{Frames: 36, Width: 1600, Height: 1200}
	for b.Loop() {
		if err := shoot.WriteFrame(io.Discard, 1, captured); err != nil {
			b.Fatal(err)
		}
	}
}
