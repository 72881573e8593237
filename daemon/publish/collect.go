package publish

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// pollStatus asks once whether the run's own revision has finished.
func (j *Job) pollStatus(ctx context.Context, s plan.Scene) error {
	run := s.Record.Run
	answer, err := j.status(ctx, s.Record.Product.UUID)
	if err != nil {
		return j.productGone(ctx, s.Record.Product.UUID, err)
	}
	done := answer.Finished() && (run.Baseline == nil || answer.SourceRevision != *run.Baseline)
	doubt := j.doubts(run, answer) || beyond(run, answer)
	answered := time.Now()
	took := max(0, answered.Sub(run.FinishSent))
	learnt := done && !j.Resumed && schedule.Punctual(run.NextPoll, answered, took)
	j.Resumed = false
	err = j.updatePatiently(func(r *syncstate.Record) error {
		r.Run.Status = answer.ImageStatus
		r.Run.Polls++
		r.Run.NextPoll = j.nextPoll(r.Run)
		r.Run.Revision, r.Run.Doubt = answer.SourceRevision+1, r.Run.Doubt || doubt
		r.Run.Moved = run.Moved || run.Finishing == nil || *run.Finishing != progressOf(answer)
		if done {
			r.Run.Finished = answer.SourceRevision + 1
		}
		if learnt {
			r.Run.Took = took
		}
		return nil
	})
	if learnt {
		j.Polls.Observe(run.Images, took, run.Polls == 0)
	}
	if err == nil && !done && took > j.Poll.GiveUp {
		stuck := &status.Cause{Kind: status.StuckProcessing, For: j.Poll.GiveUp, Name: answer.ImageStatus}
		return outcome.PersonUntil(j.nextPoll(run), stuck)
	}
	return err
}

// collectImages reads the finished revision back. Only a list that agrees with the manifest in
// every respect is recorded as published.
func (j *Job) collectImages(ctx context.Context, s plan.Scene) error {
	run := s.Record.Run
	if run.Doubt {
		return j.settleDoubt(ctx, s)
	}
	images, err := j.Service.Images(ctx, s.Record.Product.UUID)
	j.Service.Permissions.Learn(s.Record.Project.UUID, time.Now(), err)
	if err != nil {
		return j.productGone(ctx, s.Record.Product.UUID, err)
	}
	if doubt := doubtful(images, run); doubt != "" {
		return j.pollAgain(run, doubt)
	}
	if !run.Moved && run.Before != "" && run.Before == imagesFingerprint(images) {
		return j.distrust(run)
	}
	published := j.published(s, images)
	j.began = run.Started
	err = j.updatePatiently(func(r *syncstate.Record) error {
		r.Published, r.Run, r.Outline, r.AsIs, r.AltIntent, r.AltLate = published, nil, "", 0, nil, nil
		return nil
	})
	j.listed = time.Now()
	return err
}

// doubtful says why a list of images is not yet the published manifest.
func doubtful(images []apiclient.Image, run *syncstate.Run) string {
	if len(images) != len(run.Frames) {
		return fmt.Sprintf("the service lists %d images for %s", len(images), status.Frames(len(run.Frames)))
	}
	for _, image := range images {
		switch {
		case image.SourceRevision != run.Finished-1:
			return fmt.Sprintf("the service lists images of revision %d beside revision %d",
				image.SourceRevision, run.Finished-1)
		case !image.MediaReady || image.MediaURL == "":
			return "the service has no media yet for some images"
		}
	}
	return ""
}

// pollAgain goes back to polling after a list that contradicts the status.
func (j *Job) pollAgain(run *syncstate.Run, doubt string) error {
	next := j.nextPoll(run)
	err := j.Update(func(r *syncstate.Record) error {
		r.Run.Finished, r.Run.NextPoll = 0, next
		r.Run.WrongLists++
		return nil
	})
	if err != nil || run.WrongLists < wrongLists {
		return err
	}
	return outcome.PersonUntil(next, &status.Cause{Kind: status.WrongList, Said: doubt})
}

// distrust handles a list of images that equals the list from before the run, although the service
// reports the run's revision as finished. Either the service has not begun yet, or the images keep
// their names. After several such lists the source files decide.
func (j *Job) distrust(run *syncstate.Run) error {
	if run.WrongLists < wrongLists {
		return j.pollAgain(run, "")
	}
	return j.Update(func(r *syncstate.Record) error { r.Run.Doubt = true; return nil })
}

// published makes the published record from manifest and images.
func (j *Job) published(s plan.Scene, images []apiclient.Image) *syncstate.Published {
	run := s.Record.Run
	ordered := slices.Clone(run.Frames)
	slices.SortFunc(ordered, func(a, b syncstate.RunFrame) int {
		return strings.Compare(plan.StoredName(a.Stored, a.Name), plan.StoredName(b.Stored, b.Name))
	})
	before := plan.PublishedFrames(s.Record.Published)
	p := &syncstate.Published{
		Revision: run.Finished - 1, At: status.WholeSecond(time.Now()), Images: len(ordered),
		Marker: run.Marker, Took: run.Took,
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

// storedNames are the frames' names on the service.
func storedNames(frames []syncstate.RunFrame) []string {
	names := make([]string, len(frames))
	for i, f := range frames {
		names[i] = plan.StoredName(f.Stored, f.Name)
	}
	return names
}

// matchImages finds the images of the frames with these stored names, which are sorted. It goes by
// the source's name when each frame has one, else by order, which the stored names decide
// (interface 4.3, rule 1). If not even the numbers agree, some frames have no image.
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
	inOrder := slices.SortedStableFunc(slices.Values(images),
		func(a, b apiclient.Image) int { return a.Ordial - b.Ordial })
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

// noteTouched records the new identities of files that were touched or copied over themselves.
func (j *Job) noteTouched(s plan.Scene) error {
	return j.Update(func(r *syncstate.Record) error {
		for i, f := range r.Published.Frames {
			if reading, ok := j.Readings[f.Name]; ok && bytes.Equal(reading.Digest, f.Digest) {
				r.Published.Frames[i].File = reading.File
			}
		}
		return nil
	})
}
