// Package notify sends news to other programs: which views went live, and which folders need a
// person. Call New before the work begins, then Run. A webhook, a command or both receive the news.
//
// A Notifier reads the daemon's status at intervals, and compares it with the status of its last
// message. So there is no queue that could overflow. News that could not be delivered are found
// again by the next comparison, and trouble that has ended is not sent. A message holds all news
// since the message before it. After a start it also holds the news of the time in which nothing
// ran. News from before the first start count as sent.
//
// Each receiver gets a message at least once, and the same news again at most after a crash. The
// Notifier never holds up the daemon: it has its own goroutines and sees only the status.
package notify

import (
	"context"
	"crypto/x509"
	"log/slog"
	"sync"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/status"
)

// Options name the receivers, and the least time between two messages.
type Options struct {
	Webhook apiclient.Secret // an http or https address, which may hold a token; empty for none
	Secret  apiclient.Secret // that signs what the webhook gets, in base64 with whsec_ before it; empty for none
	RootCAs *x509.CertPool   // trusted for the webhook; nil means the system's
	Command []string         // a program and its arguments; empty for none
	Environ []string         // of the command, in the form of os.Environ
	Every   time.Duration    // the least time between two messages
	Version string           // of the program, as the webhook sees it
	Log     *slog.Logger
	Diary   Diary
	Before  *Notifier // which has ended, and whose news this one does not send again; nil for none
}

// A Diary keeps, for a later start, the time up to which each receiver got all news.
type Diary interface {
	Delivered() (map[string]time.Time, error)
	SetDelivered(name string, until time.Time) error
}

// A Notifier sends news to the receivers of its options. Make one with New before the work begins.
type Notifier struct {
	every     time.Duration
	status    func() status.Status
	diary     Diary
	receivers []*receiver
}

// New takes the memory of each receiver from the notifier before, or from the diary. A receiver that
// never got any news begins with the status of now.
func New(status func() status.Status, o Options) *Notifier {
	n := &Notifier{every: o.Every, status: status, diary: o.Diary}
	if o.Webhook == "" && len(o.Command) == 0 {
		return n
	}
	before, err := o.Diary.Delivered()
	if err != nil {
		o.Log.Warn("the record of sent messages cannot be read", "error", err)
	}
	now := status()
	add := func(name string, send func(context.Context, Digest) error) {
		t := &receiver{notifier: n, name: name, send: send, log: o.Log.With("notify", name)}
		until, ok := before[name]
		switch t.known = o.Before.memoryOf(name); {
		case t.known != nil:
		case ok:
			t.known = sentUntil(until, now)
		default:
			_, t.known = memory{}.compare(now, time.Now())
			t.remember(time.Now())
		}
		n.receivers = append(n.receivers, t)
	}
	if o.Webhook != "" {
		add("webhook", newWebhook(o).send)
	}
	if len(o.Command) > 0 {
		add("command", command{o.Command, withoutPasswords(o.Environ)}.send)
	}
	return n
}

// memoryOf is what the receiver of this name got; nil where there was none.
func (n *Notifier) memoryOf(name string) memory {
	if n == nil {
		return nil
	}
	for _, r := range n.receivers {
		if r.name == name {
			return r.known
		}
	}
	return nil
}

// Run sends messages until the context ends. A last message then has the rest; it may take a few
// seconds.
func (n *Notifier) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, r := range n.receivers {
		running.Go(func() { r.run(ctx) })
	}
	running.Wait()
}

// A receiver is where messages go: the webhook or the command.
type receiver struct {
	notifier *Notifier
	name     string
	send     func(context.Context, Digest) error
	log      *slog.Logger
	known    memory
	fails    int // in a row
}

const (
	// patience is how long sending one message may take.
	patience = 30 * time.Second
	// lastPatience is how long the last one may hold up the end of the program.
	lastPatience = 5 * time.Second
	// longestPause bounds the wait for a receiver that cannot be reached.
	longestPause = 30 * time.Minute
)

func (r *receiver) run(ctx context.Context) {
	for {
		select {
		case <-time.After(r.pause()):
			r.deliver(ctx)
		case <-ctx.Done():
			if r.fails == 0 {
				r.deliver(ctx)
			}
			return
		}
	}
}

// pause is the time until the next comparison. It doubles with each failure after the first.
func (r *receiver) pause() time.Duration {
	pause := r.notifier.every
	for range r.fails - 1 {
		pause = min(2*pause, max(longestPause, r.notifier.every))
	}
	return pause
}

// deliver sends the news, if there are any.
func (r *receiver) deliver(ctx context.Context) {
	now := time.Now()
	news, next := r.known.compare(r.notifier.status(), now)
	if !news.empty() {
		sending, cancel := patient(ctx)
		defer cancel()
		if err := r.send(sending, news); err != nil {
			r.failed(ctx, err)
			return
		}
	}
	if r.fails > 0 {
		r.log.Info("messages are delivered again")
	}
	r.known, r.fails = next, 0
	switch {
	case ctx.Err() != nil:
		// The work has ended. Publications are recorded to the second, so all of this second count
		// as sent.
		r.remember(now.Truncate(time.Second).Add(time.Second))
	case !news.empty():
		r.remember(now)
	}
}

// remember keeps for a later start that all news before a time were sent.
func (r *receiver) remember(until time.Time) {
	if err := r.notifier.diary.SetDelivered(r.name, until); err != nil {
		r.log.Debug("a sent message could not be recorded; it may be sent again after the next start", "error", err)
	}
}

// patient is the context of one message, which outlives the end of the program by a few seconds.
func patient(ctx context.Context) (context.Context, context.CancelFunc) {
	sending, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(lastPatience, cancel) })
	return sending, func() { stop(); cancel() }
}

// failed warns of the first failure of a row, and of a message that is not tried again because the
// program ends.
func (r *receiver) failed(ctx context.Context, err error) {
	level := slog.LevelDebug
	if r.fails == 0 {
		level = slog.LevelWarn
	}
	r.fails++
	if ctx.Err() != nil {
		r.log.Warn("the last message could not be delivered", "error", err)
		return
	}
	r.log.Log(ctx, level, "a message could not be delivered; spinsync tries again", "error", err, "next", r.pause())
}
