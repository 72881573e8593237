package show

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/vbauerster/mpb/v8"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A Progress shows the progress of product folders: a line for each that is published or stuck, and
// on a terminal a bar for each that is sent or processed.
type Progress struct {
	app     *cli.Call
	Lines   io.Writer
	hints   io.Writer     // news for the viewer; nil without a terminal
	until   time.Time     // the end of the wait that was printed last
	idle    time.Time     // since when folders only wait; zero while something else is done
	bars    *mpb.Progress // nil without a terminal, or for a plain one
	shown   map[syncstate.Folder]*mpb.Bar
	last    []status.ProductStatus // as shown last
	known   map[syncstate.Folder]stage
	printed map[syncstate.Folder]status.State // the state in the last line of a folder
	stood   map[publication]syncstate.Updates // published already, with these updates, and needs no line
	offline map[string]bool                   // sentences printed about roots
	After   func([]status.ProductStatus)      // is given each status after it was shown; may be nil
}

// A stage is what a line is about.
type stage struct {
	state    status.State
	revision int64
	updates  syncstate.Updates
}

// A publication is one revision of a view. It stays the same when its folder is renamed.
type publication struct {
	product  string
	revision int64
	at       int64 // in seconds
}

// NewProgress returns a screen that needs an end.
func NewProgress(call *cli.Call, lines io.Writer) *Progress {
	s := &Progress{
		app: call, Lines: lines, shown: map[syncstate.Folder]*mpb.Bar{}, offline: map[string]bool{},
		printed: map[syncstate.Folder]status.State{}, stood: map[publication]syncstate.Updates{},
	}
	if _, watched := terminal.IsTerminal(call.Stderr); watched {
		s.hints = call.Stderr
	}
	if call.Fancy(call.Stderr) {
		s.bars = mpb.New(mpb.WithOutput(call.Stderr), mpb.WithRefreshRate(100*time.Millisecond))
		if _, both := terminal.IsTerminal(lines); both {
			s.Lines = s.bars // or the bars would be drawn over the lines
		}
		s.hints = s.bars
	}
	return s
}

// Follow works, and shows the status until the work is done. A status with an error is not shown.
func (s *Progress) Follow(
	ctx context.Context, current func(context.Context) (status.Status, error), work func(context.Context) error,
) error {
	interval := time.Second
	if s.bars != nil {
		interval = 200 * time.Millisecond
	}
	show := func(now status.Status, err error) {
		if err == nil {
			s.printRoots(now)
			s.show(now.Products)
		}
		s.printWait(time.Now(), s.last)
	}
	before, err := current(ctx)
	done := make(chan error, 1)
	go func() { done <- work(ctx) }()
	show(before, err)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			show(current(ctx))
		case err := <-done:
			show(current(ctx))
			return err
		}
	}
}

// End takes the bars away.
func (s *Progress) End() {
	if s.bars == nil {
		return
	}
	for _, bar := range s.shown {
		bar.Abort(true)
	}
	s.bars.Wait()
}

func (s *Progress) show(products []status.ProductStatus) {
	now := make(map[syncstate.Folder]stage, len(products))
	for _, p := range products {
		at := stage{p.State, p.Revision, p.Updates}
		before, known := s.known[p.Key()]
		switch {
		case s.known == nil && p.PublishedAt != nil:
			s.stood[publicationOf(p)] = p.Updates
		case s.known != nil && (!known || before != at):
			s.print(p, products)
		}
		now[p.Key()] = at
		if s.bars != nil {
			s.draw(p, products)
		}
	}
	s.known, s.last = now, products
	if s.After != nil {
		s.After(products)
	}
}

// FollowPass follows a pass to its end, and prints a conclusion unless the pass was broken off.
func (s *Progress) FollowPass(
	ctx context.Context, status func(context.Context) (status.Status, error), pass func(context.Context) error,
) error {
	err := s.Follow(ctx, status, pass)
	if unpublished := errors.Is(err, daemon.ErrUnpublished); unpublished || err == nil {
		s.conclude(unpublished)
	}
	return err
}

var errNoNews = errors.New("the status is as it was")

// News gives the status of a daemon if it changed since it was given last. That saves most of the
// cost of a pass over thousands of idle folders. Bars move without it.
func News(d *daemon.Daemon) func(context.Context) (status.Status, error) {
	var changed <-chan struct{}
	return func(context.Context) (status.Status, error) {
		select {
		case <-changed:
		default:
			if changed != nil {
				return status.Status{}, errNoNews
			}
		}
		changed = d.Changed()
		return d.Status(), nil
	}
}

// Log writes above the bars where there are some.
func (s *Progress) Log(c config.Log) *slog.Logger {
	if s.bars == nil {
		return terminal.CommandLog(s.app.Stderr, c)
	}
	return terminal.CommandLog(s.bars, c)
}
