package view

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"spinsync/apiclient"
	"spinsync/daemon/plan/plantest"
	"spinsync/syncstate"
)

// framesOf is a run of frames with these contents, by name.
func framesOf(contents map[string]string) *syncstate.Run {
	run := &syncstate.Run{}
	for name, content := range contents {
		file := syncstate.File{Name: name, Size: int64(len(content))}
		run.Frames = append(run.Frames, syncstate.RunFrame{File: file, Digest: plantest.DigestOf(content)})
	}
	return run
}

// TestCompareArchive: the service may name files as it likes, but a file that has a frame's name is
// that frame, and each frame is there as often as in the folder.
func TestCompareArchive(t *testing.T) {
	run := framesOf(map[string]string{"1.jpg": "front", "2.jpg": "side", "3.jpg": "front"})
	for name, c := range map[string]struct {
		files string
		same  bool
	}{
		"as uploaded":                {"1.jpg=front 2.jpg=side 3.jpg=front", true},
		"below a path":               {"a/3.jpg=front a/= a/2.jpg=side a/1.jpg=front", true},
		"named otherwise":            {"r1_a.jpg=front r1_b.jpg=side r1_c.jpg=front", true},
		"one of its name":            {"1.jpg=front b.jpg=side c.jpg=front", true},
		"exchanged, named otherwise": {"a.jpg=side b.jpg=front c.jpg=front", false},
		"a name twice":               {"a.jpg=front a.jpg=front 2.jpg=side", false},
		"numbered":                   {"1.png=front 10.png=front 2.png=side", true},
		"names exchanged":            {"1.jpg=side 2.jpg=front 3.jpg=front", false},
		"one too often":              {"a.jpg=front b.jpg=side c.jpg=side", false},
		"one too often by its name":  {"2.jpg=side 2.jpg=side 3.jpg=front", false},
		"one more":                   {"1.jpg=front 2.jpg=side 3.jpg=front 4.jpg=side", false},
		"one less":                   {"1.jpg=front 2.jpg=side", false},
		"another":                    {"a.jpg=front b.jpg=back c.jpg=front", false},
		"longer than all frames":     {"a.jpg=front b.jpg=side c.jpg=frontage", false},
	} {
		var files [][2]string
		for entry := range strings.FieldsSeq(c.files) {
			name, content, _ := strings.Cut(entry, "=")
			files = append(files, [2]string{name, content})
		}
		data := archiveOf(t, files)
		sources, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if doubt := compareArchive(sources, run, nil); (doubt == "") != c.same {
			t.Errorf("%s: %q", name, doubt)
		}
	}
}

// TestArchiveInTheOrderOfTheImages: the list of images has the order of files whose names have
// none.
func TestArchiveInTheOrderOfTheImages(t *testing.T) {
	run := framesOf(map[string]string{"1.jpg": "front", "2.jpg": "side"})
	data := archiveOf(t, [][2]string{{"91.jpg", "front"}, {"17.jpg", "side"}})
	sources, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for order, same := range map[string]bool{"91.jpg 17.jpg": true, "17.jpg 91.jpg": false, "91.jpg": false} {
		var images []apiclient.Image
		for i, name := range strings.Fields(order) {
			images = append(images, apiclient.Image{Ordial: i + 1, Source: "https://media.example.com/" + name})
		}
		if doubt := compareArchive(sources, run, images); (doubt == "") != same {
			t.Errorf("listed as %s: %q", order, doubt)
		}
	}
}

// TestArchiveWithPicturesThatOthersAdded: they play no part where the list has only the images of the folder.
// A file that has the name of a listed image was not added.
func TestArchiveWithPicturesThatOthersAdded(t *testing.T) {
	run := framesOf(map[string]string{"1.jpg": "front", "2.jpg": "side"})
	for files, test := range map[string]struct {
		listed string
		same   bool
	}{
		"1.jpg=front 2.jpg=side detail.jpg=label":  {"a.jpg b.jpg", true},
		"b.jpg=side detail.jpg=label a.jpg=front":  {"a.jpg b.jpg", true},
		"1.jpg=front 2.jpg=other detail.jpg=label": {"a.jpg b.jpg", false},
		"1.jpg=front detail.jpg=side b.jpg=front":  {"a.jpg b.jpg", false},
		"1.jpg=front 2.jpg=side 3.jpg=back":        {"1.jpg 2.jpg 3.jpg", false},
		"1.jpg=front 2.jpg=side a.jpg=back":        {"a.jpg b.jpg", false},
		"1.jpg=front 2.jpg=side another.jpg=label": {"", false},
	} {
		var packed [][2]string
		for entry := range strings.FieldsSeq(files) {
			name, content, _ := strings.Cut(entry, "=")
			packed = append(packed, [2]string{name, content})
		}
		data := archiveOf(t, packed)
		sources, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		var images []apiclient.Image
		for i, name := range strings.Fields(test.listed) {
			images = append(images, apiclient.Image{Ordial: i + 1, Source: name})
		}
		if doubt := compareArchive(sources, run, images); (doubt == "") != test.same {
			t.Errorf("%s, listed as %s: %q", files, test.listed, doubt)
		}
	}
}

