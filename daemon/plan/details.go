package plan

import (
	"fmt"
	"maps"
	"slices"

	"spinsync/daemon/alttext"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// FrameDetails describes each frame: first those in the folder, then those that were published and
// are gone.
func (s Scene) FrameDetails() []status.FrameDetails {
	about := s.Set.about
	var list []status.FrameDetails
	shown := map[string]bool{}
	for _, f := range slices.Concat(s.Set.InOrder(), s.Facts.Snapshot.Frames) {
		if !shown[f.Name] {
			shown[f.Name] = true
			list = append(list, about.detail(f, s.Facts.Texts.Said[f.Name]))
		}
	}
	if s.Record.Published == nil {
		return list
	}
	for _, f := range s.Record.Published.Frames {
		if !shown[f.Name] {
			list = append(list, publishedDetail(f))
		}
	}
	return list
}

// detail describes a frame in the folder.
func (e evidence) detail(f watcher.File, texts map[string]alttext.Text) status.FrameDetails {
	detail := status.FrameDetails{File: f.Name, Video: isVideo(f.Name)}
	if i, was := e.names[f.Name]; was {
		detail = publishedDetail(e.published.Frames[i])
	}
	detail.Size, detail.ModTime, detail.State = f.Size, f.ModTime, e.state(f)
	if captured := e.capturedAt(f); !captured.IsZero() {
		detail.Captured = captured
	}
	detail.Alt = textDetails(texts, detail.Alt)
	return detail
}

func (e evidence) state(f watcher.File) status.FrameState {
	sent := e.sent(f)
	switch {
	case !f.Still:
		return status.FrameArriving
	case sent != nil && sent.Uploaded:
		return status.FrameSent
	case sent == nil && e.publishedAs(f) != nil:
		return status.FramePublished
	}
	return status.FrameWaiting
}

// publishedDetail is a frame as it was published, even if its file has changed or gone since.
func publishedDetail(f syncstate.Frame) status.FrameDetails {
	detail := status.FrameDetails{
		File: f.Name, Video: isVideo(f.Name), State: status.FrameGone,
		Size: f.Size, ModTime: f.ModTime, Captured: f.Captured,
		ImageID: f.ImageID, MediaURL: f.MediaURL, ThumbnailURL: f.ThumbnailURL, Alt: map[string]status.AltDetails{},
	}
	for locale, text := range f.Alt {
		detail.Alt[locale] = status.AltDetails{Service: text, Ours: f.AltSet[locale] == text}
	}
	return detail
}

// textDetails joins the texts of the folder with those of the service.
func textDetails(said map[string]alttext.Text, published map[string]status.AltDetails) map[string]status.AltDetails {
	all := maps.Clone(published)
	if all == nil {
		all = map[string]status.AltDetails{}
	}
	for locale, text := range said {
		alt := all[locale]
		alt.Local, alt.Source = text.Value, text.Source
		if text.Line > 0 {
			alt.Source = fmt.Sprintf("%s:%d", text.Source, text.Line)
		}
		all[locale] = alt
	}
	return all
}
