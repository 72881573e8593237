package publish

import (
	"context"
	"errors"
	"io"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A sentFrame is how the upload of one frame ended, with what it found out about the frame.
type sentFrame struct {
	err     error
	digest  []byte        // of a frame that arrived, also beside an error
	corrupt *plan.Reading // it looked whole at its ends, and proved broken as all of it was sent
	moved   string        // its name, which leads to another file by now
	arrived *arrival      // the state file had no room for it
}

// A sender sends single frames to the upload host.
type sender struct{ *ledger }

// sendFrame sends one frame, and hashes and checks the bytes as they pass: the digest is that of
// the sent bytes.
func (w sender) sendFrame(ctx context.Context, s plan.Scene, f syncstate.RunFrame, trial bool) (sent sentFrame) {
	file, err := w.OpenFrame(f.File)
	if err != nil {
		return sentFrame{err: err}
	}
	defer file.Close()
	contentType, err := reading.ContentType(s, file, f.File)
	if err != nil {
		return sentFrame{err: err}
	}
	through := reading.NewHasher(contentType)
	if err := w.sendFile(ctx, s.Record.Run.Form, f, file, through, trial); err != nil {
		return sentFrame{err: namedLocally(err, f.Name)}
	}
	sent.digest = through.Digest()
	if broken := through.Broken(f.Name); broken != "" {
		sent.err = outcome.ErrChanged
		sent.corrupt = &plan.Reading{File: f.File, Since: time.Now(), Broken: broken, Early: f.Early}
	} else if sent.err = w.StillSame(file, f.File); sent.err != nil {
		sent.moved = f.Name
	}
	return sent
}

// sendFile sends an open frame to the upload host.
func (w sender) sendFile(
	ctx context.Context, form *syncstate.Form, f syncstate.RunFrame,
	file *watcher.OpenFile, through *reading.Hasher, trial bool,
) error {
	sent := w.meter()
	throttle := func(r io.Reader) io.Reader { return w.Throttle.Reader(ctx, r) }
	stored := apiclient.File{
		Name: plan.StoredName(f.Stored, f.Name), ContentType: through.ContentType, Size: f.Size,
		Open: func() (io.ReadCloser, error) {
			sent.undo()
			return rereadable(file, through, sent, throttle)
		},
	}
	release, err := w.beginTrial(ctx, form.Hostname, trial)
	if err != nil {
		return err
	}
	defer release()
	err = w.Service.AccessKeys.Upload(credentials(form), trial, func(form apiclient.Credentials) error {
		return w.Service.Upload(ctx, form, stored)
	})
	if err != nil {
		sent.undo()
	}
	return err
}

// beginTrial waits for the end of another folder's trial of the upload host, which may find the
// name of the access key's field for this one too.
func (w sender) beginTrial(ctx context.Context, host string, trial bool) (release func(), err error) {
	fields := w.Service.AccessKeys
	if !trial || fields.IsKnown(host) {
		return func() {}, nil
	}
	release, err = fields.Trying.Lock(ctx, host)
	if err != nil {
		return nil, err
	}
	w.AwaitTurn(ctx, w.Key, "")
	if fields.IsKnown(host) {
		release()
		release = func() {}
	}
	return release, nil
}

// namedLocally gives the error of an upload the local name of the file in place of its stored name.
func namedLocally(err error, name string) error {
	var remote *apiclient.Error
	if errors.As(err, &remote) {
		remote.Op = apiclient.OpUpload + " " + status.Name(name)
	}
	return err
}

// otherName is the name on the service, where it is not the local one.
func otherName(stored, local string) string {
	if stored == "" || stored == local {
		return ""
	}
	return stored
}
