package view

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"io"
	"path"
	"strings"
	"testing"
	"unicode"

	"spinsync/syncstate"
)

// FuzzCompareArchive gives the look into a product's sources (interface 4.11) any bytes: it takes
// them for the folder's photos only when they hold these and no others, whatever they are called
// and unpack to.
func FuzzCompareArchive(f *testing.F) {
	photos := map[string][]byte{"frame_01.jpg": []byte("first"), "frame_02.jpg": []byte("second")}
	run := &syncstate.Run{}
	for name, data := range photos {
		sum := sha256.Sum256(data)
		run.Frames = append(run.Frames, syncstate.RunFrame{File: syncstate.File{Name: name, Size: int64(len(data))}, Digest: sum[:]})
	}
	for _, names := range [][]string{
		{"frame_01.jpg", "frame_02.jpg"}, {"rotation/frame_02.jpg", "rotation/", "rotation/frame_01.jpg"},
		{"frame_01.jpg"}, {"frame_01.jpg", "frame_01.jpg", "frame_02.jpg"}, {"../../etc/passwd", "C:\\frame_01.jpg", "\x1b[31m"},
	} {
		f.Add(archiveOf(f, names, photos))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		sources, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		doubt, err := compareArchive(sources, run)
		switch {
		case strings.ContainsFunc(doubt, func(r rune) bool { return !unicode.IsPrint(r) }):
			t.Fatalf("%q is not fit to be shown", doubt)
		case err == nil && doubt == "" && !holds(t, sources, photos):
			t.Fatal("it was taken for the folder's photos")
		}
	})
}

func archiveOf(f *testing.F, names []string, photos map[string][]byte) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		file, err := w.Create(name)
		if err == nil && !strings.HasSuffix(name, "/") {
			_, err = file.Write(photos[path.Base(name)])
		}
		if err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}

// holds reports whether an archive holds each of the photos once, and nothing else.
func holds(t *testing.T, sources *zip.Reader, photos map[string][]byte) bool {
	n := 0
	for _, file := range sources.File {
		if file.FileInfo().IsDir() {
			continue
		}
		content, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(io.LimitReader(content, 100))
		if err != nil || !bytes.Equal(data, photos[path.Base(file.Name)]) {
			return false
		}
		n++
	}
	return n == len(photos)
}
