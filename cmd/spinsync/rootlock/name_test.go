package rootlock

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"spinsync/watcher/volume"
	"testing"
	"testing/synctest"
)

// A drive that does not answer keeps nothing from starting, and is still one folder.
func TestFolderThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		answers := make(chan struct{})
		hanging := func(path string) place {
			<-answers
			return place{}
		}
		plain := func(path string) place { return place{real: folded(path)} }
		spelled := folder + string(filepath.Separator)
		if p := placeOf(spelled, hanging); p.folder != spelled || p.names()[0] != placeOf(folder, plain).names()[0] {
			t.Errorf("it is not named by its path: %v", p)
		}
		close(answers)
	})
}

// A drive that is watched as a whole is above all folders on it.
func TestFolderOnADrive(t *testing.T) {
	folder := t.TempDir()
	drive := filepath.VolumeName(folder) + string(filepath.Separator)
	onDrive, whole := look(folder), look(drive)
	if want := runtime.GOOS == "windows"; onDrive.below(whole) != want {
		t.Errorf("%s is below %s: %t, want %t; above it are %v", folder, drive, !want, want, onDrive.above)
	}
	if len(onDrive.above) == 0 || whole.above != nil {
		t.Errorf("above %s are %v, above %s %v", folder, onDrive.above, drive, whole.above)
	}
}

// TestManyNeighbours: a program that is one too many below a directory is told so. It is still kept
// from the folders below another program's folder.
func TestManyNeighbours(t *testing.T) {
	above := t.TempDir()
	id, err := volume.DirectoryID(above)
	if err != nil {
		t.Fatal(err)
	}
	for range sharers {
		release, err := share("above-"+id, holder{})
		if err != nil {
			t.Fatal(err)
		}
		defer release()
	}
	folder := filepath.Join(above, "shoots")
	below := filepath.Join(folder, "Summer")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	var first, second Lock
	defer first.Release()
	defer second.Release()
	if err := first.Take(folder); err == nil || errors.Is(err, ErrHeld) {
		t.Errorf("one neighbour too many: %v", err)
	}
	if err := second.Take(below); !errors.Is(err, ErrHeld) {
		t.Errorf("below a folder that is held: %v", err)
	}
}

// What other programs say of themselves cannot steer a terminal.
func TestHostileCard(t *testing.T) {
	for _, card := range []string{"", "{", `{"pid":-1}`} {
		if h := readCard([]byte(card)); h.String() != "" || h.folder() != "a folder" {
			t.Errorf("%q says %q of %s", card, h, h.folder())
		}
	}
	h := readCard([]byte(`{"pid":7,"state":"\u001b[2J","folder":"\n"}`))
	if h.String() != ` (process 7, state file "\x1b[2J")` || h.folder() != `"\n"` {
		t.Errorf("it says %q of %q", h.String(), h.folder())
	}
}
