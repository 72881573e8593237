package reading

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// open opens a file of the folder by its path.
func (p *Folder) open(name string) (*watcher.OpenFile, error) {
	return p.files.Watcher.Open(p.Key.Root, p.Key.Path, name)
}

// openFolder opens the folder for a step that opens many of its files.
func (p *Folder) openFolder() (*watcher.OpenFolder, error) {
	folder, err := p.files.Watcher.OpenFolder(p.Key.Root, p.Key.Path)
	if watcher.IsGone(err) {
		return nil, outcome.ErrChanged
	}
	return folder, err
}

// OpenFrame opens a frame that must be the file of the snapshot.
func (p *Folder) OpenFrame(want syncstate.File) (*watcher.OpenFile, error) {
	return p.Root.openUnchanged(p.open, want)
}

// openUnchanged opens a frame and makes sure that it is the file of the snapshot.
func (r *Root) openUnchanged(open func(name string) (*watcher.OpenFile, error), want syncstate.File) (*watcher.OpenFile, error) {
	file, err := open(want.Name)
	// NFS answers ESTALE for a folder that was open.
	if watcher.IsGone(err) || errors.Is(err, syscall.ESTALE) {
		return nil, outcome.ErrChanged
	}
	if err != nil {
		return nil, heldBack(want.Name, err)
	}
	if err := r.unchanged(file, want); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// heldPause is how long a frame is left alone that another program holds.
const heldPause = 5 * time.Second

// heldBack makes a wait of the error of a frame that another program holds. Any other stays as it
// is.
func heldBack(name string, err error) error {
	if !watcher.IsBusy(err) {
		return err
	}
	return waitFor(name, watcher.HeldByOther, time.Now().Add(heldPause), err)
}

// waitFor is a wait for a frame that cannot be read yet.
func waitFor(name, why string, until time.Time, err error) error {
	frame := status.Cause{Kind: status.Temporary, Name: name, Text: why}
	return outcome.Later(until, status.List(status.Unsettled, []status.Cause{frame}), err)
}

// unchanged compares a file with its earlier identity. The next snapshot finds out whether the name
// still leads to this file.
func (r *Root) unchanged(file Source, want syncstate.File) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("read %s: %w", status.Name(want.Name), err)
	}
	id, changed := plan.FileID(volume.FileIDOf(info)), info.ModTime()
	if r.Name != "" {
		changed = watcher.AsShared(changed)
	}
	if info.Size() != want.Size || !changed.Equal(want.ModTime) || want.ID != "" && id != "" && id != want.ID {
		return outcome.ErrChanged
	}
	return nil
}

// StillSame makes sure after the upload that the file is unchanged, and that its name still leads
// to it.
func (p *Folder) StillSame(file Source, want syncstate.File) error {
	if err := p.Root.unchanged(file, want); err != nil {
		return err
	}
	named, err := p.named(want)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(info, named) {
		return outcome.ErrChanged
	}
	return nil
}

// named is the file to which the frame's name leads now. A network drive is asked by opening the
// file, since its cache may be out of date.
func (p *Folder) named(want syncstate.File) (os.FileInfo, error) {
	if p.OnNetwork() {
		file, err := p.OpenFrame(want)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return file.Stat()
	}
	info, err := p.files.Watcher.Stat(p.Key.Root, p.Key.Path, want.Name)
	if watcher.IsGone(err) {
		return nil, outcome.ErrChanged
	}
	return info, err
}
