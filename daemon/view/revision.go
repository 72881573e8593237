package view

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"spinsync/apiclient"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Doubt is why a list of images is not yet the published manifest; empty when it is.
func Doubt(images []apiclient.Image, run *syncstate.Run) string {
	if len(images) != len(run.Frames) {
		return "the service lists " + status.Counted(len(images), "image") + " for " + status.Frames(len(run.Frames))
	}
	for _, image := range images {
		switch {
		case image.SourceRevision != run.Seen.Revision:
			return fmt.Sprintf("the service lists images of revision %d beside revision %d",
				image.SourceRevision, run.Seen.Revision)
		case !image.MediaReady || image.MediaURL == "":
			return "the service has no media yet for some images"
		}
	}
	return ""
}

// Overtaken reports whether the product shows other images than when the run began. Images that are
// not ready may be the last ones on their way. With other names they may be the run's own, or those of
// an upload that somebody else finished: a doubt. So are images that keep their names each time that
// a run is given up for them: a service may give them other addresses at each announcement.
func Overtaken(run *syncstate.Run, images []apiclient.Image) (overtaken, doubt bool) {
	ready := !slices.ContainsFunc(images, func(i apiclient.Image) bool { return !i.MediaReady })
	now, before := Fingerprint(images), run.Before.Print
	named := before != "" && namesIn(now) == namesIn(before)
	if ready && now != before {
		again := named && run.Setbacks.Overtaken > 0
		return !again, again
	}
	return false, !ready && !named
}

// IsFromBefore reports whether images may still be those from before the run.
func IsFromBefore(run *syncstate.Run, images []apiclient.Image) bool {
	return run.Before.Print != "" && Fingerprint(images) == run.Before.Print
}

// ProgressOf is the progress in a status.
func ProgressOf(s apiclient.Status) syncstate.Progress {
	return syncstate.Progress{Revision: s.SourceRevision, Status: s.ImageStatus}
}

// ShowsAs reports whether images are those of a published revision.
func ShowsAs(published *syncstate.Published, images []apiclient.Image) bool {
	ids := map[int64]bool{}
	for _, f := range published.Frames {
		ids[f.ImageID] = true
	}
	for _, image := range images {
		if !ids[image.ID] || image.SourceRevision != published.Revision {
			return false
		}
	}
	return len(images) == len(published.Frames)
}

// ForgetImages forgets which images the frames became: a service may give the ids to other frames.
func ForgetImages(frames []syncstate.Frame) {
	for i := range frames {
		frames[i].ImageID = 0
	}
}

// Fingerprint is another one after each upload. It is empty for no images. Pictures that others
// added to the images of a turn play no part. Its first half is of the names alone, which images on
// their way have too.
func Fingerprint(images []apiclient.Image) string {
	if len(images) == 0 {
		return ""
	}
	var names, lines []string
	for _, image := range withoutAdded(images) {
		name := fmt.Sprintf("%d %q", image.ID, image.Source)
		names, lines = append(names, name), append(lines, fmt.Sprintf("%s %q", name, image.MediaURL))
	}
	return shortSum(names) + shortSum(lines)
}

// namesIn is the half of a fingerprint that is of the names.
func namesIn(print string) string { return print[:len(print)/2] }

func shortSum(lines []string) string {
	slices.Sort(lines)
	sum := sha256.Sum256(fmt.Append(nil, lines))
	return hex.EncodeToString(sum[:8])
}

// Beyond reports whether the revision of a status is farther on than one upload leads. Then another
// user may have uploaded after the run's finish.
func Beyond(run *syncstate.Run, status apiclient.Status) bool {
	switch {
	case run.Before.Revision != nil:
		return status.SourceRevision > *run.Before.Revision+1
	case run.Seen != nil:
		return status.SourceRevision > run.Seen.Revision+1
	}
	return false
}