// FuzzCompareArchive gives the comparison with a product's sources (interface 4.11) any bytes: it takes
// them for the folder's photos only when they hold these and no others, whatever they are called
// and unpack to.
func FuzzCompareArchive(f *testing.F) {
	photos := map[string]string{"frame_01.jpg": "first", "frame_02.jpg": "second"}
	run := framesOf(photos)
	for _, names := range [][]string{
		{"frame_01.jpg", "frame_02.jpg"}, {"rotation/frame_02.jpg", "rotation/", "rotation/frame_01.jpg"},
		{"frame_01.jpg"}, {"frame_01.jpg", "frame_01.jpg", "frame_02.jpg"}, {"../../etc/passwd", "C:\\frame_01.jpg", "\x1b[31m"},
	} {
		var files [][2]string
		for _, name := range names {
			files = append(files, [2]string{name, photos[path.Base(name)]})
		}
		f.Add(archiveOf(f, files))
	}
	f.Add(archiveOf(f, [][2]string{{"a.jpg", "second"}, {"b.jpg", "first"}}))
	contents := slices.Sorted(maps.Values(photos))
	f.Fuzz(func(t *testing.T, data []byte) {
		sources, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		doubt := compareArchive(sources, run, nil)
		switch {
		case strings.ContainsFunc(doubt, func(r rune) bool { return !unicode.IsPrint(r) }):
			t.Fatalf("%q is not fit to be shown", doubt)
		case doubt == "" && !slices.Equal(contentsOf(t, sources), contents):
			t.Fatal("it was taken for the folder's photos")
		}
	})
}

// archiveOf packs files, each a name and a content.
func archiveOf(t testing.TB, files [][2]string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		file, err := w.Create(f[0])
		if err == nil && !strings.HasSuffix(f[0], "/") {
			_, err = io.WriteString(file, f[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// contentsOf are the contents of an archive's files, sorted.
func contentsOf(t *testing.T, sources *zip.Reader) (contents []string) {
	for _, file := range sources.File {
		if file.FileInfo().IsDir() {
			continue
		}
		content, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(io.LimitReader(content, 100))
		if err != nil {
			t.Fatal(err)
		}
		contents = append(contents, string(data))
	}
	slices.Sort(contents)
	return contents
}

// TestCompareSources: the product's sources are compared with the folder's frames, and nothing of
// them stays on the disk. A failure that proves nothing about the sources is returned.
func TestCompareSources(t *testing.T) {
	run := framesOf(map[string]string{"1.jpg": "front", "2.jpg": "side"})
	packed := func(front string) string {
		return string(archiveOf(t, [][2]string{{"1.jpg", front}, {"2.jpg", "side"}}))
	}
	noise := make([]byte, 64<<10)
	for i := range noise {
		noise[i] = byte(i * i >> 3)
	}
	large := packed("front") + string(noise)
	for name, test := range map[string]struct {
		status int
		body   string
		doubt  string
		fails  bool
	}{
		"the same":       {200, packed("front"), "", false},
		"another":        {200, packed("other"), "1.jpg has another content on the service", false},
		"too large":      {200, large, "its source files are larger than the folder's", false},
		"no ZIP":         {200, "PK\x03\x04 and no more", "its source files are no ZIP: ", false},
		"refused":        {403, "{}", "", true},
		"for the moment": {503, "{}", "", true},
		"wrong password": {401, "{}", "", true},
		"untrusted":      {0, "", "", true},
	} {
		left := t.TempDir()
		for _, variable := range []string{"TMPDIR", "TMP", "TEMP"} {
			t.Setenv(variable, left)
		}
		serve := httptest.NewServer
		if test.status == 0 {
			serve = httptest.NewTLSServer
		}
		server := serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/zip")
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.body)
		}))
		client, err := apiclient.New(apiclient.Options{BaseURL: server.URL, Username: "studio", Password: "the-secret"})
		if err != nil {
			t.Fatal(err)
		}
		doubt, err := CompareSources(t.Context(), client, "p-1", run, nil)
		if !strings.HasPrefix(doubt, test.doubt) || (doubt == "") != (test.doubt == "") || (err != nil) != test.fails {
			t.Errorf("%s: %q, %v", name, doubt, err)
		}
		if errors.Is(err, ErrNoSources) != (name == "refused") {
			t.Errorf("%s counts as refused: %v", name, err)
		}
		if files, err := os.ReadDir(left); err != nil || len(files) > 0 {
			t.Errorf("%s: %v stay on the disk, %v", name, files, err)
		}
		client.CloseIdle()
		server.Close()
	}
}

// TestLargestArchive: a download ends as soon as it is longer than any archive of the frames may
// be, with pictures that others added.
func TestLargestArchive(t *testing.T) {
	run := &syncstate.Run{Frames: make([]syncstate.RunFrame, 2)}
	run.Frames[0].Size = 64 << 10
	if got, want := largestArchive(run), 2*int64(3*4<<10+65<<10); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
	var b bytes.Buffer
	w := &bounded{&b, 5}
	_, first := io.WriteString(w, "front")
	_, second := io.WriteString(w, "s")
	if first != nil || !errors.Is(second, errTooMuch) || b.String() != "front" {
		t.Errorf("%q was written; %v, %v", b.String(), first, second)
	}
}

// TestTableOfContentsIsBounded: a ZIP may be all table of contents, which is kept in memory. It is
// read no further than that of the folder's files may go.
func TestTableOfContentsIsBounded(t *testing.T) {
	for entries, fits := range map[int]bool{36: true, 200_000: false} {
		var data bytes.Buffer
		archive := zip.NewWriter(&data)
		for i := range entries {
			if _, err := archive.CreateHeader(&zip.FileHeader{Name: strconv.Itoa(i) + ".jpg"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
		sources, err := openArchive(bytes.NewReader(data.Bytes()), int64(data.Len()), 36)
		if fits && (err != nil || len(sources.File) != entries) || !fits && !errors.Is(err, errLongTable) {
			t.Errorf("%d entries: %v", entries, err)
		}
	}
}
