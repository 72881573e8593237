package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"spinsync/apiclient"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// finishUpload looks at the folder once more and then tells the service that all is there. From here on the run is
// bound and is seen through.
func (j *job) finishUpload(ctx context.Context, s scene, planned []watcher.File) error {
	carry, before, err := j.readOldImages(ctx, s)
	if errors.Is(err, errOvertaken) {
		return j.startOver(err)
	}
	if err != nil {
		return err
	}
	marker, err := j.lookOnceMore(ctx, s, planned)
	if err != nil {
		return err
	}
	err = j.update(func(r *syncstate.Record) error {
		r.Run.Carry, r.Run.Finishing, r.Run.Marker, r.Run.FinishSent = carry, before, marker, time.Now()
		return nil
	})
	if err != nil {
		return err
	}
	return j.sendFinish(ctx, s.record.Product.UUID)
}

// readOldImages reads the images that a reupload is about to replace: others may have written on them while frames were
// sent, and how far the service says it is with them tells later whether a finish without an answer arrived.
func (j *job) readOldImages(ctx context.Context, s scene) (carry map[string]map[string]string, before *syncstate.Progress, err error) {
	run := s.record.Run
	if !run.Reupload {
		return run.Carry, nil, nil
	}
	images, err := j.d.client.Images(ctx, s.record.Product.UUID)
	if err != nil {
		return nil, nil, j.productGone(ctx, s.record.Product.UUID, err)
	}
	if overtaken(run, images) {
		return nil, nil, errOvertaken
	}
	if len(images) > 0 {
		before = &syncstate.Progress{Revision: images[0].SourceRevision, Status: images[0].ImageStatus}
	}
	return s.carriedTexts(images), before, nil
}

var errOvertaken = errors.New("somebody else uploaded to the view meanwhile")

// overtaken reports whether the product shows other images than when the run began. Those that are not ready may be the
// run's own, or the last ones on their way.
func overtaken(run *syncstate.Run, images []apiclient.Image) bool {
	ready := !slices.ContainsFunc(images, func(i apiclient.Image) bool { return !i.MediaReady })
	return ready && imagesFingerprint(images) != run.Before
}

// lookOnceMore lists the folder anew. Every frame must be the one that was sent, there must be no other, and the marker must
// be the one that the end was planned by. It returns the marker, which from now on speaks for these frames alone.
func (j *job) lookOnceMore(ctx context.Context, s scene, planned []watcher.File) (marker syncstate.File, err error) {
	now, err := j.d.watcher.Look(ctx, j.key.Root, j.key.Path)
	if err != nil {
		return marker, err
	}
	marker = markerOf(now)
	if !now.Present || now.Err != nil || len(now.Busy) > 0 || len(now.Frames) != len(planned) || !marker.Same(markerOf(s.snapshot)) {
		return marker, errChanged
	}
	sent := map[string]syncstate.RunFrame{}
	for _, f := range s.record.Run.Frames {
		sent[f.Name] = f
	}
	for _, f := range now.Frames {
		if frozen := sent[f.Name]; !frozen.Uploaded || !frozen.Same(identity(f)) {
			return marker, errChanged
		}
	}
	return marker, nil
}

func markerOf(s watcher.Snapshot) syncstate.File {
	if s.Marker == nil {
		return syncstate.File{}
	}
	return identity(*s.Marker)
}

func (j *job) sendFinish(ctx context.Context, uuid string) error {
	sending, cancel := graceful(ctx, createGrace)
	defer cancel()
	err := j.d.client.FinishUpload(sending, uuid)
	var remote *apiclient.Error
	switch {
	case err == nil:
		return j.finishArrived()
	case errors.As(err, &remote) && !remote.MayHaveTakenEffect():
		return errors.Join(err, j.update(func(r *syncstate.Record) error {
			r.Run.FinishSent = time.Time{}
			if remote.Status != 0 && !remote.Temporary() && !remote.Unauthorized() {
				r.Run.Form = nil // a later one may have been handed out, and would be closed in its place
			}
			return nil
		}))
	}
	return err
}

