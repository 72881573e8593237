package view

import (
	"cmp"
	"maps"
	"slices"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// NoteImages records the current texts of the published images, and their ids where the service
// gave them new ones. Intended texts that the service holds are ours.
func NoteImages(r *syncstate.Record, images []apiclient.Image) error {
	late := map[int64]map[string]string{}
	matched := matchFrames(r.Published.Frames, OfFolder(images, len(r.Published.Frames)))
	for i := range r.Published.Frames {
		f := &r.Published.Frames[i]
		image, ok := matched[plan.StoredName(f.Stored, f.Name)]
		if same := image.ID == f.ImageID && image.Source == f.Source; !ok || !same && image.SourceRevision != r.Published.Revision {
			return outcome.Because(status.ViewReplaced)
		}
		sent := sentTexts(r, f.ImageID)
		noteTexts(f, image, sent)
		noteLate(late, image, sent)
		if image.ID != f.ImageID {
			f.ImageID, f.Ordial, f.Source = image.ID, image.Ordial, image.Source
			f.MediaURL = cmp.Or(image.MediaURL, f.MediaURL)
			f.ThumbnailURL = cmp.Or(image.ThumbnailURL, f.ThumbnailURL)
		}
	}
	r.Late.AltIntent, r.Late.AltLate = nil, late
	return nil
}

// noteTexts records the texts of a frame's image. Of those that were sent without an answer, it
// shows which ones arrived.
func noteTexts(f *syncstate.Frame, image apiclient.Image, sent map[string]string) {
	f.Alt, f.AltSet = image.AltTexts, plan.WithCarried(shown(sent, image.AltTexts), f.AltSet)
	maps.DeleteFunc(f.AltSet, isBlank)
	f.AltCarry = missing(f.AltCarry, *f)
}

func isBlank(_, text string) bool { return text == "" }

// sentTexts are our texts that an image may have although no answer confirmed them.
func sentTexts(r *syncstate.Record, image int64) map[string]string {
	return plan.WithCarried(r.Late.AltIntent[image], r.Late.AltLate[image])
}

// noteLate keeps the texts that were sent to an image and do not show there yet.
func noteLate(late map[int64]map[string]string, image apiclient.Image, sent map[string]string) {
	maps.DeleteFunc(sent, func(locale, text string) bool { return image.AltTexts[locale] == text })
	if len(sent) > 0 {
		late[image.ID] = sent
	}
}

// StillLate are our texts that were sent to images which a new revision kept, and do not show there
// yet.
func StillLate(r *syncstate.Record, images []apiclient.Image) map[int64]map[string]string {
	late := map[int64]map[string]string{}
	for _, image := range images {
		noteLate(late, image, sentTexts(r, image.ID))
	}
	return late
}

// shown are those of some texts that the service shows. It shows a blank one by none.
func shown(texts, service map[string]string) map[string]string {
	shows := maps.Clone(texts)
	maps.DeleteFunc(shows, func(locale, text string) bool { return service[locale] != text })
	return shows
}

// missing are those of the texts that others wrote on a photo that its image lacks, or has ours for.
func missing(carried map[string]string, f syncstate.Frame) map[string]string {
	left := maps.Clone(carried)
	maps.DeleteFunc(left, func(locale, _ string) bool { return f.Alt[locale] != "" && f.Alt[locale] != f.AltSet[locale] })
	return left
}

// textsOfOthers are the texts that others wrote on a photo, those that its image still lacks included.
func textsOfOthers(f syncstate.Frame) map[string]string {
	texts := plan.WithCarried(f.AltCarry, f.Alt)
	maps.DeleteFunc(texts, func(locale, text string) bool { return f.AltCarry[locale] == "" && f.AltSet[locale] == text })
	return texts
}

// FramesBefore are the photos of the images that a run is about to replace, with the texts of each.
// Images that are neither those of the publication nor those that the run found when it began are of
// an upload that was not recorded: of the run's own, as far as their number tells. Others go by the
// names that the folder's frames have on the service.
func FramesBefore(s plan.Scene, images []apiclient.Image) []syncstate.Frame {
	before, _ := knownFrames(s.Record)
	frames, own := framesShown(s, len(images))
	if noteKnown(&s.Record, before, images) {
		return nameThoseThatCame(before, frames, images)
	}
	before = FramesWithout(s.Record)
	made := madeOf(&s.Record, before, frames, images)
	for _, f := range before {
		if _, here := s.Set.Stored[f.Name]; !own && !here && f.Name != "" { // it may come yet
			f.ImageID = 0
			made = append(made, f)
		}
	}
	return made
}

// framesShown are the frames that so many images of an unknown upload may show: the run's own, or
// those of the folder.
func framesShown(s plan.Scene, images int) (frames []syncstate.RunFrame, own bool) {
	if run := s.Record.Run; run != nil && len(run.Frames) == images {
		return run.Frames, true
	}
	for name, stored := range s.Set.Stored {
		frames = append(frames, syncstate.RunFrame{File: syncstate.File{Name: name}, Stored: stored})
	}
	return frames, false
}

// nameThoseThatCame gives the photos that were gone when a run began their frames, where these came
// since.
func nameThoseThatCame(
	before []syncstate.Frame, frames []syncstate.RunFrame, images []apiclient.Image,
) []syncstate.Frame {
	if !slices.ContainsFunc(before, func(f syncstate.Frame) bool { return f.Name == "" }) {
		return before
	}
	matched := matchFrames(withoutImages(frames), images)
	for _, f := range frames {
		image := matched[plan.StoredName(f.Stored, f.Name)]
		gone := slices.IndexFunc(before, func(b syncstate.Frame) bool { return b.Name == "" && b.ImageID == image.ID })
		if gone < 0 {
			continue
		}
		known := slices.IndexFunc(before, func(b syncstate.Frame) bool { return b.Name == f.Name })
		before[gone].File, before[gone].Stored = f.File, f.Stored
		if known >= 0 {
			before[gone].AltSet, before[gone].AltCarry = before[known].AltSet, before[known].AltCarry
			before = slices.Delete(before, known, known+1)
		}
	}
	return before
}

// withoutImages are frames of which it is not known which images they became.
func withoutImages(frames []syncstate.RunFrame) (named []syncstate.Frame) {
	for _, f := range frames {
		named = append(named, syncstate.Frame{File: f.File, Stored: f.Stored})
	}
	return named
}

// noteKnown records the texts of known frames, and reports whether all images are theirs, by id and
// source, beside pictures that others added. A service may give the ids to the images of another
// upload, and its revision may rise before that or after it.
func noteKnown(r *syncstate.Record, frames []syncstate.Frame, images []apiclient.Image) bool {
	byID := map[int64]apiclient.Image{}
	for _, image := range images {
		byID[image.ID] = image
	}
	for i := range frames {
		f := &frames[i]
		if image, ok := byID[f.ImageID]; ok && image.Source == f.Source {
			noteTexts(f, image, sentTexts(r, image.ID))
			delete(byID, image.ID)
		}
	}
	isLeft := func(image apiclient.Image) bool { _, left := byID[image.ID]; return left }
	return len(frames) > 0 && !slices.ContainsFunc(withoutAdded(images), isLeft)
}

// madeOf are frames with the images of an upload that was not recorded, in the order of these
// images: a service may keep texts by place. Beside a frame that has an image, the image of none is
// in its place, too: it is that of a photo that is gone, and has no name. Frames without an image
// come last.
func madeOf(
	r *syncstate.Record, before []syncstate.Frame, frames []syncstate.RunFrame, images []apiclient.Image,
) []syncstate.Frame {
	matched, found := matchFrames(withoutImages(frames), images), map[int64]bool{}
	for _, image := range matched {
		found[image.ID] = true
	}
	made := framesMade(r, before, byStored(frames), matched)
	for _, image := range images {
		if len(found) > 0 && !found[image.ID] {
			made = append(made, syncstate.Frame{
				ImageID: image.ID, Ordial: image.Ordial, Source: image.Source, Alt: image.AltTexts,
			})
		}
	}
	slices.SortStableFunc(made, func(a, b syncstate.Frame) int {
		if a.ImageID == 0 || b.ImageID == 0 {
			return cmp.Compare(b.ImageID, a.ImageID)
		}
		return cmp.Compare(a.Ordial, b.Ordial)
	})
	return made
}

// knownFrames are the photos of the images that a record knows: those from before its run, or those
// that were published.
func knownFrames(r syncstate.Record) (known []syncstate.Frame, begun bool) {
	if r.Run != nil && len(r.Run.Before.Frames) > 0 {
		return slices.Clone(r.Run.Before.Frames), true
	}
	if r.Published != nil {
		known = slices.Clone(r.Published.Frames)
	}
	for i := range known { // which a run does without
		known[i].MediaURL, known[i].ThumbnailURL = "", ""
	}
	return known, false
}

// FramesUnder are the photos that a record knows, for a view that was compared. Where it still shows the
// publication, they have its images with the texts of now: what others took away stays away.
func FramesUnder(r syncstate.Record, images []apiclient.Image) (frames []syncstate.Frame, stand bool) {
	known, _ := knownFrames(r)
	if r.Published != nil && ShowsAs(r.Published, images) && noteKnown(&r, known, images) {
		return known, true
	}
	photos := slices.DeleteFunc(FramesWithout(r), func(f syncstate.Frame) bool { return f.Name == "" })
	return photos, false
}

// FramesWithout are the photos that a record knows when none of the images is known to be there any
// more. Texts of others that were on published images may have been removed since.
func FramesWithout(r syncstate.Record) []syncstate.Frame {
	known, begun := knownFrames(r)
	for i := range known {
		if begun {
			known[i].AltCarry = textsOfOthers(known[i])
		}
		known[i].Alt = nil
	}
	return known
}
