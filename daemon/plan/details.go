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

func (s Scene) FrameDetails() []status.FrameDetails {
	g := s.FrameSet()
	var list []status.FrameDetails
	shown := map[string]bool{}
	for _, f := range slices.Concat(g.Whole, g.Unread, s.Snapshot.Frames) {
		if !shown[f.Name] {
			shown[f.Name] = true
			list = append(list, s.frameDetail(f))
		}
	}
	if s.Record.Published == nil {
		return list
	}
	for _, f := range s.Record.Published.Frames {
		if !shown[f.Name] {
			list = append(list, s.publishedDetail(f))
		}
	}
	return list
}

// frameDetail is a frame that stands in the folder.
func (s Scene) frameDetail(f watcher.File) status.FrameDetails {
	detail := status.FrameDetails{File: f.Name, Video: isVideo(f.Name)}
	if s.Record.Published != nil {
		i := slices.IndexFunc(s.Record.Published.Frames, func(p syncstate.Frame) bool { return p.Name == f.Name })
		if i >= 0 {
			detail = s.publishedDetail(s.Record.Published.Frames[i])
		}
	}
	detail.Size, detail.ModTime, detail.State = f.Size, f.ModTime, s.frameState(f)
	if captured := s.CapturedAt(f); !captured.IsZero() {
		detail.Captured = captured
	}
	detail.Alt = textDetails(s.Texts[f.Name], detail.Alt)
	return detail
}

func (s Scene) frameState(f watcher.File) status.FrameState {
	sent := s.runFrame(f)
	switch {
	case !f.Still:
		return status.FrameArriving
	case sent != nil && sent.Uploaded:
		return status.FrameSent
	case sent == nil && s.publishedFrame(f) != nil:
		return status.FramePublished
	}
	return status.FrameWaiting
}

// publishedDetail is a frame as it was published, even if its file has changed or gone since.
func (s Scene) publishedDetail(f syncstate.Frame) status.FrameDetails {
	detail := status.FrameDetails{
		File: f.Name, Size: f.Size, ModTime: f.ModTime, State: status.FrameGone, Captured: f.Captured, Video: isVideo(f.Name),
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