func (j *job) finishArrived() error {
	return j.update(func(r *syncstate.Record) error {
		r.Run.FinishAcked = time.Now()
		r.Run.NextPoll = j.nextPoll(r.Run)
		return nil
	})
}

// nextPoll is when the run's next status request is due.
func (j *job) nextPoll(run *syncstate.Run) time.Time {
	now := time.Now()
	next := now.Add(j.d.pace.pollPause(run.Images, now.Sub(run.FinishSent), j.d.longestPoll, j.d.random))
	if soonest := j.asked.Add(j.d.firstPoll); next.Before(soonest) {
		return soonest
	}
	return next
}

// status asks for the product's status. When that was is remembered, since there is a shortest gap between two requests.
func (j *job) status(ctx context.Context, product string) (apiclient.Status, error) {
	j.asked = time.Now()
	return j.d.client.Status(ctx, product)
}

// confirmFinish finds out whether a finish request without an answer arrived. It is sent again only when neither
// the revision nor the status nor the images moved.
func (j *job) confirmFinish(ctx context.Context, s scene) error {
	uuid, run := s.record.Product.UUID, s.record.Run
	status, err := j.status(ctx, uuid)
	if err != nil {
		return j.productGone(ctx, uuid, err)
	}
	seen := progressOf(status)
	switch {
	case run.Finishing == nil:
		return j.confirmFirstFinish(ctx, uuid, seen)
	case *run.Finishing != seen:
		return j.finishArrived()
	case run.FinishLooks > 0:
		return j.lookForFinish(ctx, uuid, run.FinishLooks)
	}
	return j.sendFinish(ctx, uuid)
}

func progressOf(s apiclient.Status) syncstate.Progress {
	return syncstate.Progress{Revision: s.SourceRevision, Status: s.ImageStatus}
}

// confirmFirstFinish is for a product that had no images before. Those that are listed now prove nothing: a service may list
// what was uploaded before it was told that all is there. Only one that goes on by itself was told.
func (j *job) confirmFirstFinish(ctx context.Context, uuid string, seen syncstate.Progress) error {
	images, err := j.d.client.Images(ctx, uuid)
	switch {
	case err != nil:
		return j.productGone(ctx, uuid, err)
	case len(images) == 0:
		return j.sendFinish(ctx, uuid)
	case seen.Status == apiclient.StatusFinished:
		return j.finishArrived()
	}
	if err := j.update(func(r *syncstate.Record) error { r.Run.Finishing = &seen; return nil }); err != nil {
		return err
	}
	return j.lookForFinish(ctx, uuid, 0)
}

// lookForFinish looks again later whether the service goes on, and sends the finish once more after the last look. Whichever of
// the two the service takes, it is for the same frames.
func (j *job) lookForFinish(ctx context.Context, uuid string, looks int) error {
	if looks == len(lookPauses) {
		err := j.update(func(r *syncstate.Record) error { r.Run.Finishing, r.Run.FinishLooks = nil, 0; return nil })
		if err != nil {
			return err
		}
		return j.sendFinish(ctx, uuid)
	}
	if err := j.update(func(r *syncstate.Record) error { r.Run.FinishLooks = looks + 1; return nil }); err != nil {
		return err
	}
	return later{until: time.Now().Add(lookPauses[looks]), reason: "no answer came to the end of the upload; looking whether it arrived"}
}

