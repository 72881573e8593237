package view

import (
	"testing"

	"spinsync/apiclient"
	"spinsync/daemon/plan"
	"spinsync/syncstate"
)

// The record keeps what the service says of each image.
func TestPublishedKeepsTheImages(t *testing.T) {
	var s plan.Scene
	s.Record.Run = &syncstate.Run{Frames: make([]syncstate.RunFrame, 1), Seen: seen(2)}
	s.Record.Run.Frames[0].Name = "frame_01.jpg"
	p := PublishedOf(s, []apiclient.Image{{
		ID: 7, Ordial: 1, Source: "frame_01.jpg", Row: 2, ImageGroup: "g", StorageVersion: 3,
		MediaURL: "m", ThumbnailURL: "t", AltTexts: map[string]string{"en": "Shoe"},
	}})
	f := p.Frames[0]
	if p.Revision != 2 || f.ImageID != 7 || f.Ordial != 1 || f.Source != "frame_01.jpg" || f.Row != 2 || f.Group != "g" ||
		f.StorageVersion != 3 || f.MediaURL != "m" || f.ThumbnailURL != "t" || f.Alt["en"] != "Shoe" {
		t.Errorf("recorded as %+v", f)
	}
}
