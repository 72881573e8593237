package dashboard

import (
	"fmt"
	"strings"

	"spinsync/daemon/status"
)

// A caption is an alt text of a frame.
type caption struct {
	Locale string
	Text   string
	Mark   string // what a reader should know of it, or ""
}

// Captions are the texts of a frame, by locale.
func (f shownFrame) Captions() []caption {
	var list []caption
	for _, locale := range status.LocalesOf([]status.FrameDetails{f.FrameDetails}) {
		if c := newCaption(f.Alt[locale]); c.Text != "" {
			c.Locale = locale
			list = append(list, c)
		}
	}
	return list
}

func newCaption(a status.AltDetails) caption {
	switch {
	case a.Local == a.Service:
		return caption{Text: a.Service}
	case a.Local == "" && a.Ours:
		return caption{Text: a.Service, Mark: "withdrawn"}
	case a.Service == "" || a.Ours:
		return caption{Text: a.Local, Mark: "not published yet"}
	}
	return caption{Text: a.Service, Mark: "written on the service"}
}

// Missing counts the frames of the folder without a text, for each locale; empty when all have one.
func (f folderPage) Missing() string {
	var list []string
	for _, locale := range f.Details.Locales {
		without, all := 0, 0
		for _, frame := range f.Details.Frames {
			if frame.State == status.FrameGone {
				continue
			}
			all++
			if newCaption(frame.Alt[locale]).Text == "" {
				without++
			}
		}
		if without > 0 {
			list = append(list, fmt.Sprintf("%d of %d have no text (%s)", without, all, locale))
		}
	}
	return strings.Join(list, ", ")
}