// pollStatus asks once whether the run's own revision has finished.
func (j *job) pollStatus(ctx context.Context, s scene) error {
	run := s.record.Run
	status, err := j.status(ctx, s.record.Product.UUID)
	if err != nil {
		return j.productGone(ctx, s.record.Product.UUID, err)
	}
	done := status.Finished() && (run.Baseline == nil || status.SourceRevision != *run.Baseline)
	doubt := j.doubts(run, status) || beyond(run, status)
	j.resumed = false
	took := max(0, time.Since(run.FinishSent))
	err = j.update(func(r *syncstate.Record) error {
		r.Run.Status = status.ImageStatus
		r.Run.Polls++
		r.Run.NextPoll = j.nextPoll(r.Run)
		r.Run.Revision, r.Run.Doubt = status.SourceRevision+1, r.Run.Doubt || doubt
		r.Run.Moved = run.Moved || run.Finishing == nil || *run.Finishing != progressOf(status)
		if done {
			r.Run.Finished = status.SourceRevision + 1
			r.Run.Took = took
		}
		return nil
	})
	if done {
		j.d.pace.observe(run.Images, took)
	}
	if err == nil && !done && took > j.d.giveUp {
		return later{until: j.nextPoll(run), person: true, reason: fmt.Sprintf(
			"the service has been processing for %s (%s); ask its support, or upload again with `spinsync retry`",
			roundly(took), show(status.ImageStatus))}
	}
	return err
}

// collectImages reads the finished revision back. Only a list that agrees with the manifest in every respect is recorded
// as published.
func (j *job) collectImages(ctx context.Context, s scene) error {
	run := s.record.Run
	if run.Doubt {
		return j.settleDoubt(ctx, s)
	}
	images, err := j.d.client.Images(ctx, s.record.Product.UUID)
	if err != nil {
		return j.productGone(ctx, s.record.Product.UUID, err)
	}
	if doubt := doubtful(images, run); doubt != "" {
		return j.pollAgain(run, doubt)
	}
	if !run.Moved && run.Before != "" && run.Before == imagesFingerprint(images) {
		return j.distrust(run)
	}
	published := j.published(s, images)
	err = j.update(func(r *syncstate.Record) error {
		r.Published, r.Run, r.Outline, r.AsIs, r.AltIntent = published, nil, "", 0, nil
		return nil
	})
	j.listed = time.Now()
	return err
}

// doubtful says why a list of images is not yet the published manifest.
func doubtful(images []apiclient.Image, run *syncstate.Run) string {
	if len(images) != len(run.Frames) {
		return fmt.Sprintf("the service lists %d images for %s", len(images), frames(len(run.Frames)))
	}
	for _, image := range images {
		switch {
		case image.SourceRevision != run.Finished-1:
			return fmt.Sprintf("the service lists images of revision %d beside revision %d", image.SourceRevision, run.Finished-1)
		case !image.MediaReady || image.MediaURL == "":
			return "the service has no media yet for some images"
		}
	}
	return ""
}

// pollAgain goes back to polling after a list that contradicts the status.
func (j *job) pollAgain(run *syncstate.Run, doubt string) error {
	next := j.nextPoll(run)
	err := j.update(func(r *syncstate.Record) error {
		r.Run.Finished, r.Run.NextPoll = 0, next
		r.Run.WrongLists++
		return nil
	})
	if err != nil || run.WrongLists < wrongLists {
		return err
	}
	return later{until: next, person: true, reason: doubt + "; ask its support, or upload again with `spinsync retry`"}
}

// distrust is for a list that is the one from before the run, on a service that said already then that this revision is
// finished. That may be so because it has not begun yet, or because the images keep their names; in the end the source files tell.
func (j *job) distrust(run *syncstate.Run) error {
	if run.WrongLists < wrongLists {
		return j.pollAgain(run, "")
	}
	return j.update(func(r *syncstate.Record) error { r.Run.Doubt = true; return nil })
}

