package daemon

import (
	"context"
	"fmt"
	"maps"
	"time"

	"spinsync/apiclient"
	"spinsync/syncstate"
)

// describeImages sets the alt texts that differ. The texts are read from the service first, unless that was done a moment
// ago, because 4.13 replaces them all and those of others must survive.
func (j *job) describeImages(ctx context.Context, s scene) error {
	if time.Since(j.listed) > freshList {
		return j.refreshImages(ctx, s)
	}
	listed := j.listed
	j.listed = time.Time{}
	changes := s.altChanges()
	if err := j.intendAltTexts(s, changes); err != nil {
		return err
	}
	for _, change := range changes {
		if time.Since(listed) > freshList {
			return nil // the next plan reads anew, and goes on
		}
		if err := j.describeImage(ctx, s, change); err != nil {
			return err
		}
	}
	return nil
}

// refreshImages records what the service holds now, so that the next plan merges with it.
func (j *job) refreshImages(ctx context.Context, s scene) error {
	images, err := j.d.client.Images(ctx, s.record.Product.UUID)
	if err != nil {
		return j.productGone(ctx, s.record.Product.UUID, err)
	}
	err = j.update(func(r *syncstate.Record) error { return noteImages(r, images) })
	if err == nil {
		j.listed = time.Now()
	}
	return err
}

// noteImages records what the published images are now: their texts, and their ids where the service gave them new ones. Texts that
// were about to be set, and are there, are ours.
func noteImages(r *syncstate.Record, images []apiclient.Image) error {
	stored := map[string]string{}
	for _, f := range r.Published.Frames {
		stored[f.Name] = storedName(f.Stored, f.Name)
	}
	byFile := matchFiles(r.Published, stored, images)
	late := map[int64]map[string]string{}
	for i := range r.Published.Frames {
		f := &r.Published.Frames[i]
		image, ok := byFile[f.Name]
		if !ok || image.ID != f.ImageID && image.SourceRevision != r.Published.Revision {
			return errViewReplaced
		}
		f.Alt = image.AltTexts
		if sent := sentTexts(r, f.ImageID); len(sent) > 0 {
			f.AltSet = setByUs(*f, sent, f.Alt)
			noteLate(late, image, sent)
		}
		if image.ID != f.ImageID {
			f.ImageID, f.Ordial, f.Source = image.ID, image.Ordial, image.Source
			f.MediaURL, f.ThumbnailURL = first(image.MediaURL, f.MediaURL), first(image.ThumbnailURL, f.ThumbnailURL)
		}
	}
	r.AltIntent, r.AltLate = nil, late
	return nil
}

// sentTexts are the texts of ours that an image may have without an answer that said so.
func sentTexts(r *syncstate.Record, image int64) map[string]string {
	return withCarried(r.AltIntent[image], r.AltLate[image])
}

// noteLate keeps the texts that were sent to an image and are not there yet.
func noteLate(late map[int64]map[string]string, image apiclient.Image, sent map[string]string) {
	maps.DeleteFunc(sent, func(locale, text string) bool { return image.AltTexts[locale] == text })
	if len(sent) > 0 {
		late[image.ID] = sent
	}
}

// intendAltTexts records what is about to be set: an answer may get lost, and what arrived all the same is ours.
func (j *job) intendAltTexts(s scene, changes []altChange) error {
	intent := map[int64]map[string]string{}
	for _, change := range changes {
		f := s.record.Published.Frames[change.frame]
		intent[f.ImageID] = ours(s.frameTexts(f.Name), change.want)
	}
	return j.update(func(r *syncstate.Record) error { r.AltIntent = intent; return nil })
}

func (j *job) describeImage(ctx context.Context, s scene, change altChange) error {
	f := s.record.Published.Frames[change.frame]
	stored, err := j.d.client.SetAltTexts(ctx, f.ImageID, change.want)
	if err != nil {
		return fmt.Errorf("alt texts of %s: %w", show(f.Name), err)
	}
	said := s.frameTexts(f.Name)
	return j.update(func(r *syncstate.Record) error {
		f := &r.Published.Frames[change.frame]
		f.Alt, f.AltCarry = stored.AltTexts, nil
		f.AltSet = ours(said, change.want)
		delete(r.AltIntent, f.ImageID)
		return nil
	})
}

// setByUs are those of the texts on the service that were set from here, be it by a request whose answer was not recorded.
func setByUs(f syncstate.Frame, intended, service map[string]string) map[string]string {
	return withCarried(ours(intended, service), ours(f.AltSet, service))
}

// ours are those of the texts on the service that are there because the folder says so.
func ours(said, service map[string]string) map[string]string {
	set := maps.Clone(said)
	maps.DeleteFunc(set, func(locale, text string) bool { return service[locale] != text })
	return set
}
