package dashboard

import (
	"testing"

	"spinsync/daemon/status"
)

// Each text is shown as it is on the service, and marked where a person wonders: another writer's
// stays before the folder's.
func TestCaptions(t *testing.T) {
	for text, want := range map[status.AltDetails]caption{
		{}:               {},
		{Local: "a pot"}: {Text: "a pot", Mark: "not published yet"},
		{Local: "a pot", Service: "a pan", Ours: true}: {Text: "a pot", Mark: "not published yet"},
		{Local: "a pot", Service: "a pot", Ours: true}: {Text: "a pot"},
		{Local: "a pot", Service: "a pan"}:             {Text: "a pan", Mark: "written on the service"},
		{Service: "a pan"}:                             {Text: "a pan", Mark: "written on the service"},
		{Service: "a pan", Ours: true}:                 {Text: "a pan", Mark: "withdrawn"},
	} {
		if got := newCaption(text); got != want {
			t.Errorf("%+v is shown as %+v, want %+v", text, got, want)
		}
	}
}

// Missing texts are counted for each language, and not of frames that have left the folder.
func TestMissingTextsAreCounted(t *testing.T) {
	frame := func(state status.FrameState, locales ...string) status.FrameDetails {
		f := status.FrameDetails{State: state, Alt: map[string]status.AltDetails{}}
		for _, locale := range locales {
			f.Alt[locale] = status.AltDetails{Local: "a pot"}
		}
		return f
	}
	frames := []status.FrameDetails{
		frame(status.FramePublished, "de", "en"), frame(status.FrameWaiting, "de"), frame(status.FrameWaiting), frame(status.FrameGone),
	}
	page := folderPage{Details: status.Details{Frames: frames, Locales: status.LocalesOf(frames)}}
	if got, want := page.Missing(), "1 of 3 have no text (de), 2 of 3 have no text (en)"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	page.Details.Frames = frames[:1]
	if got := page.Missing(); got != "" {
		t.Errorf("of a frame with all texts it says %q", got)
	}
}
