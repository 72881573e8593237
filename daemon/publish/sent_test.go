package publish

import (
	"testing"

	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/sending"
	"spinsync/syncstate"
)

// A frame that proved broken as it was sent is known to be broken.
func TestFrameThatProvedBrokenIsRemembered(t *testing.T) {
	sf := &sentFrames{folder: reading.New(reading.Files{}, syncstate.Folder{}, nil)}
	broken := plan.Reading{File: syncstate.File{Name: "broken.jpg"}, Broken: "it is cut off"}
	sf.learn(sending.Sent{})
	sf.learn(sending.Sent{Corrupt: &broken})
	sf.learn(sending.Sent{})
	if got := sf.folder.Readings["broken.jpg"]; got.Broken != broken.Broken {
		t.Errorf("the broken frame was read as %+v", got)
	}
}
