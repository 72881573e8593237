package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"spinsync/daemon/alttext"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/frame"
	"spinsync/watcher/volume"
)

// How many frames of one folder, and of one root, are read at a time: enough to keep a disk busy,
// too few to keep it from a camera.
const (
	readersPerFolder = 2
	ReadersPerRoot   = 4
)

// ReadFrames finds out whether frames look whole, and with their digest, if it is wanted, whether
// they are.
func (j *Job) ReadFrames(ctx context.Context, files []watcher.File, digest bool) error {
	folder, err := j.openFolder()
	if err != nil {
		return err
	}
	defer folder.Close()
	var mu sync.Mutex
	readings := map[string]plan.Reading{}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readersPerFolder)
	for _, f := range files {
		group.Go(func() error {
			r, err := j.readInTurn(ctx, folder, f, digest)
			if err != nil && !f.Still && ctx.Err() == nil && !outcome.Is(err, outcome.Panicked) {
				r, err = plan.Reading{File: plan.FileOf(f), Since: time.Now(), Broken: "it is still being written"}, nil
			}
			r.Early = !f.Still && (digest || !r.Whole || !frame.Proves(r.Content))
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			readings[f.Name] = r
			return nil
		})
	}
	err = group.Wait()
	j.remember(readings)
	return err
}

// openFolder opens the folder for a step that opens many of its files.
func (j *Job) openFolder() (*watcher.OpenFolder, error) {
	folder, err := j.Files.OpenFolder(j.Key.Root, j.Key.Path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, outcome.ErrChanged
	}
	return folder, err
}

// readInTurn reads one frame when the root has a reader to spare.
func (j *Job) readInTurn(
	ctx context.Context, folder *watcher.OpenFolder, f watcher.File, digest bool,
) (r plan.Reading, err error) {
	select {
	case j.Root.Readers <- struct{}{}:
	case <-ctx.Done():
		return r, ctx.Err()
	}
	defer func() { <-j.Root.Readers }()
	err = outcome.Guard(func() error {
		r, err = j.readFrame(folder, f, digest)
		return err
	})
	return r, err
}

// remember adds readings to those of the frames that are still in the folder.
func (j *Job) remember(fresh map[string]plan.Reading) {
	for _, f := range j.Snapshot.Frames {
		old, ok := j.Readings[f.Name]
		if _, isFresh := fresh[f.Name]; isFresh || !ok || !old.File.Same(plan.FileOf(f)) {
			continue
		}
		fresh[f.Name] = old
	}
	for name, r := range fresh {
		if old, ok := j.Readings[name]; ok && !r.Whole && old.Broken == r.Broken && old.File.Same(r.File) {
			r.Since = old.Since
			fresh[name] = r
		}
	}
	j.Readings = fresh
}

// readFrame reads one frame, which must not change meanwhile. A glance at the frame is enough,
// unless its digest is wanted: then all of it is read. A frame that is sent is checked as its bytes
// pass.
func (j *Job) readFrame(folder *watcher.OpenFolder, f watcher.File, digest bool) (plan.Reading, error) {
	r := plan.Reading{File: plan.FileOf(f), Since: time.Now()}
	file, err := openUnchanged(folder.Open, r.File)
	if err != nil {
		return r, err
	}
	defer file.Close()
	info, err := frame.Glance(file, f.Size, f.Name)
	var broken *frame.BrokenError
	switch {
	case errors.As(err, &broken):
		r.Broken = broken.Reason
	case err != nil:
		return r, fmt.Errorf("read %s: %w", status.Name(f.Name), err)
	default:
		r.Captured, r.XMP, r.Content = info.Captured, info.XMP, info.ContentType
	}
	if digest && r.Broken == "" {
		through := newHashingReader(r.Content)
		if _, err := io.Copy(through, io.NewSectionReader(file, 0, f.Size)); err != nil {
			return r, fmt.Errorf("read %s: %w", status.Name(f.Name), err)
		}
		r.Digest, r.Broken = through.digest.Sum(nil), through.broken(f.Name)
	}
	if r.Whole = r.Broken == ""; !r.Whole {
		r.Since = lastChange(f, r.Since)
	}
	return r, unchanged(file, r.File)
}

