package publish

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// uploadFrames sends frames side by side. Each is recorded as it is acknowledged, so that a kill
// repeats none of them. The frames of a set that is still being shot join in as they come, so that
// the line never waits for the slowest.
func (j *Job) uploadFrames(ctx context.Context, s plan.Scene, todo []watcher.File) error {
	if err := j.mayListImages(ctx, s.Record.Project.UUID, s.Record.Product.UUID); err != nil {
		return err
	}
	u := uploads{job: j, started: map[string]bool{}, ended: make(chan sentFrame)}
	u.noteStill()
	u.start(ctx, s, todo)
	again := time.NewTimer(plan.EarlyPause)
	defer again.Stop()
	for u.underWay > 0 {
		select {
		case sent := <-u.ended:
			u.underWay--
			u.failures.add(sent.err)
			j.learn(sent)
			if u.trial { // the frames that came meanwhile may go now
				u.trial = false
				again.Reset(0)
			}
		case <-j.News:
			again.Reset(u.join(ctx))
		case <-again.C:
			again.Reset(u.join(ctx))
		}
	}
	if err := u.failures.worst(); err != nil {
		return j.formTrouble(s, err)
	}
	return ctx.Err()
}

// uploads are the frames of one folder on their way.
type uploads struct {
	job      *Job
	started  map[string]bool
	open     bool // more frames are to come
	trial    bool // one frame goes ahead of all others; see isTrial
	ended    chan sentFrame
	underWay int
	failures failures
	still    atomic.Pointer[map[string]syncstate.File] // frames that have come to rest
}

// joins reports whether more frames may be sent beside those that are under way.
func (u *uploads) joins() bool { return u.open && !u.trial && !u.failures.any() }

// look takes in the newest snapshot.
func (u *uploads) look() {
	u.job.Snapshot = u.job.Board.Latest(u.job.Key, u.job.Snapshot)
	u.noteStill()
}

// noteStill notes the frames that have come to rest: sent after that, a frame is not early.
func (u *uploads) noteStill() {
	still := map[string]syncstate.File{}
	for _, f := range u.job.Snapshot.Frames {
		if f.Still {
			still[f.Name] = plan.FileOf(f)
		}
	}
	u.still.Store(&still)
}

// isEarly reports whether a frame is about to be sent before it has come to rest.
func (u *uploads) isEarly(f syncstate.RunFrame) bool {
	at, still := (*u.still.Load())[f.Name]
	return f.Early && !(still && at.Same(f.File))
}

func (u *uploads) start(ctx context.Context, s plan.Scene, todo []watcher.File) {
	var manifest []int
	err := fits(s.Record.Run.Form, todo)
	if err == nil {
		manifest, err = u.job.freeze(s, todo)
	}
	if err != nil {
		u.failures.add(err)
		return
	}
	for _, f := range todo {
		u.started[f.Name] = true
	}
	u.open = s.Record.Published == nil && s.Record.Run.Images > len(s.Record.Run.Frames)
	u.underWay += len(manifest)
	if u.trial = u.job.isTrial(s.Record.Run); u.trial {
		smallestFirst(s.Record.Run.Frames, manifest)
	}
	go u.send(ctx, s, manifest, u.trial)
}

// isTrial reports whether the upload host may refuse the form: the name of the access key's field
// is not known, or the form before was refused and no frame has arrived under this one. One small
// frame finds that out for all.
func (j *Job) isTrial(run *syncstate.Run) bool {
	arrived := func(f syncstate.RunFrame) bool { return f.Uploaded }
	return !j.Service.AccessKeys.IsKnown(run.Form.Hostname) ||
		run.Refused > 0 && !slices.ContainsFunc(run.Frames, arrived)
}

// beginTrial waits for the end of another folder's trial of the upload host, which may find the name of
// the access key's field for this one too.
func (j *Job) beginTrial(ctx context.Context, host string, trial bool) (release func(), err error) {
	fields := j.Service.AccessKeys
	if !trial || fields.IsKnown(host) {
		return func() {}, nil
	}
	release, err = fields.Trying.Lock(ctx, host)
	if err != nil {
		return nil, err
	}
	j.AwaitTurn(ctx, j.Key, "")
	if fields.IsKnown(host) {
		release()
		release = func() {}
	}
	return release, nil
}

// smallestFirst puts the smallest of the frames that the manifest names in front.
func smallestFirst(all []syncstate.RunFrame, manifest []int) {
	for n, i := range manifest {
		if all[i].Size < all[manifest[0]].Size {
			manifest[0], manifest[n] = manifest[n], manifest[0]
		}
	}
}

