// Package notify tells other programs which views went live and what needs a person: a webhook, a command, or both.
//
// It looks at the daemon's status now and then and compares it with what it told last. So there is no queue that could
// overflow: what could not be told is still different at the next look, what settled itself meanwhile is not told at all,
// and a message holds all that happened since the one before it. What was so at the start counts as told.
//
// Whoever is told gets a message at least once. It never holds up the work: it runs beside it, and sees nothing but the
// status.
package notify

import (
	"context"
	"crypto/x509"
	"log/slog"
	"sync"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon"
)

// Options say who is told, and how often.
type Options struct {
	Webhook apiclient.Secret // an http or https address, which may hold a token; empty for none
	RootCAs *x509.CertPool   // trusted for the webhook; nil means the system's
	Command []string         // a program and its arguments; empty for none
	Environ []string         // of the command, as os.Environ tells it
	Every   time.Duration    // the least time between two messages
	Version string           // of the program, as the webhook sees it
	Log     *slog.Logger
}

// Notifier tells those that its options name. Make one with New before the work begins.
type Notifier struct {
	every   time.Duration
	status  func() daemon.Status
	tellers []*teller
}

// New remembers how everything stands, which is not told.
func New(status func() daemon.Status, o Options) *Notifier {
	n := &Notifier{every: o.Every, status: status}
	_, known := memory{}.compare(status(), time.Now())
	add := func(name string, send func(context.Context, Digest) error) {
		n.tellers = append(n.tellers, &teller{Notifier: n, send: send, known: known, log: o.Log.With("notify", name)})
	}
	if o.Webhook != "" {
		add("webhook", newWebhook(o).send)
	}
	if len(o.Command) > 0 {
		add("command", command{o.Command, withoutPasswords(o.Environ)}.send)
	}
	return n
}

// Run tells until the context ends. What is not told by then is told in a last message, for which there are a few seconds.
func (n *Notifier) Run(ctx context.Context) {
	var telling sync.WaitGroup
	for _, t := range n.tellers {
		telling.Go(func() { t.run(ctx) })
	}
	telling.Wait()
}

// A teller tells one of those who are told.
type teller struct {
	*Notifier
	send  func(context.Context, Digest) error
	log   *slog.Logger
	known memory
	fails int // in a row
}

const (
	// patience is how long sending one message may take.
	patience = 30 * time.Second
	// lastPatience is how long the last one may hold up the end of the program.
	lastPatience = 5 * time.Second
	// longestPause is how long one that cannot be told is left alone at most.
	longestPause = 30 * time.Minute
)

func (t *teller) run(ctx context.Context) {
	for {
		select {
		case <-time.After(t.pause()):
			t.tell(ctx)
		case <-ctx.Done():
			if t.fails == 0 {
				t.tell(ctx)
			}
			return
		}
	}
}

// pause is until the next look. It doubles with each failure after the first.
func (t *teller) pause() time.Duration {
	pause := t.every
	for range t.fails - 1 {
		pause = min(2*pause, max(longestPause, t.every))
	}
	return pause
}

// tell sends what is new, if anything is.
func (t *teller) tell(ctx context.Context) {
	news, next := t.known.compare(t.status(), time.Now())
	if !news.empty() {
		sending, cancel := patient(ctx)
		defer cancel()
		if err := t.send(sending, news); err != nil {
			t.failed(ctx, err)
			return
		}
	}
	if t.fails > 0 {
		t.log.Info("messages get through again")
	}
	t.known, t.fails = next, 0
}

// patient is the context of one message, which outlives the end of the program by a few seconds.
func patient(ctx context.Context) (context.Context, context.CancelFunc) {
	sending, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(lastPatience, cancel) })
	return sending, func() { stop(); cancel() }
}

// failed warns of the first failure of a row, and of a message that is not tried again because the program ends.
func (t *teller) failed(ctx context.Context, err error) {
	level := slog.LevelDebug
	if t.fails == 0 {
		level = slog.LevelWarn
	}
	t.fails++
	if ctx.Err() != nil {
		t.log.Warn("the last message could not be delivered", "error", err)
		return
	}
	t.log.Log(ctx, level, "a message could not be delivered; it is tried again", "error", err, "next", t.pause())
}
