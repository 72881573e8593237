package status

import (
	"maps"
	"slices"
	"time"
)

// Details is the full description of one product folder, as it is now.
type Details struct {
	ProductStatus
	ProjectUUID  string         `json:"project_uuid"`
	Manufacturer string         `json:"manufacturer"`
	Year         string         `json:"year"`
	Reupload     bool           `json:"reupload"` // the run under way replaces a view
	Attempts     int            `json:"attempts"` // failures in a row
	Frames       []FrameDetails `json:"frame_list"`
	Locales      []string       `json:"locales"` // of all texts, sorted
	// Problems lists the read errors in the order of the folder: invalid sidecars, the folder
	// itself.
	Problems []string `json:"problems"`
}

// FrameState is how far one frame has come.
type FrameState string

const (
	FrameArriving  FrameState = "arriving"  // its file is still changing
	FrameBroken    FrameState = "broken"    // its file is not whole
	FrameWaiting   FrameState = "waiting"   // not sent yet
	FrameSent      FrameState = "sent"      // in the run under way
	FramePublished FrameState = "published" // as the file is now
	FrameGone      FrameState = "gone"      // published, and not in the folder any more
)

// FrameDetails is one frame: the local file, and the image it became when it is published.
type FrameDetails struct {
	File     string     `json:"file"` // local name
	Size     int64      `json:"size"`
	ModTime  time.Time  `json:"mod_time"`
	State    FrameState `json:"state"`
	Reason   string     `json:"reason,omitempty"` // why it is broken
	Captured time.Time  `json:"captured,omitzero"`
	Video    bool       `json:"video"`

	ImageID      int64  `json:"image_id,omitempty"` // 0 when it was never published
	MediaURL     string `json:"media_url,omitempty"`
	ThumbnailURL string `json:"thumbnail_url,omitempty"`

	Alt map[string]AltDetails `json:"alt_texts"` // by locale
}

// AltDetails is one alt text of a frame, as in the folder and as on the service.
type AltDetails struct {
	Local   string `json:"local"`   // empty when the folder has none
	Source  string `json:"source"`  // the file that Local comes from
	Service string `json:"service"` // as last read; empty when it holds none
	Ours    bool   `json:"ours"`    // Service was set from here
}

// BreakFor sets the reason why the frame is broken, if there is one.
func (f *FrameDetails) BreakFor(reasons map[string]string) {
	if reason, ok := reasons[f.File]; ok && f.State == FrameWaiting {
		f.State, f.Reason = FrameBroken, reason
	}
}

// LocalesOf are the locales of all texts, sorted.
func LocalesOf(frames []FrameDetails) []string {
	locales := map[string]bool{}
	for _, f := range frames {
		for locale := range f.Alt {
			locales[locale] = true
		}
	}
	return slices.Sorted(maps.Keys(locales))
}
