package sending

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A Sender sends frames of one folder to the upload host.
type Sender struct {
	Folder   *reading.Folder
	Service  *hosting.Service
	Throttle *schedule.Throttle
	Slots    *schedule.Slots
	Sum      *atomic.Int64 // bytes of the run under way
	Stagger  func()        // keeps what waited for the same from going on at the same instant
}

// A Sent is how the upload of one frame ended, with what it found out about the frame.
type Sent struct {
	Err     error
	Digest  []byte        // of the bytes that arrived, also with an error
	Corrupt *plan.Reading // it was taken for whole, and proved broken
}

// Send sends one frame of a run. In a trial it tries the names of the access key's field.
func (w Sender) Send(ctx context.Context, s plan.Scene, f syncstate.RunFrame, trial bool) (sent Sent) {
	file, err := w.Folder.OpenFrame(f.File)
	if err != nil {
		return Sent{Err: err}
	}
	defer file.Close()
	contentType, broken, err := reading.ContentType(s.Facts, file, f.File)
	if err != nil {
		return Sent{Err: err}
	}
	if broken != "" { // it is as recorded, but for its content
		sent = corrupt(f, broken)
		sent.Corrupt.Glanced = sent.Corrupt.Since
		return sent
	}
	source, err := w.Folder.SourceOf(file, f.File)
	if err != nil {
		return Sent{Err: err}
	}
	through := reading.NewHasher(contentType)
	if err := w.sendFile(ctx, s.Record.Run.Form, f, source, through, trial); err != nil {
		return Sent{Err: namedLocally(err, f.Name)}
	}
	if broken := through.Broken(f.Name); broken != "" {
		sent = corrupt(f, broken)
	} else {
		sent.Err = w.Folder.StillSame(source, f.File)
	}
	sent.Digest = through.Digest()
	return sent
}

// corrupt is how the upload of a frame ends that is not whole.
func corrupt(f syncstate.RunFrame, why string) Sent {
	r := &plan.Reading{File: f.File, Since: time.Now(), Broken: why, Changed: f.Changed}
	return Sent{Err: outcome.ErrChanged, Corrupt: r}
}

// sendFile sends the content of a frame.
func (w Sender) sendFile(
	ctx context.Context, form *syncstate.Form, f syncstate.RunFrame,
	source reading.Source, through *reading.Hasher, trial bool,
) error {
	sent := &meter{slots: w.Slots, sum: w.Sum}
	throttle := func(r io.Reader) io.Reader { return w.Throttle.Reader(ctx, r) }
	stored := apiclient.File{
		Name: plan.StoredName(f.Stored, f.Name), ContentType: through.ContentType, Size: f.Size,
		Open: func() (io.ReadCloser, error) {
			return rereadable(source, through, sent, throttle), nil
		},
	}
	release, err := w.Service.AccessKeys.BeginTrial(ctx, form.Hostname, w.Stagger)
	if err != nil {
		return err
	}
	defer release()
	return w.Service.AccessKeys.Upload(hosting.Credentials(form), trial, func(form apiclient.Credentials) error {
		err := w.Service.Client.Upload(ctx, form, stored)
		if err != nil {
			sent.undo()
		}
		return err
	})
}

// namedLocally gives the error of an upload the local name of the file in place of its stored name.
func namedLocally(err error, name string) error {
	if remote, ok := errors.AsType[*apiclient.Error](err); ok {
		remote.Op = apiclient.OpUpload + " " + status.Name(name)
	}
	return err
}
