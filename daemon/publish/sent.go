package publish

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/sending"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// sentFrames are the frames of one folder that were sent and are not finished.
type sentFrames struct {
	record *ledger
	folder *reading.Folder
}

// A frozenFrame is a frame of the run as it was recorded before it is sent.
type frozenFrame struct {
	index int // in the run
	frame syncstate.RunFrame
}

// freeze writes down which files are about to be sent, before any byte of them leaves. A frozen
// frame that differs from its file later is the sign that the form holds something that must not be
// published.
func (sf *sentFrames) freeze(s plan.Scene, unsent []watcher.File) (all []frozenFrame, err error) {
	err = sf.record.change(func(r *syncstate.Record) {
		all = all[:0]
		index := map[string]int{}
		for i, f := range r.Run.Frames {
			index[f.Name] = i
		}
		for _, f := range unsent {
			i, ok := index[f.Name]
			if !ok {
				i = len(r.Run.Frames)
				r.Run.Frames = append(r.Run.Frames, syncstate.RunFrame{})
			}
			r.Run.Frames[i] = frozen(s.Set, f)
			all = append(all, frozenFrame{i, r.Run.Frames[i]})
		}
	})
	return all, err
}

// askedFrames are the frames that a product or a form is asked for. None of them was sent.
func askedFrames(s plan.Scene) []syncstate.RunFrame {
	asked := make([]syncstate.RunFrame, len(s.Set.Whole))
	for i, f := range s.Set.Whole {
		asked[i] = frozen(s.Set, f)
	}
	return asked
}

// frozen is a frame as it is recorded before it is sent.
func frozen(set plan.Set, f watcher.File) syncstate.RunFrame {
	return syncstate.RunFrame{
		File: plan.FileOf(f), Stored: otherName(set.Stored[f.Name], f.Name), Captured: set.CapturedAt(f),
		Changed: f.Changed,
	}
}

// learn remembers a frame that its upload found corrupt.
func (sf *sentFrames) learn(sent sending.Sent) {
	if sent.Corrupt != nil {
		sf.folder.Remember(map[string]plan.Reading{sent.Corrupt.File.Name: *sent.Corrupt})
	}
}

// lookOnceMore lists the folder again. Its frames must be exactly the frames that were sent, and
// its marker must not have changed since the plan. It returns the marker, which from now on speaks
// for these frames alone.
func (sf *sentFrames) lookOnceMore(
	ctx context.Context, s plan.Scene, planned []watcher.File,
) (marker syncstate.File, err error) {
	now, err := sf.folder.Look(ctx)
	if err != nil {
		return marker, err
	}
	marker = markerOf(now)
	if !isAsSent(s, now, planned) {
		return marker, outcome.ErrChanged
	}
	return marker, sf.compareTouched(ctx, s.Record.Run, now.Frames)
}

// isAsSent reports whether the folder has the planned frames as they were sent, and the marker of
// the plan.
func isAsSent(s plan.Scene, now watcher.Snapshot, planned []watcher.File) bool {
	seen := s.Facts
	seen.Snapshot = now
	if !now.Present || now.Err != nil || len(plan.BusyNow(seen, s.Record, time.Now())) > 0 ||
		len(now.Frames) != len(planned) || !markerOf(now).Same(markerOf(s.Facts.Snapshot)) {
		return false
	}
	sent := map[string]syncstate.RunFrame{}
	for _, f := range s.Record.Run.Frames {
		sent[f.Name] = f
	}
	return !slices.ContainsFunc(now.Frames, func(f watcher.File) bool {
		frozen := sent[f.Name]
		return !frozen.Uploaded || !frozen.Same(plan.FileOf(f))
	})
}

func markerOf(s watcher.Snapshot) syncstate.File {
	if s.Marker == nil {
		return syncstate.File{}
	}
	return plan.FileOf(*s.Marker)
}

// compareTouched reads the frames that were touched since they were sent. A program may write into
// a file and put its time back, but not the time of its last change. If the bytes are not those
// that were sent, the form is given up.
func (sf *sentFrames) compareTouched(ctx context.Context, run *syncstate.Run, frames []watcher.File) error {
	sent := make(map[string]syncstate.RunFrame, len(run.Frames))
	for _, f := range run.Frames {
		sent[f.Name] = f
	}
	for _, f := range frames {
		was := sent[f.Name]
		if was.Changed == 0 || was.Changed == f.Changed {
			continue
		}
		digest, err := sf.folder.DigestOf(ctx, f)
		if err != nil {
			return err
		}
		if !bytes.Equal(was.Digest, digest) {
			return errors.Join(sf.record.change(func(r *syncstate.Record) { r.Run.DropForm() }), outcome.ErrChanged)
		}
	}
	return nil
}

// otherName is the name on the service, where it is not the local one.
func otherName(stored, local string) string {
	if stored == "" || stored == local {
		return ""
	}
	return stored
}
