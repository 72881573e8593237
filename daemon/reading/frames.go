package reading

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"spinsync/daemon/alttext"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/frame"
)

// How many frames of one folder, and of one root, are read at a time: enough to keep a disk busy,
// too few to keep it from a camera.
const (
	readersPerFolder = 2
	ReadersPerRoot   = 4
)

// hollowPatience is how long a frame must have been unchanged that may be a copy whose length was
// set first, before it is believed.
const hollowPatience = 2 * time.Minute

// ReadFrames finds out whether the ends of frames are whole, and with their digest, if it is wanted,
// whether the frames are.
func (p *Folder) ReadFrames(ctx context.Context, files []watcher.File, digest bool) error {
	folder, err := p.openFolder()
	if err != nil {
		return err
	}
	defer folder.Close()
	var mu sync.Mutex
	var waits error // of one frame, which keeps no other from being read
	readings := map[string]plan.Reading{}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readersPerFolder)
	for _, f := range files {
		group.Go(func() error {
			r, err := p.readInTurn(ctx, folder, f, digest)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case outcome.Is(err, outcome.Waits):
				waits = err
			case err != nil:
				return err
			default:
				readings[f.Name] = r
			}
			return nil
		})
	}
	err = group.Wait()
	for name, r := range readings {
		if !r.Glanced.IsZero() { // all of a round are old at the same time, however long it took
			r.Glanced = time.Now()
			readings[name] = r
		}
	}
	mended := p.isMended(readings)
	p.Remember(readings)
	switch {
	case err == nil && mended:
		err = outcome.ErrChanged
	case err == nil:
		err = waits
	}
	return err
}

// isMended reports whether a frame is whole now that was broken before, under the same size and time:
// something wrote to it that the listing does not know of.
func (p *Folder) isMended(fresh map[string]plan.Reading) bool {
	for name, r := range fresh {
		if old, ok := p.Readings[name]; ok && r.Whole && old.Broken != "" && old.File.Same(r.File) && old.Changed == r.Changed {
			return true
		}
	}
	return false
}

// readInTurn reads one frame when the root has a reader to spare.
func (p *Folder) readInTurn(
	ctx context.Context, folder *watcher.OpenFolder, f watcher.File, digest bool,
) (r plan.Reading, err error) {
	select {
	case p.Root.Readers <- struct{}{}:
	case <-ctx.Done():
		return r, ctx.Err()
	}
	defer func() { <-p.Root.Readers }()
	err = outcome.Guard(func() error {
		r, err = p.readFrame(ctx, folder, f, digest)
		return err
	})
	return r, err
}

// Remember adds readings to those of the frames that are still in the folder.
func (p *Folder) Remember(fresh map[string]plan.Reading) {
	for _, f := range p.Snapshot.Frames {
		old, ok := p.Readings[f.Name]
		if _, isFresh := fresh[f.Name]; isFresh || !ok || !old.File.Same(plan.FileOf(f)) {
			continue
		}
		fresh[f.Name] = old
	}
	for name, r := range fresh {
		if old, ok := p.Readings[name]; ok && !r.Whole && old.Broken == r.Broken && old.File.Same(r.File) && old.Changed == r.Changed {
			r.Since = old.Since
			fresh[name] = r
		}
	}
	p.Readings = fresh
}

// glanceAgainAfter is how soon a frame that was found broken is read once more, when its folder is
// planned again: a drive may report one size and time until a file is closed.
const glanceAgainAfter = 20 * time.Second

// current are the readings without those that are too old to be believed.
func (p *Folder) current(now time.Time) map[string]plan.Reading {
	old := func(f watcher.File) bool {
		r, ok := p.Readings[f.Name]
		return ok && isOld(r, f, now)
	}
	if !slices.ContainsFunc(p.Snapshot.Frames, old) {
		return p.Readings
	}
	current := maps.Clone(p.Readings)
	for _, f := range p.Snapshot.Frames {
		if old(f) {
			delete(current, f.Name)
		}
	}
	return current
}

