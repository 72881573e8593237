package view

import (
	"slices"
	"strings"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// PublishedOf makes the published record from manifest and images.
func PublishedOf(s plan.Scene, images []apiclient.Image) *syncstate.Published {
	run := s.Record.Run
	ordered := slices.Clone(run.Frames)
	slices.SortFunc(ordered, func(a, b syncstate.RunFrame) int {
		return strings.Compare(plan.StoredName(a.Stored, a.Name), plan.StoredName(b.Stored, b.Name))
	})
	before := plan.PublishedFrames(s.Record.Published)
	p := &syncstate.Published{
		Revision: run.Seen.Revision, At: status.WholeSecond(time.Now()), Images: len(ordered),
		Marker: run.Marker,
	}
	imageOf := matchImages(storedNames(ordered), images)
	for _, f := range ordered {
		image := imageOf[plan.StoredName(f.Stored, f.Name)]
		p.Bytes += f.Size
		p.Frames = append(p.Frames, syncstate.Frame{
			File: f.File, Stored: f.Stored, Digest: f.Digest, Captured: f.Captured,
			ImageID: image.ID, Ordial: image.Ordial, Source: image.Source, Row: image.Row, Group: image.ImageGroup,
			StorageVersion: image.StorageVersion, MediaURL: image.MediaURL, ThumbnailURL: image.ThumbnailURL,
			Alt: image.AltTexts, AltCarry: run.Carry[f.Name],
			AltSet: setByUs(before[f.Name], sentTexts(&s.Record, before[f.Name].ImageID), image.AltTexts),
		})
	}
	return p
}