// send gives one frame after the other a slot, until one has failed or the folder is paused. In a
// trial the others wait for the end of the first.
func (u *uploads) send(ctx context.Context, s plan.Scene, manifest []int, trial bool) {
	granted := make(chan int)
	defer close(granted)
	for n, i := range manifest {
		enters := false
		var sent sentFrame
		sent.err = outcome.Guard(func() error {
			enters = !u.failures.any() && !u.job.Paused() && ctx.Err() == nil &&
				u.job.Slots.Enter(ctx, u.job.Key) == nil
			return nil
		})
		if enters && trial && n == 0 {
			sent = u.sendGuarded(ctx, s, i, true)
			u.failures.add(sent.err) // before the next frame asks
		}
		if !enters || trial && n == 0 {
			u.ended <- sent
			continue
		}
		select {
		case granted <- i:
		default:
			go u.sendOneByOne(ctx, s, i, granted)
		}
	}
}

// sendOneByOne sends a frame, and then others as they are granted: a goroutine for each would grow
// its stack anew.
func (u *uploads) sendOneByOne(ctx context.Context, s plan.Scene, first int, granted <-chan int) {
	for i, more := first, true; more; i, more = <-granted {
		u.ended <- u.sendGuarded(ctx, s, i, false)
	}
}

// Paused reports whether a person paused the folder, or all, by now.
func (j *Job) Paused() bool { return j.Board.AllPaused() || j.Board.IsPaused(j.Key) }

// joinAgain is how long nothing joins when nothing happens.
const joinAgain = time.Hour

// join starts the frames that can be sent by now beside those under way, and returns when to try
// again. A panic waits for the end of the uploads under way.
func (u *uploads) join(ctx context.Context) time.Duration {
	pause := joinAgain
	u.failures.add(outcome.Guard(func() error {
		pause = u.startMore(ctx)
		return nil
	}))
	return pause
}

// startMore does the work of join. Every owed step but reading and uploading waits.
func (u *uploads) startMore(ctx context.Context) time.Duration {
	j := u.job
	for ctx.Err() == nil {
		u.look()
		s, err := j.Scene()
		if err != nil {
			return joinAgain
		}
		s.UnderWay = u.started
		j.notice(s)
		if !u.joins() {
			return joinAgain
		}
		switch next := plan.Next(s); {
		case next.Action == plan.Wait && !next.Until.IsZero():
			return next.Until.Sub(s.Now)
		case next.Action == plan.Upload:
			j.Tell(next, s)
			u.start(ctx, s, next.Frames)
			return 0
		case next.Action != plan.Read || j.ReadFrames(ctx, next.Frames, next.Digest) != nil:
			return joinAgain
		}
	}
	return joinAgain
}

// freeze writes down which files are about to be sent, before any byte of them leaves. A frozen
// frame that differs from its file later is the sign that the form holds something that must not be
// published. It returns the frames' indices in the run.
func (j *Job) freeze(s plan.Scene, todo []watcher.File) ([]int, error) {
	stored, stood := s.FrameSet().Stored, s.Stood()
	if j.touches == nil {
		j.touches = map[string]plan.Touch{}
	}
	var indices []int
	again := false
	err := j.Update(func(r *syncstate.Record) error {
		indices = indices[:0]
		index := map[string]int{}
		for i, f := range r.Run.Frames {
			index[f.Name] = i
		}
		for _, f := range todo {
			j.touches[f.Name] = plan.Touch{Changed: f.Changed, Stood: stood, Times: j.touches[f.Name].Times}
			frozen := syncstate.RunFrame{
				File: plan.FileOf(f), Stored: otherName(stored[f.Name], f.Name),
				Captured: s.CapturedAt(f), Early: !f.Still,
			}
			i, ok := index[f.Name]
			if !ok {
				i = len(r.Run.Frames)
				r.Run.Frames = append(r.Run.Frames, syncstate.RunFrame{})
			}
			again = again || r.Run.Frames[i].Early && r.Run.Frames[i].Uploaded
			r.Run.Frames[i] = frozen
			indices = append(indices, i)
		}
		s.Record.Run.Frames = r.Run.Frames
		return nil
	})
	j.rash = j.rash || again
	return indices, err
}

// A sentFrame is how the upload of one frame ended, with what it found out about the frame.
type sentFrame struct {
	err     error
	digest  []byte        // of a frame that arrived, also beside an error
	corrupt *plan.Reading // it looked whole at its ends, and proved broken as all of it was sent
	moved   string        // its name, which leads to another file by now
	arrived *arrival      // the state file had no room for it
}

