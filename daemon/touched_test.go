package daemon_test

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/daemontest"
)

// TestFrameRewrittenUnderItsOldTime: a program writes into a frame that was sent, and puts its time
// back. The set that is published holds what the folder holds, and what was written anew with the
// same bytes is not sent again.
func TestFrameRewrittenUnderItsOldTime(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the time of the last change is not asked for there")
	}
	for take, sentAgain := range map[string]bool{"b": true, "1": false} {
		t.Run("take "+take, func(t *testing.T) {
			w := newWorld(t, "frames = 2\nquiet = \"20ms\"\n[upload]\nparallel = 1")
			w.write("Summer/A/1.jpg", ofOneSize("1"))
			w.write("Summer/A/2.jpg", ofOneSize("2"))
			uploads := 0
			w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
				if c.Op == sandbox.Upload {
					uploads++
				}
				if c.Op == sandbox.Upload && uploads == 2 {
					w.rewriteUnderItsOldTime("Summer/A/1.jpg", ofOneSize(take))
				}
				return sandbox.Fault{}
			}
			product := w.published()["Summer/A"].UUID
			if got, want := w.shown(product), sum(ofOneSize(take)); got != want {
				t.Errorf("the view shows %s, the folder holds %s", got, want)
			}
			if (uploads > 2) != sentAgain {
				t.Errorf("it took %d uploads", uploads)
			}
		})
	}
}

// ofOneSize is a photo that is as large as any other.
func ofOneSize(take string) string {
	photo := daemontest.Photo(take)
	return photo + strings.Repeat(" ", 1000-len(photo))
}

func (w *world) rewriteUnderItsOldTime(name, content string) {
	w.t.Helper()
	info, err := os.Stat(w.path(name))
	if err != nil {
		w.t.Fatal(err)
	}
	file, err := os.OpenFile(w.path(name), os.O_WRONLY, 0) // what is written anew is never half a photo
	if err != nil {
		w.t.Fatal(err)
	}
	_, err = file.WriteString(content)
	if err := errors.Join(err, file.Truncate(int64(len(content))), file.Close()); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Chtimes(w.path(name), info.ModTime(), info.ModTime()); err != nil {
		w.t.Fatal(err)
	}
}