// published joins manifest and images into what is recorded.
func (j *job) published(s scene, images []apiclient.Image) *syncstate.Published {
	run := s.record.Run
	ordered := slices.Clone(run.Frames)
	slices.SortFunc(ordered, func(a, b syncstate.RunFrame) int {
		return strings.Compare(storedName(a.Stored, a.Name), storedName(b.Stored, b.Name))
	})
	before := publishedFrames(s.record.Published)
	p := &syncstate.Published{
		Revision: run.Finished - 1, At: time.Now().UTC().Truncate(time.Second), Images: len(ordered), Marker: run.Marker, Took: run.Took,
	}
	imageOf := matchImages(storedNames(ordered), images)
	for _, f := range ordered {
		image := imageOf[storedName(f.Stored, f.Name)]
		p.Bytes += f.Size
		p.Frames = append(p.Frames, syncstate.Frame{
			File: f.File, Stored: f.Stored, Digest: f.Digest, Captured: f.Captured,
			ImageID: image.ID, Ordial: image.Ordial, Source: image.Source, Row: image.Row, Group: image.ImageGroup,
			StorageVersion: image.StorageVersion, MediaURL: image.MediaURL, ThumbnailURL: image.ThumbnailURL,
			Alt: image.AltTexts, AltCarry: run.Carry[f.Name],
			AltSet: setByUs(before[f.Name], s.record.AltIntent[before[f.Name].ImageID], image.AltTexts),
		})
	}
	return p
}

// publishedFrames are the frames by the name of their files.
func publishedFrames(p *syncstate.Published) map[string]syncstate.Frame {
	byName := map[string]syncstate.Frame{}
	if p != nil {
		for _, f := range p.Frames {
			byName[f.Name] = f
		}
	}
	return byName
}

// storedNames are the frames' names on the service.
func storedNames(frames []syncstate.RunFrame) []string {
	names := make([]string, len(frames))
	for i, f := range frames {
		names[i] = storedName(f.Stored, f.Name)
	}
	return names
}

// matchImages finds the images of the frames that are stored under these names, which are sorted: by the source's name when
// each frame has one, else by order, which the stored names decide (interface 4.3, rule 1). Where not even the numbers agree,
// some frames have no image.
func matchImages(stored []string, images []apiclient.Image) map[string]apiclient.Image {
	matched := map[string]apiclient.Image{}
	for _, image := range images {
		name := sourceName(image.Source)
		if _, ok := slices.BinarySearch(stored, name); ok {
			matched[name] = image
		}
	}
	if len(matched) == len(stored) || len(images) != len(stored) {
		return matched
	}
	inOrder := slices.SortedStableFunc(slices.Values(images), func(a, b apiclient.Image) int { return a.Ordial - b.Ordial })
	for i, image := range inOrder {
		matched[stored[i]] = image
	}
	return matched
}

// sourceName is the file's name in a stored source, which may be a path and may be URL-encoded.
func sourceName(source string) string {
	name := path.Base(source)
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	return norm.NFC.String(name)
}

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
	for i := range r.Published.Frames {
		f := &r.Published.Frames[i]
		image, ok := byFile[f.Name]
		if !ok || image.ID != f.ImageID && image.SourceRevision != r.Published.Revision {
			return errViewReplaced
		}
		f.Alt = image.AltTexts
		if intended, ok := r.AltIntent[f.ImageID]; ok {
			f.AltSet = setByUs(*f, intended, f.Alt)
		}
		if image.ID != f.ImageID {
			f.ImageID, f.Ordial, f.Source = image.ID, image.Ordial, image.Source
			f.MediaURL, f.ThumbnailURL = first(image.MediaURL, f.MediaURL), first(image.ThumbnailURL, f.ThumbnailURL)
		}
	}
	r.AltIntent = nil
	return nil
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

// noteTouched records the new identities of files that were touched or copied over themselves.
func (j *job) noteTouched(s scene) error {
	return j.update(func(r *syncstate.Record) error {
		for i, f := range r.Published.Frames {
			if reading, ok := j.readings[f.Name]; ok && bytes.Equal(reading.digest, f.Digest) {
				r.Published.Frames[i].File = reading.file
			}
		}
		return nil
	})
}
