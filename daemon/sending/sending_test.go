package sending

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/schedule"
)

// The bytes of a try that failed count no more. Those of other uploads stay.
func TestFailedTryIsNotCounted(t *testing.T) {
	var sum atomic.Int64
	sum.Store(100)
	m := &meter{slots: schedule.NewSlots(config.Upload{}, new(schedule.Priorities)), sum: &sum}
	for _, text := range []string{"half a photo", "a photo", "a photo"} {
		m.undo()
		if _, err := m.Write([]byte(text)); err != nil || sum.Load() != 100+int64(len(text)) {
			t.Errorf("after %q the sum is %d, %v", text, sum.Load(), err)
		}
	}
	m.undo()
	m.undo()
	if sum.Load() != 100 {
		t.Errorf("after a failure the sum is %d", sum.Load())
	}
}

// A person knows a photo by its name on the disk, not by the name that it is stored under.
func TestFailedUploadNamesTheLocalFile(t *testing.T) {
	sent := errors.Join(&apiclient.Error{Op: "upload 1x-0001.jpg", Status: 500})
	if text := namedLocally(sent, "Shoe 1.jpg").Error(); !strings.Contains(text, "Shoe 1.jpg") {
		t.Errorf("shown as %q", text)
	}
	broken := errors.New("broken")
	if namedLocally(broken, "Shoe 1.jpg") != broken {
		t.Error("an error of the disk became another one")
	}
}
