package publish

import (
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// RefusedTexts are the images of one folder whose texts the service refuses, until all others are
// set.
type refusedTexts struct {
	pace   pace
	said   map[int64]string // by image, why
	inARow int              // how often some were left
}

// note remembers why the texts of an image are refused.
func (rt *refusedTexts) note(f syncstate.Frame, said string) {
	if rt.said == nil {
		rt.said = map[int64]string{}
	}
	rt.said[f.ImageID] = said
}

// has reports whether the texts of an image are refused.
func (rt *refusedTexts) has(f syncstate.Frame) bool { return rt.said[f.ImageID] != "" }

// end is the failure of a folder whose other texts are set; nil when no text was refused.
// The next try sends the refused texts again. The interface does not show which refusals pass by
// themselves, so that a person is called after some tries.
func (rt *refusedTexts) end(frames []syncstate.Frame) error {
	var images []status.Cause
	for _, f := range frames {
		if said := rt.said[f.ImageID]; said != "" {
			images = append(images, status.Cause{Kind: status.RefusedText, Name: f.Name, Text: said})
		}
	}
	rt.said = nil
	if rt.inARow++; len(images) == 0 {
		rt.inARow = 0
		return nil
	}
	if pause, patient := rt.pace.tries(rt.inARow); patient {
		return outcome.Later(time.Now().Add(pause), status.List(status.TextsRefused, images), nil)
	}
	rt.inARow = 0
	return outcome.Person(status.List(status.TextsRefusedFor, images))
}
