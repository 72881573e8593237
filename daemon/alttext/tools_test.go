package alttext

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/HugoSmits86/nativewebp"
	"golang.org/x/image/tiff"

	"spinsync/watcher/frame"
)

// What the two programs write into each picture. German has everything that XML must escape.
const (
	english = "Red shoe, seen from the left"
	german  = `Roter "Schuh" & <Ferse> – größer`
)

// tool finds a program, or skips the test on a machine that does not have it. CI has it.
func tool(t *testing.T, name, debian string) string {
	path, err := exec.LookPath(name)
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing: install %s", name, debian)
	} else if err != nil {
		t.Skipf("%s is missing; install %s to run this test", name, debian)
	}
	return path
}

func run(t *testing.T, path string, args ...string) {
	t.Helper()
	if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", path, args, err, out)
	}
}

// pictures writes a picture of every kind that carries XMP and returns their paths.
func pictures(t *testing.T) map[string]string {
	m := image.NewNRGBA(image.Rect(0, 0, 16, 16))
	kinds := map[string]func(io.Writer) error{
		"a.jpg":  func(w io.Writer) error { return jpeg.Encode(w, m, nil) },
		"a.png":  func(w io.Writer) error { return png.Encode(w, m) },
		"a.tif":  func(w io.Writer) error { return tiff.Encode(w, m, nil) },
		"a.webp": func(w io.Writer) error { return nativewebp.Encode(w, m, nil) },
	}
	paths, dir := map[string]string{}, t.TempDir()
	for name, encode := range kinds {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		paths[name] = filepath.Join(dir, name)
		if err := os.WriteFile(paths[name], b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

// wantEmbedded fails unless a picture is whole and both texts are found in it.
func wantEmbedded(t *testing.T, name, path string) {
	t.Helper()
	f := folder(t, nil, name)
	f.Embedded = map[string]*Packet{name: packetIn(t, path)}
	wantRead(t, f, []string{
		fmt.Sprintf("%s de-DE: %s (%s)", name, german, name),
		fmt.Sprintf("%s en: %s (%s)", name, english, name),
	})
}

func packetIn(t *testing.T, path string) *Packet {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := frame.Glance(bytes.NewReader(file), int64(len(file)), filepath.Base(path))
	if err != nil {
		t.Error(err)
	}
	return ParsePacket(info.XMP)
}

// wantSidecar fails unless both texts are found in a file that a program wrote.
func wantSidecar(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := folder(t, map[string]string{"a.xmp": string(text)}, "a.jpg")
	texts, problems := Read(f)
	got := texts["a.jpg"]
	if got["de-DE"].Value != german || got["en"].Value != english || len(got) != 2 || problems != nil {
		t.Errorf("got %v, %v from\n%s", got, problems, text)
	}
}

func TestFilesByExifTool(t *testing.T) {
	exiftool := tool(t, "exiftool", "libimage-exiftool-perl")
	set := []string{"-XMP-iptcCore:AltTextAccessibility=" + english, "-XMP-iptcCore:AltTextAccessibility-de-DE=" + german}
	for name, path := range pictures(t) {
		run(t, exiftool, append(set, "-q", "-overwrite_original", path)...)
		wantEmbedded(t, name, path)
	}
	sidecar := filepath.Join(t.TempDir(), "a.xmp")
	run(t, exiftool, append(set, "-q", "-o", sidecar)...)
	wantSidecar(t, sidecar)

	compact := filepath.Join(t.TempDir(), "a.xmp")
	run(t, exiftool, append(set, "-q", "-api", "Compact=Shorthand,NoIndent,OneDesc", "-o", compact)...)
	wantSidecar(t, compact)
}

func TestFilesByExiv2(t *testing.T) {
	exiv2 := tool(t, "exiv2", "exiv2")
	const property = "set Xmp.iptc.AltTextAccessibility "
	for name, path := range pictures(t) {
		run(t, exiv2, "-M"+property+"LangAlt lang=x-default "+english, "-M"+property+"LangAlt lang=de-DE "+german, path)
		wantEmbedded(t, name, path)
		if name == "a.jpg" {
			run(t, exiv2, "-eX", path)
			wantSidecar(t, filepath.Join(filepath.Dir(path), "a.xmp"))
		}
	}
}

// TestExiv2WithoutType is the outcome for people who forget LangAlt: a plain value as an attribute.
func TestExiv2WithoutType(t *testing.T) {
	exiv2 := tool(t, "exiv2", "exiv2")
	path := pictures(t)["a.jpg"]
	run(t, exiv2, "-Mset Xmp.iptc.AltTextAccessibility "+english, path)
	f := folder(t, nil, "a.jpg")
	f.Embedded = map[string]*Packet{"a.jpg": packetIn(t, path)}
	wantRead(t, f, []string{"a.jpg en: " + english + " (a.jpg)"})
}
