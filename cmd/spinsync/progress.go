package main

import (
	"context"
	"io"
	"time"

	"github.com/vbauerster/mpb/v8"

	"spinsync/daemon"
	"spinsync/syncstate"
)

// A screen shows people how product folders get on: a line for each that is published or stuck, and
// on a terminal a bar for each that is on its way.
type screen struct {
	app     *app
	lines   io.Writer
	hints   io.Writer     // news for a person who looks on; nil without a terminal
	until   time.Time     // the end of the wait that was told last
	idle    time.Time     // since when folders only wait; zero while something else is done
	bars    *mpb.Progress // nil without a terminal, or for a plain one
	shown   map[syncstate.Folder]*mpb.Bar
	last    []daemon.ProductStatus // as shown last
	known   map[syncstate.Folder]stage
	told    map[syncstate.Folder]daemon.State // what the last line of a folder told
	stood   map[publication]bool              // published already, and needs no line
	offline map[string]bool                   // roots as told last
	after   func([]daemon.ProductStatus)      // is given each status after it was shown; may be nil
}

// A stage is what a line tells of.
type stage struct {
	state    daemon.State
	revision int64
}

// A publication is one revision of a view. It stays the same when its folder is renamed.
type publication struct {
	product  string
	revision int64
	at       int64 // in seconds
}

// newScreen returns a screen that needs an end.
func newScreen(a *app, lines io.Writer) *screen {
	s := &screen{
		app: a, lines: lines, shown: map[syncstate.Folder]*mpb.Bar{},
		told: map[syncstate.Folder]daemon.State{}, stood: map[publication]bool{}, offline: map[string]bool{},
	}
	if _, watched := terminal(a.stderr); watched {
		s.hints = a.stderr
	}
	if a.fancy(a.stderr) {
		s.bars = mpb.New(mpb.WithOutput(a.stderr), mpb.WithRefreshRate(100*time.Millisecond))
		if _, both := terminal(lines); both {
			s.lines = s.bars // or the bars would be drawn over the lines
		}
		s.hints = s.bars
	}
	return s
}

// follow works, and shows the status until the work is done. A status with an error is not shown.
func (s *screen) follow(
	ctx context.Context, status func(context.Context) (daemon.Status, error), work func(context.Context) error,
) error {
	interval := time.Second
	if s.bars != nil {
		interval = 200 * time.Millisecond
	}
	show := func(now daemon.Status, err error) {
		if err == nil {
			s.tellRoots(now)
			s.show(now.Products)
		}
	}
	before, err := status(ctx)
	done := make(chan error, 1)
	go func() { done <- work(ctx) }()
	show(before, err)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			show(status(ctx))
		case err := <-done:
			show(status(ctx))
			return err
		}
	}
}

// end takes the bars away.
func (s *screen) end() {
	if s.bars == nil {
		return
	}
	for _, bar := range s.shown {
		bar.Abort(true)
	}
	s.bars.Wait()
}

func (s *screen) show(products []daemon.ProductStatus) {
	now := make(map[syncstate.Folder]stage, len(products))
	for _, p := range products {
		at := stage{p.State, p.Revision}
		before, known := s.known[p.Key()]
		switch {
		case s.known == nil && p.PublishedAt != nil:
			s.stood[publicationOf(p)] = true
		case s.known != nil && (!known || before != at):
			s.tell(p, products)
		}
		now[p.Key()] = at
		if s.bars != nil {
			s.draw(p, products)
		}
	}
	s.known, s.last = now, products
	if s.hints != nil {
		s.tellWait(time.Now(), products)
	}
	if s.after != nil {
		s.after(products)
	}
}
