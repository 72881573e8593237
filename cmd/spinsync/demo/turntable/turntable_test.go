package turntable_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/cmd/spinsync/demo/turntable"
	"spinsync/daemon/alttext"
	"spinsync/watcher/frame"
)

var shoot = turntable.Shoot{Frames: 12, Glaze: turntable.Blue}

func decoded(t *testing.T, s turntable.Shoot, i int) image.Image {
	t.Helper()
	var file bytes.Buffer
	if err := s.WriteFrame(&file, i, captured); err != nil {
		t.Fatal(err)
	}
	picture, err := jpeg.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// difference is the mean distance of two frames' brightness.
func difference(a, b image.Image) float64 {
	first, second := a.(*image.YCbCr).Y, b.(*image.YCbCr).Y
	sum := 0
	for i := range first {
		sum += max(int(first[i]), int(second[i])) - min(int(first[i]), int(second[i]))
	}
	return float64(sum) / float64(len(first))
}

func TestFramesTurnOnceAround(t *testing.T) {
	var frames []image.Image
	for i := range shoot.Frames {
		frames = append(frames, decoded(t, shoot, i))
	}
	if difference(frames[0], decoded(t, shoot, shoot.Frames)) != 0 {
		t.Error("the frame after the last is not the first")
	}
	closing := difference(frames[len(frames)-1], frames[0])
	largest := 0.0
	for i := range frames[1:] {
		step := difference(frames[i], frames[i+1])
		if step < 1 {
			t.Errorf("frames %d and %d differ by %.2f only", i, i+1, step)
		}
		largest = max(largest, step)
	}
	if closing < 1 || closing > 1.2*largest {
		t.Errorf("the last frame differs from the first by %.2f, others by at most %.2f from the next", closing, largest)
	}
}

func TestReshotFramesShowAnotherTeapot(t *testing.T) {
	blue := turntable.Shoot{Frames: 36, Glaze: turntable.Blue}
	green := turntable.Shoot{Frames: 36, Glaze: turntable.Green}
	for _, i := range turntable.Reshoot {
		if between := difference(decoded(t, blue, i), decoded(t, green, i)); between < 1 {
			t.Errorf("frame %d differs by %.2f only", i, between)
		}
	}
}

func written(t *testing.T, i int, captured time.Time) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := shoot.WriteFrame(&file, i, captured); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

var captured = time.Date(2027, 3, 4, 5, 6, 7, 489_000_000, time.FixedZone("", 2*60*60))

func TestFrameIsJPEGWithEXIF(t *testing.T) {
	file := written(t, 1, captured)
	config, err := jpeg.DecodeConfig(bytes.NewReader(file))
	if err != nil || config.Width != turntable.Width || config.Height != turntable.Height {
		t.Errorf("decoded as %d × %d, %v", config.Width, config.Height, err)
	}
	info, err := frame.Meta(bytes.NewReader(file), int64(len(file)))
	if err != nil || info.Captured.Format(time.DateTime) != captured.Format(time.DateTime) || frame.OrientationOf(bytes.NewReader(file)) != frame.Upright {
		t.Errorf("captured at %s, %v", info.Captured, err)
	}
	for _, text := range []string{"spinsync\x00", "Turntable\x00", "2027:03:04 05:06:07\x00", "489\x00", "+02:00\x00"} {
		if !bytes.Contains(file, []byte(text)) {
			t.Errorf("the EXIF data lacks %q", text)
		}
	}
}

func TestSomeFramesCarryAltTexts(t *testing.T) {
	file := written(t, 6, captured)
	info, err := frame.Glance(bytes.NewReader(file), int64(len(file)), "a.jpg")
	if err != nil {
		t.Fatal(err)
	}
	folder := alttext.Folder{Frames: []string{"a.jpg"}, Locale: "en", Embedded: map[string]*alttext.Packet{"a.jpg": alttext.ParsePacket(info.XMP)}}
	texts, problems := alttext.Read(folder)
	want := "Teekanne mit gemalter Landschaft, um 180° gedreht, die Tülle zeigt nach links"
	if got := texts["a.jpg"]; got["de"].Value != want || got["en"].Value == "" || len(got) != 2 || len(problems) > 0 {
		t.Errorf("embedded texts are %v, want for de %q; problems %v", got, want, problems)
	}
	if bytes.Contains(written(t, 7, captured), []byte("xap/1.0")) {
		t.Error("frame 7 carries XMP too")
	}
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
