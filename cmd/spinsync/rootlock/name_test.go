package rootlock

import (
	"path/filepath"
	"runtime"
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
	onDrive, whole := ask(folder), ask(drive)
	if want := runtime.GOOS == "windows"; onDrive.below(whole) != want {
		t.Errorf("%s is below %s: %t, want %t; above it are %v", folder, drive, !want, want, onDrive.above)
	}
	if len(onDrive.above) == 0 || whole.above != nil {
		t.Errorf("above %s are %v, above %s %v", folder, onDrive.above, drive, whole.above)
	}
}

// What other programs give as their names cannot steer a terminal.
func TestHostileCard(t *testing.T) {
	for _, card := range []string{"", "{", `{"pid":-1}`} {
		if h := readCard([]byte(card)); h.String() != "" {
			t.Errorf("%q says %q", card, h)
		}
	}
	h := readCard([]byte(`{"pid":7,"state":"\u001b[2J"}`))
	if h.String() != ` (process 7, state file "\x1b[2J")` {
		t.Errorf("it says %q", h.String())
	}
}
