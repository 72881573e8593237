package view

import (
	"cmp"
	"maps"
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
	imageOf, was := matchImages(storedNames(ordered), images), formerNames(s.Record.Published, ordered)
	for _, f := range ordered {
		image := imageOf[plan.StoredName(f.Stored, f.Name)]
		set := setByUs(before[f.Name], sentTexts(&s.Record, before[f.Name].ImageID), image.AltTexts)
		if was[f.Name] != f.Name { // texts that the service kept under the name are another photo's
			maps.Copy(set, shown(run.Carry[f.Name], image.AltTexts))
		}
		made := syncstate.Frame{
			File: f.File, Stored: f.Stored, Digest: f.Digest, Captured: f.Captured,
			ImageID: image.ID, Ordial: image.Ordial, Source: image.Source, Row: image.Row, Group: image.ImageGroup,
			StorageVersion: image.StorageVersion, MediaURL: image.MediaURL, ThumbnailURL: image.ThumbnailURL,
			Alt: image.AltTexts, AltSet: set,
		}
		made.AltCarry = missing(run.Carry[was[f.Name]], made)
		p.Bytes += f.Size
		p.Frames = append(p.Frames, made)
	}
	return p
}

// formerNames are the names under which the frames of a run were published before, by the names
// that they have now. A photo is recognised by its bytes. A new photo replaces the one that had its
// name, unless that one is here under another.
func formerNames(published *syncstate.Published, frames []syncstate.RunFrame) map[string]string {
	now, renamed, former := map[string]string{}, map[string]string{}, map[string]string{}
	for _, f := range frames {
		now[f.Name] = string(f.Digest)
	}
	for name, f := range plan.PublishedFrames(published) {
		if f.ImageID != 0 && now[name] != string(f.Digest) {
			renamed[string(f.Digest)] = name
		}
	}
	moved := map[string]bool{}
	for name, digest := range now {
		former[name] = cmp.Or(renamed[digest], name)
		moved[renamed[digest]] = true
	}
	maps.DeleteFunc(former, func(now, was string) bool { return now == was && moved[now] })
	return former
}
