package dashboard

import (
	"fmt"
	"strings"
	"testing"

	"spinsync/daemon/status"
)

// TestPageOfThousandsOfFrames: the page of a folder stays small, and lists each broken frame.
func TestPageOfThousandsOfFrames(t *testing.T) {
	const broken = 4000
	var f folderPage
	for i := range 5000 {
		f.Details.Frames = append(f.Details.Frames, status.FrameDetails{
			File: fmt.Sprintf("%04d.jpg", i+1), State: status.FramePublished, MediaURL: fmt.Sprintf("https://media.example.com/%d", i+1),
		})
	}
	f.Details.Frames[broken-1].State = status.FrameBroken
	list := f.Shown()
	if last := list[len(list)-1]; last.Number != broken || last.State != status.FrameBroken {
		t.Errorf("the broken frame %d is not listed; the last is %d", broken, last.Number)
	}
	if len(list)+f.More() != 5000 || f.More() < 4000 {
		t.Errorf("%d frames are listed, and %d more are counted", len(list), f.More())
	}
	if turn := f.spin(); turn.Count < 300 || turn.Count > turnPictures || !strings.Contains(turn.Frames, "/4999/") {
		t.Errorf("the turn has %d pictures: %s", turn.Count, turn.Frames)
	}
}

// TestPageOfASet lists each frame of a set, and turns each.
func TestPageOfASet(t *testing.T) {
	var f folderPage
	for i := range 72 {
		f.Details.Frames = append(f.Details.Frames, status.FrameDetails{File: fmt.Sprint(i), State: status.FramePublished, MediaURL: "m"})
	}
	if turn := f.spin(); turn.Count != 72 || len(f.Shown()) != 72 || f.More() != 0 || len(f.Media()) != 72 {
		t.Errorf("of 72 frames %d are turned, and %d listed", turn.Count, len(f.Shown()))
	}
}