// isOld reports whether a frame changed since it was read, though perhaps to the same size and time, or
// was found broken a while ago.
func isOld(r plan.Reading, f watcher.File, now time.Time) bool {
	changed := r.Changed != f.Changed && r.Changed != 0 && f.Changed != 0
	return changed || !r.Glanced.IsZero() && now.Sub(r.Glanced) >= glanceAgainAfter
}

// readFrame reads one frame, which must not change while it is read. A glance at the frame is enough,
// unless its digest is wanted: then all of it is read. A frame that is sent is checked as its bytes
// pass.
func (p *Folder) readFrame(
	ctx context.Context, folder *watcher.OpenFolder, f watcher.File, digest bool,
) (plan.Reading, error) {
	r := plan.Reading{File: plan.FileOf(f), Since: time.Now(), Changed: f.Changed}
	file, err := p.Root.openUnchanged(folder.Open, r.File)
	if err != nil {
		return r, err
	}
	defer file.Close()
	var source Source = file
	info, err := frame.Glance(interruptible{ctx, file}, f.Size, f.Name)
	var broken *frame.BrokenError
	switch {
	case errors.As(err, &broken):
		r.Broken, r.Glanced = broken.Reason, r.Since
	case err != nil:
		return r, heldBack(f.Name, fmt.Errorf("read %s: %w", status.Name(f.Name), err))
	case info.Hollow && r.Since.Before(f.Since.Add(hollowPatience)):
		return r, waitFor(f.Name, "its end is empty (zeros), as long as a program copies it", f.Since.Add(hollowPatience), nil)
	default:
		r.Captured, r.XMP, r.Content = info.Captured, alttext.ParsePacket(info.XMP), info.ContentType
	}
	if digest && r.Broken == "" {
		if source, err = p.Root.sourceOf(folder.Open, file, r.File); err != nil {
			return r, err
		}
		through := NewHasher(r.Content)
		if _, err := io.Copy(through, io.NewSectionReader(interruptible{ctx, source}, 0, f.Size)); err != nil {
			return r, heldBack(f.Name, fmt.Errorf("read %s: %w", status.Name(f.Name), err))
		}
		r.Digest, r.Broken = through.Digest(), through.Broken(f.Name)
	}
	if r.Whole = r.Broken == ""; !r.Whole {
		r.Since = p.lastChange(f, r.Since)
	}
	return r, p.Root.unchanged(source, r.File)
}

// An interruptible file is read for as long as a context lasts.
type interruptible struct {
	ctx  context.Context
	file io.ReaderAt
}

func (f interruptible) ReadAt(p []byte, off int64) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.file.ReadAt(p, off)
}

// lastChange is when a file was last written to, as far as its disk shows: else it may have been
// just now. The clock of a network drive may be another than ours.
func (p *Folder) lastChange(f watcher.File, now time.Time) time.Time {
	if f.Changed == 0 || p.OnNetwork() {
		return now
	}
	return now.Add(-max(0, now.Sub(time.Unix(0, f.Changed))))
}

// ContentType is the media type of the file's content, whatever its name. Of a frame that was not read
// before it also says why it is broken.
func ContentType(facts plan.Facts, file *watcher.OpenFile, f syncstate.File) (contentType, broken string, err error) {
	r, ok := facts.Readings[f.Name]
	if ok && r.File.Same(f) && r.Content != "" {
		return r.Content, "", nil
	}
	info, err := frame.Glance(file, f.Size, f.Name)
	if damage, ok := errors.AsType[*frame.BrokenError](err); ok {
		return "", damage.Reason, nil
	}
	return info.ContentType, "", err
}

// DigestOf reads a frame, once for all folders that it is compared with, and again once it was touched.
func (p *Folder) DigestOf(ctx context.Context, f watcher.File) ([]byte, error) {
	if r := p.Readings[f.Name]; r.Digest == nil || !r.File.Same(plan.FileOf(f)) || r.Changed != f.Changed {
		if err := p.ReadFrames(ctx, []watcher.File{f}, true); err != nil {
			return nil, err
		}
	}
	return p.Readings[f.Name].Digest, ctx.Err()
}