// sendGuarded sends a frame and turns a panic into its outcome.
func (u *uploads) sendGuarded(ctx context.Context, s plan.Scene, index int, trial bool) (sent sentFrame) {
	if err := outcome.Guard(func() error {
		sent = u.sendFrame(ctx, s, index, trial)
		return nil
	}); err != nil {
		sent.err = err
	}
	return sent
}

// sendFrame sends one frame and records it. The slot that it entered with is free as soon as the
// bytes are through. A corrupt frame counts as sent too early: its key is free for the mended file,
// and until then the folder is not complete.
func (u *uploads) sendFrame(ctx context.Context, s plan.Scene, index int, trial bool) (sent sentFrame) {
	j, f := u.job, s.Record.Run.Frames[index]
	err := outcome.Guard(func() error {
		j.AwaitTurn(ctx, j.Key, f.Name)
		f.Early = u.isEarly(f)
		sent = j.sendFrame(ctx, s, f, trial)
		return sent.err
	})
	sent.err = err
	j.Slots.Leave(j.Key, hosting.Overloaded(err))
	f.Early = f.Early || sent.corrupt != nil
	// An early frame with a digest arrived, and its key is free for the changed file.
	if err != nil && !(f.Early && sent.digest != nil) {
		return sent
	}
	f.Digest, f.Uploaded = sent.digest, true
	if failed := j.Records.MarkUploaded(j.Key, index, f); failed != nil {
		sent.err, sent.arrived = failed, &arrival{index, f, s.Record.Run.Form.Policy}
		return sent
	}
	j.Board.FrameSent(j.Key)
	return sent
}

// sendFrame sends one frame, and hashes and checks the bytes as they pass: the digest is that of
// the sent bytes.
func (j *Job) sendFrame(ctx context.Context, s plan.Scene, f syncstate.RunFrame, trial bool) (sent sentFrame) {
	file, err := j.OpenFrame(f.File)
	if err != nil {
		return sentFrame{err: err}
	}
	defer file.Close()
	contentType, err := reading.ContentType(s, file, f.File)
	if err != nil {
		return sentFrame{err: err}
	}
	through := reading.NewHasher(contentType)
	if err := j.sendFile(ctx, s.Record.Run.Form, f, file, through, trial); err != nil {
		return sentFrame{err: namedLocally(err, f.Name)}
	}
	sent.digest = through.Digest()
	if broken := through.Broken(f.Name); broken != "" {
		sent.err = outcome.ErrChanged
		sent.corrupt = &plan.Reading{File: f.File, Since: time.Now(), Broken: broken, Early: f.Early}
	} else if sent.err = j.StillSame(file, f.File); sent.err != nil {
		sent.moved = f.Name
	}
	return sent
}

// sendFile sends an open frame to the upload host.
func (j *Job) sendFile(
	ctx context.Context, form *syncstate.Form, f syncstate.RunFrame, file *watcher.OpenFile, through *reading.Hasher, trial bool,
) error {
	sent := j.meter()
	throttle := func(r io.Reader) io.Reader { return j.Throttle.Reader(ctx, r) }
	stored := apiclient.File{
		Name: plan.StoredName(f.Stored, f.Name), ContentType: through.ContentType, Size: f.Size,
		Open: func() (io.ReadCloser, error) {
			sent.undo()
			return rereadable(file, through, sent, throttle)
		},
	}
	release, err := j.beginTrial(ctx, form.Hostname, trial)
	if err != nil {
		return err
	}
	defer release()
	err = j.Service.AccessKeys.Upload(credentials(form), trial, func(form apiclient.Credentials) error {
		return j.Service.Upload(ctx, form, stored)
	})
	if err != nil {
		sent.undo()
	}
	return err
}

// namedLocally gives the error of an upload the local name of the file in place of its stored name.
func namedLocally(err error, name string) error {
	var remote *apiclient.Error
	if errors.As(err, &remote) {
		remote.Op = apiclient.OpUpload + " " + status.Name(name)
	}
	return err
}

// learn remembers the findings about a frame that came with the end of its upload.
func (j *Job) learn(sent sentFrame) {
	if sent.moved != "" {
		// The name may lead to another file, which was not touched: that proves nothing.
		delete(j.touches, sent.moved)
	}
	if sent.arrived != nil {
		j.arrived = append(j.arrived, *sent.arrived)
	}
	if sent.corrupt != nil {
		j.Remember(map[string]plan.Reading{sent.corrupt.File.Name: *sent.corrupt})
		delete(j.touches, sent.corrupt.File.Name)
	}
}

func otherName(stored, local string) string {
	if stored == "" || stored == local {
		return ""
	}
	return stored
}
