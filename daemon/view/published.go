package view

import (
	"bytes"
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
	ordered := byStored(run.Frames)
	p := &syncstate.Published{
		Revision: run.Seen.Revision, At: status.WholeSecond(time.Now()), Images: len(ordered), Marker: run.Marker,
		Frames: framesMade(&s.Record, run.Before.Frames, ordered, matchImages(storedNames(ordered), images)),
	}
	for _, f := range p.Frames {
		p.Bytes += f.Size
	}
	return p
}

// byStored are the frames of a run in the order of their names on the service.
func byStored(frames []syncstate.RunFrame) []syncstate.RunFrame {
	return slices.SortedFunc(slices.Values(frames), func(a, b syncstate.RunFrame) int {
		return strings.Compare(plan.StoredName(a.Stored, a.Name), plan.StoredName(b.Stored, b.Name))
	})
}

// framesMade are the frames of a run, in order, with the images that they became.
func framesMade(
	r *syncstate.Record, before []syncstate.Frame, ordered []syncstate.RunFrame, imageOf map[string]apiclient.Image,
) []syncstate.Frame {
	former := formerFrames(before, ordered)
	frames := make([]syncstate.Frame, len(ordered))
	for i, f := range ordered {
		image := imageOf[plan.StoredName(f.Stored, f.Name)]
		frames[i] = syncstate.Frame{
			File: f.File, Stored: f.Stored, Digest: f.Digest, Captured: f.Captured,
			ImageID: image.ID, Ordial: image.Ordial, Source: image.Source, Row: image.Row, Group: image.ImageGroup,
			StorageVersion: image.StorageVersion, MediaURL: image.MediaURL, ThumbnailURL: image.ThumbnailURL,
			Alt: image.AltTexts,
		}
		inherit(r, &frames[i], i, before, former)
	}
	return frames
}

// inherit gives the i-th frame the texts of its photo: those that others wrote go with it. Of what
// the service kept on the new image, ours stay ours, and texts that others wrote on the photo that
// had its name or its place before are ours to remove.
func inherit(r *syncstate.Record, f *syncstate.Frame, i int, before []syncstate.Frame, former map[string]int) {
	was, here := former[f.Name]
	var carried map[string]string
	if here {
		carried = textsOfOthers(before[was])
	}
	f.AltSet = map[string]string{}
	for k, left := range before {
		if k != i && left.Name != f.Name && !(here && k == was) {
			continue
		}
		maps.Copy(f.AltSet, shown(left.AltSet, f.Alt))
		maps.Copy(f.AltSet, shown(sentTexts(r, left.ImageID), f.Alt))
		if !here || k != was {
			maps.Copy(f.AltSet, shown(textsOfOthers(left), f.Alt))
		}
	}
	maps.DeleteFunc(f.AltSet, func(locale, text string) bool { return text == "" || carried[locale] == text })
	f.AltCarry = missing(carried, *f)
}

// formerFrames finds the photos of a run among those of before: their indexes, by the names that the
// photos have now. A photo is recognised by its bytes. A new photo replaces the one that had its
// name, unless that one is here under another.
func formerFrames(before []syncstate.Frame, frames []syncstate.RunFrame) map[string]int {
	now, named, renamed := map[string]string{}, map[string]int{}, map[string][]int{}
	for _, f := range frames {
		now[f.Name] = string(f.Digest)
	}
	for i, f := range before {
		named[f.Name] = i
		if f.ImageID != 0 && len(f.Digest) > 0 && now[f.Name] != string(f.Digest) {
			renamed[string(f.Digest)] = append(renamed[string(f.Digest)], i)
		}
	}
	former, moved := map[string]int{}, map[int]bool{}
	for _, f := range frames {
		i, found := named[f.Name]
		alike := renamed[string(f.Digest)]
		if len(alike) > 0 && !(found && bytes.Equal(before[i].Digest, f.Digest)) {
			i, found, moved[alike[0]] = alike[0], true, true
			renamed[string(f.Digest)] = alike[1:]
		}
		if found {
			former[f.Name] = i
		}
	}
	maps.DeleteFunc(former, func(now string, was int) bool { return moved[was] && before[was].Name == now })
	return former
}
