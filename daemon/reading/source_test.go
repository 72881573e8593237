package reading

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"spinsync/daemon/outcome"
)

// inPieces is a file of some pieces that is read as on Windows, with its path and its content.
func inPieces(t *testing.T, size int) (source Source, path, content string) {
	t.Helper()
	folder, path, want := aFile(t)
	content = strings.Repeat("spin", size/4)
	info := writeAt(t, path, content)
	want.Size, want.ID = info.Size(), "" // Windows has no ids of closed files
	file, err := folder.OpenFrame(want)
	if err != nil {
		t.Fatal(err)
	}
	source, err = new(Root).newPieces(folder.open, file, want)
	if err != nil {
		t.Fatal(err)
	}
	return source, path, content
}

// take reads n bytes.
func take(source Source, n int64) (string, error) {
	b, err := io.ReadAll(io.NewSectionReader(source, 0, n))
	return string(b), err
}

// A frame that is read piece by piece has the bytes that it has in one piece, as often as it is
// read.
func TestPiecesAreTheWholeFile(t *testing.T) {
	for _, size := range []int{0, 4, pieceSize - 4, pieceSize, pieceSize + 4, 5 * pieceSize / 2} {
		source, _, content := inPieces(t, size)
		for range 2 {
			if got, err := take(source, math.MaxInt64); err != nil || got != content {
				t.Errorf("%d of %d bytes, %v", len(got), size, err)
			}
		}
		if info, err := source.Stat(); err != nil || info.Size() != int64(size) {
			t.Errorf("%+v, %v", info, err)
		}
	}
}

// No handle is left of a frame of which a part was read.
func TestPiecesLeaveNoFileOpen(t *testing.T) {
	source, path, _ := inPieces(t, 2*pieceSize)
	if _, err := take(source, pieceSize+1); err != nil {
		t.Fatal(err)
	}
	handles, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || len(handles) == 0 {
		t.Skip("the system does not list the open files")
	}
	for _, handle := range handles {
		if at, _ := os.Readlink(handle); at == path {
			t.Errorf("%s is open", at)
		}
	}
}

// A frame that changes between two pieces is not read on: its parts would be of two files.
func TestPiecesAreOfOneFile(t *testing.T) {
	for name, change := range map[string]func(path, content string){
		"another file": func(path, content string) {
			writeAt(t, path+".new", strings.ToUpper(content))
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		},
		"no file":  func(path, _ string) { remove(t, path) },
		"a longer": func(path, content string) { writeAt(t, path, content+content) },
	} {
		source, path, content := inPieces(t, 2*pieceSize)
		if got, err := take(source, pieceSize); err != nil || got != content[:pieceSize] {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
		change(path, content)
		if got, err := take(source, math.MaxInt64); len(got) != pieceSize || !outcome.Is(err, outcome.Changed) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		if _, err := source.Stat(); !outcome.Is(err, outcome.Changed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A piece that another program holds is waited for.
func TestPieceThatIsHeld(t *testing.T) {
	folder, _, want := aFile(t, func(string) error { return syscall.EBUSY })
	file, err := folder.OpenFrame(want)
	if err != nil {
		t.Fatal(err)
	}
	source, err := new(Root).newPieces(folder.open, file, want)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := take(source, 1); !outcome.Is(err, outcome.Waits) {
		t.Error(err)
	}
}
