package publish

import (
	"context"
	"sync/atomic"
	"time"

	"spinsync/daemon/hosting"
	"spinsync/daemon/metrics"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/sending"
	"spinsync/syncstate"
)

// A frameSender sends one frame of a folder after the other, on many goroutines.
type frameSender struct {
	record   *ledger
	sender   sending.Sender // without its counter
	progress progress
	metrics  *metrics.Metrics
	stagger  func(ctx context.Context, folder syncstate.Folder, frame string) // see Publisher.Stagger
}

// Progress is how far the uploads of a folder are, as people see it.
type progress interface {
	// FrameSent counts one more frame as uploaded.
	FrameSent(key syncstate.Folder)
	// SentBytes counts the bytes of the folder's run under way.
	SentBytes(key syncstate.Folder) *atomic.Int64
}

// enter waits for a slot, which send frees.
func (fs frameSender) enter(ctx context.Context) error {
	return fs.sender.Slots.Enter(ctx, fs.record.key)
}

// send sends one frame and records it. The slot that it entered with is free as soon as the
// bytes are through. A panic is the frame's failure.
func (fs frameSender) send(
	ctx context.Context, f *flights, s plan.Scene, frozen frozenFrame, trial bool,
) (sent sending.Sent) {
	key := fs.record.key
	frame, began := frozen.frame, time.Now()
	err := outcome.Guard(func() error {
		fs.stagger(ctx, key, frame.Name)
		sent = fs.at(ctx).Send(ctx, s, frame, trial)
		return sent.Err
	})
	f.fail(err) // before the slot is free: the next frame asks for a failure
	fs.sender.Slots.Leave(key, hosting.Overloaded(err))
	if err == nil {
		err = outcome.Guard(func() error {
			fs.metrics.Uploaded(key.Root, frame.Size, time.Since(began))
			frame.Digest, frame.Uploaded = sent.Digest, true
			if err := fs.record.markUploaded(frozen.index, frame); err != nil {
				return err // the frame is sent a second time
			}
			fs.progress.FrameSent(key)
			return nil
		})
	}
	sent.Err = err
	return sent
}

// at is the sender at work.
func (fs frameSender) at(ctx context.Context) sending.Sender {
	sender := fs.sender
	sender.Sum = fs.progress.SentBytes(fs.record.key)
	sender.Stagger = func() { fs.stagger(ctx, fs.record.key, "") }
	return sender
}

// reset forgets what was sent under a form: it does not count for the next one.
func (fs frameSender) reset() {
	fs.progress.SentBytes(fs.record.key).Store(0)
	fs.sender.Slots.ForgetHeld(fs.record.key)
}
