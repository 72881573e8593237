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

// TestPicturesOfAFrame: the service's pictures stand for the files that it was sent, also when these are
// gone. A video has no picture of its own there, and what is not published is shown from the folder.
func TestPicturesOfAFrame(t *testing.T) {
	const media, thumbnail, here = "https://media/1", "https://thumbs/1", "/folder/7/frame?"
	for _, test := range []struct {
		state          status.FrameState
		video          bool
		media          string
		thumb, picture string
	}{
		{status.FramePublished, false, media, thumbnail, media + "/resize"},
		{status.FrameGone, false, media, thumbnail, media + "/resize"},
		{status.FrameSent, false, media, here, here},
		{status.FrameWaiting, false, media, here, here},
		{status.FramePublished, true, media, thumbnail, here},
		{status.FramePublished, false, "", here, here},
	} {
		f := shownFrame{ID: "7", FrameDetails: status.FrameDetails{State: test.state, Video: test.video, MediaURL: test.media}}
		if test.media != "" {
			f.ThumbnailURL = thumbnail
		}
		if !strings.HasPrefix(f.Thumb(), test.thumb) || !strings.HasPrefix(f.Picture(), test.picture) {
			t.Errorf("%+v: %s, %s", test, f.Thumb(), f.Picture())
		}
	}
}