// lastChange is when a file was last written to, as far as its disk tells: else it may have been
// just now.
func lastChange(f watcher.File, now time.Time) time.Time {
	if f.Changed == 0 {
		return now
	}
	return now.Add(-max(0, now.Sub(time.Unix(0, f.Changed))))
}

// open opens a file of the folder by its path.
func (j *Job) open(name string) (*watcher.OpenFile, error) {
	return j.Files.Open(j.Key.Root, j.Key.Path, name)
}

// openUnchanged opens a frame and makes sure that it is the file of the snapshot.
func openUnchanged(open func(name string) (*watcher.OpenFile, error), want syncstate.File) (*watcher.OpenFile, error) {
	file, err := open(want.Name)
	// NFS answers ESTALE for a folder that was open.
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESTALE) {
		return nil, outcome.ErrChanged
	}
	if err != nil {
		return nil, err
	}
	if err := unchanged(file, want); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// unchanged compares an open file with its earlier identity. The next look finds out whether the
// name still leads to this file.
func unchanged(file *watcher.OpenFile, want syncstate.File) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("read %s: %w", status.Name(want.Name), err)
	}
	id := plan.FileID(volume.FileIDOf(info))
	if info.Size() != want.Size || !info.ModTime().Equal(want.ModTime) || want.ID != "" && id != "" && id != want.ID {
		return outcome.ErrChanged
	}
	return nil
}

// ReadTexts reads all that the folder says about alt texts.
func (j *Job) ReadTexts(ctx context.Context, s plan.Scene, whole []watcher.File) error {
	embedded, err := j.embedded(ctx, whole)
	if err != nil {
		return err
	}
	names := make([]string, len(whole))
	for i, f := range whole {
		names[i] = f.Name
	}
	sidecars := make([]string, len(j.Snapshot.Sidecars))
	for i, f := range j.Snapshot.Sidecars {
		sidecars[i] = f.Name
	}
	j.texts, j.Problems = alttext.Read(alttext.Folder{
		Frames: names, Sidecars: sidecars, Embedded: embedded,
		Open:    func(name string) (io.ReadCloser, error) { return j.open(name) },
		Product: j.file.says.Alt, Locale: s.Rules.Locale, Title: s.Wanted.Title, SKU: s.Wanted.SKU,
	})
	if j.texts == nil {
		j.texts = alttext.Texts{}
	}
	j.textsOf = j.Snapshot.Fingerprint
	return nil
}

// warnOfTexts logs the problems of the sidecars, once for as long as they stay the same.
func (j *Job) warnOfTexts() {
	found := plan.ProblemsInShort(j.Problems)
	if found != "" && found != j.warned {
		j.Log.Warn("alt texts", "folder", j.Key.Path, "problem", found)
	}
	j.warned = found
}

// logTexts tells the log of how many images the texts were set, once for all of them.
func (j *Job) logTexts() {
	if j.described > 0 {
		j.Log.Info("alt texts set", "folder", j.Key.Path, "images", j.described)
	}
	j.described = 0
}

// embedded collects the XMP packets inside the frames. Only the headers of frames that this process
// did not read yet are read.
func (j *Job) embedded(ctx context.Context, whole []watcher.File) (map[string][]byte, error) {
	packets := map[string][]byte{}
	for _, f := range whole {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		xmp, err := j.packet(f)
		if err != nil {
			return nil, err
		}
		if len(xmp) > 0 {
			packets[f.Name] = xmp
		}
	}
	return packets, nil
}

func (j *Job) packet(f watcher.File) ([]byte, error) {
	if r, ok := j.Readings[f.Name]; ok && r.File.Same(plan.FileOf(f)) {
		return r.XMP, nil
	}
	file, err := openUnchanged(j.open, plan.FileOf(f))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := frame.Meta(file, f.Size)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", status.Name(f.Name), err)
	}
	return info.XMP, nil
}
