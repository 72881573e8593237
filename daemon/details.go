package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"spinsync/apiclient"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// Details reads one product folder for showing it. It changes nothing and sends nothing. Problems
// lists the files that cannot be read; the recorded details are complete anyway.
func (d *Daemon) Details(ctx context.Context, key syncstate.Folder) (status.Details, error) {
	current, broken, r, err := d.board.display.statusOf(key)
	if err != nil {
		return status.Details{}, err
	}
	j := d.board.newJob(key, r)
	j.Folder.Snapshot, err = d.files.Watcher.ReadFolder(ctx, key.Root, key.Path)
	readable := err == nil
	s, stateErr := j.Scene()
	if stateErr != nil {
		return status.Details{}, stateErr
	}
	if s.Record.Idle.Listing == plan.FingerprintText(j.Folder.Snapshot.Fingerprint) {
		j.Folder.Snapshot = stilled(j.Folder.Snapshot)
		s.Facts.Snapshot = j.Folder.Snapshot
		s.Set = plan.Judge(s.Facts, s.Record, s.Now)
	}
	details := status.Details{
		ProductStatus: current, ProjectUUID: s.Record.Project.UUID,
		Manufacturer: cmp.Or(s.Record.Product.Manufacturer, s.Facts.Wanted.Manufacturer),
		Year:         cmp.Or(s.Record.Product.Year, s.Facts.Wanted.Year),
		Reupload:     s.Record.Run != nil && s.Record.Run.Reupload,
	}
	if s.Record.Trouble != nil {
		details.Attempts = s.Record.Trouble.Tries.N
	}
	if readable {
		s.Facts.Texts.Said, details.Problems = j.Folder.TextsForShow(ctx, s.Facts, s.Set.InOrder())
	} else if current.State != status.Missing {
		details.Problems = []string{err.Error()}
	}
	details.Frames = s.FrameDetails()
	for i := range details.Frames {
		details.Frames[i].BreakFor(broken)
	}
	details.Locales = status.LocalesOf(details.Frames)
	return details, nil
}

// PublishedFrames are the frames of the last published revision with their local files, as they
// were then.
func (d *Daemon) PublishedFrames(key syncstate.Folder) ([]syncstate.Frame, error) {
	record, err := d.records.Store.Record(key)
	if err != nil || record.Published == nil {
		return nil, err
	}
	return record.Published.Frames, nil
}

// FirstFrame is the name of the first frame of a folder that is not changing any more, by name;
// empty when there is none.
func (d *Daemon) FirstFrame(ctx context.Context, key syncstate.Folder) (string, error) {
	snapshot, err := d.files.Watcher.ReadFolder(ctx, key.Root, key.Path)
	if err != nil {
		return "", err
	}
	for _, f := range snapshot.Frames {
		if f.Still {
			return f.Name, nil
		}
	}
	return "", nil
}

var errNotPublished = errors.New("the folder has no view on the service yet")

// Embed asks the service for the markup that shows a folder's view on a page (interface 4.5).
func (d *Daemon) Embed(ctx context.Context, key syncstate.Folder) (apiclient.Embed, error) {
	record, err := d.records.Store.Head(key)
	if err != nil {
		return apiclient.Embed{}, err
	}
	if record.Product.UUID == "" {
		return apiclient.Embed{}, errNotPublished
	}
	return d.service.Client.Embed(ctx, record.Product.UUID, apiclient.EmbedOptions{Type: apiclient.EmbedResponsive})
}

// OpenFrame opens a frame of a product folder for showing it, but none below a root that does not
// answer.
func (d *Daemon) OpenFrame(key syncstate.Folder, name string) (*watcher.OpenFile, error) {
	if d.files.HungRoots()[key.Root] {
		return nil, fmt.Errorf("the watched folder %s does not answer", key.Root)
	}
	return d.files.Watcher.Open(key.Root, key.Path, name)
}
