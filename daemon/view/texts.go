package view

import (
	"cmp"
	"maps"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// NoteImages records the current texts of the published images, and their ids where the service
// gave them new ones. Intended texts that the service holds are ours.
func NoteImages(r *syncstate.Record, images []apiclient.Image) error {
	stored := map[string]string{}
	for _, f := range r.Published.Frames {
		stored[f.Name] = plan.StoredName(f.Stored, f.Name)
	}
	byFile := matchFiles(r.Published, stored, OfFolder(images, len(stored)))
	late := map[int64]map[string]string{}
	for i := range r.Published.Frames {
		f := &r.Published.Frames[i]
		image, ok := byFile[f.Name]
		if !ok || image.ID != f.ImageID && image.SourceRevision != r.Published.Revision {
			return outcome.Because(status.ViewReplaced)
		}
		sent := sentTexts(r, f.ImageID)
		f.Alt, f.AltSet = image.AltTexts, plan.WithCarried(shown(sent, image.AltTexts), f.AltSet)
		maps.DeleteFunc(f.AltSet, func(_, text string) bool { return text == "" })
		f.AltCarry = missing(f.AltCarry, *f)
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

// setByUs are the texts on the service that this program set, including those whose answer was not
// recorded.
func setByUs(f syncstate.Frame, sent, service map[string]string) map[string]string {
	set := plan.WithCarried(shown(sent, service), shown(f.AltSet, service))
	maps.DeleteFunc(set, func(_, text string) bool { return text == "" })
	return set
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

// CarriedTexts are the alt texts that others wrote on the product's images, by local file, those
// that were carried to them and are not set yet included. What a run carried before counts for
// images that are not those of the published revision: it may have cost the old ones already.
func CarriedTexts(s plan.Scene, images []apiclient.Image) map[string]map[string]string {
	carry := map[string]map[string]string{}
	if s.Record.Run != nil {
		maps.Copy(carry, s.Record.Run.Carry)
	}
	published := plan.PublishedFrames(s.Record.Published)
	for name, image := range imagesByFile(s, images) {
		f, known := published[name]
		carried := carry[name]
		if known && image.ID == f.ImageID && image.SourceRevision == s.Record.Published.Revision {
			carried = f.AltCarry
		}
		foreign := maps.Clone(image.AltTexts)
		for locale := range setByUs(f, sentTexts(&s.Record, image.ID), image.AltTexts) {
			delete(foreign, locale)
		}
		carry[name] = plan.WithCarried(foreign, carried)
	}
	maps.DeleteFunc(carry, func(_ string, texts map[string]string) bool { return len(texts) == 0 })
	return carry
}
