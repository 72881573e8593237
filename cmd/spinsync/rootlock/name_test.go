package rootlock

import (
	"path/filepath"
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
		if placeOf(folder+string(filepath.Separator), hanging).names()[0] != placeOf(folder, plain).names()[0] {
			t.Error("it is not named by its path")
		}
		close(answers)
	})
}

// What other programs say of themselves cannot steer a terminal.
func TestHostileCard(t *testing.T) {
	for _, card := range []string{"", "{", `{"pid":-1}`} {
		if said := readCard([]byte(card)).String(); said != "" {
			t.Errorf("%q says %q", card, said)
		}
	}
	h := readCard([]byte(`{"pid":7,"state":"\u001b[2J","folder":"\n"}`))
	if h.String() != ` (process 7, state file "\x1b[2J")` || h.folder() != `"\n"` {
		t.Errorf("it says %q of %q", h.String(), h.folder())
	}
}
