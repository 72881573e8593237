package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

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
func (a *app) newScreen(lines io.Writer) *screen {
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

// tellRoots prints a line for each root that cannot be read, once for each reason: what else is
// done may take hours.
func (s *screen) tellRoots(now daemon.Status) {
	for _, sentence := range now.OfflineRoots() {
		if s.hints != nil && !s.offline[sentence] {
			s.offline[sentence] = true
			fmt.Fprintf(s.hints, "%-9s  %s\n", "warning", printable(sentence))
		}
	}
}

func publicationOf(p daemon.ProductStatus) publication {
	return publication{p.Product, p.Revision, p.PublishedAt.Unix()}
}

// tellWait prints a line when nothing happens for a while because folders have to be quiet, and
// then not before that is over, or once because their frames are still arriving. How long that
// takes a daemon in another process does not say.
func (s *screen) tellWait(now time.Time, products []daemon.ProductStatus) {
	const worthTelling = 2 * time.Second
	w, only := quietWait(now, products)
	if !only {
		s.idle = time.Time{}
		return
	}
	if s.idle.IsZero() {
		s.idle = now
	}
	switch {
	case w.quiet > 0 && w.until.Sub(now) > worthTelling && !now.Before(s.until):
		s.until = w.until
		fmt.Fprintf(s.hints, "waiting %s until %s quiet\n", coarse(w.until.Sub(now)), foldersAre(w.quiet))
	case w.quiet == 0 && s.until.IsZero() && now.Sub(s.idle) > worthTelling:
		s.until = now
		fmt.Fprintf(s.hints, "waiting until %s complete\n", foldersAre(w.arriving))
	}
}

// A quietness is what a pass waits for while nothing else is on its way.
type quietness struct {
	arriving int       // folders that are not complete
	quiet    int       // those of them that only have to be quiet
	until    time.Time // when the last of these has been
}

// quietWait reports what folders have to wait for, and whether there is nothing else to do.
func quietWait(now time.Time, products []daemon.ProductStatus) (w quietness, only bool) {
	for _, p := range products {
		switch p.State {
		case "", daemon.Uploading, daemon.Processing, daemon.Queued:
			return quietness{}, false
		case daemon.Collecting:
			w.arriving++
			if p.QuietAt.After(now) {
				w.quiet++
			}
			if p.QuietAt.After(w.until) {
				w.until = p.QuietAt
			}
		}
	}
	return w, w.arriving > 0
}

// foldersAre is "1 folder is" or "3 folders are".
func foldersAre(n int) string {
	verb := " are"
	if n == 1 {
		verb = " is"
	}
	return counted(n, "folder") + verb
}

// tell prints a line for what a person wants to know at once.
func (s *screen) tell(p daemon.ProductStatus, all []daemon.ProductStatus) {
	switch {
	case p.State == daemon.Published && p.PublishedAt != nil && !s.stood[publicationOf(p)]:
		s.stood[publicationOf(p)] = true
		s.told[p.Key()] = p.State
		fmt.Fprintf(s.lines, "published  %s  (%s, revision %d)\n",
			printable(folderName(p, all)), counted(p.Frames.Uploaded, "frame"), p.Revision)
	case p.State == daemon.Attention, p.State == daemon.Retrying:
		s.tellWhy(p, all)
	}
}

// tellWhy prints a line for a folder that is not published.
func (s *screen) tellWhy(p daemon.ProductStatus, all []daemon.ProductStatus) {
	s.told[p.Key()] = p.State
	fmt.Fprintf(s.lines, "%-9s  %s: %s\n", p.State, printable(folderName(p, all)), printable(reason(time.Now(), p)))
}

// conclude names the folders that a pass left unpublished and no line told of, and sums up. Where
// every folder is paused the sum says it all.
func (s *screen) conclude(unpublished bool) {
	counts, fresh := map[daemon.State]int{}, 0
	for _, p := range s.last {
		if p.State == daemon.Published && s.told[p.Key()] == daemon.Published {
			fresh++
		} else {
			counts[p.State]++
		}
	}
	for _, p := range s.last {
		fine := p.State == daemon.Published || p.State == daemon.Missing || counts[daemon.Paused] == len(s.last)
		if unpublished && !fine && s.told[p.Key()] != p.State {
			s.tellWhy(p, s.last)
		}
	}
	fmt.Fprintln(s.lines, sumUp(counts, fresh, unpublished))
}

const noFolderFound = "no product folder was found"

// sumUp is how many folders a pass published, and what the other ones are, which are counted by
// their state.
func sumUp(counts map[daemon.State]int, fresh int, unpublished bool) string {
	all, standing := fresh, counts[daemon.Published]
	for _, n := range counts {
		all += n
	}
	switch {
	case all == 0:
		return noFolderFound
	case all == standing && !unpublished && all == 1:
		return "1 product folder is as published"
	case all == standing && !unpublished:
		return fmt.Sprintf("all %d product folders are as published", all)
	}
	var parts []string
	if fresh > 0 {
		parts = append(parts, fmt.Sprintf("%d published now", fresh))
	}
	if standing > 0 {
		parts = append(parts, fmt.Sprintf("%d as published", standing))
	}
	delete(counts, daemon.Published)
	return counted(all, "product folder") + ": " + strings.Join(append(parts, countedStates(counts)...), ", ")
}

// draw gives a folder that is on its way a bar, moves it, and takes it away at the end.
func (s *screen) draw(p daemon.ProductStatus, all []daemon.ProductStatus) {
	bar := s.shown[p.Key()]
	onItsWay := p.State == daemon.Uploading || p.State == daemon.Processing
	switch {
	case !onItsWay && bar != nil:
		bar.Abort(true)
		delete(s.shown, p.Key())
	case onItsWay && bar == nil:
		bar = s.newBar(folderName(p, all))
		s.shown[p.Key()] = bar
	}
	if onItsWay {
		bar.SetTotal(p.TotalBytes, false)
		bar.SetCurrent(min(p.SentBytes, p.TotalBytes))
	}
}

func (s *screen) newBar(name string) *mpb.Bar {
	const nameWidth = 32
	return s.bars.AddBar(0,
		mpb.PrependDecorators(decor.Name(cutWidth(printable(name), nameWidth), decor.WCSyncSpaceR)),
		mpb.AppendDecorators(
			decor.Counters(decor.SizeB1000(0), "% .1f / % .1f", decor.WCSyncSpace),
			decor.Any(pace(time.Now()), decor.WCSyncSpaceR),
		),
	)
}

// pace is the speed so far and the time left at it. When all is sent it says that the service
// processes.
func pace(begun time.Time) decor.DecorFunc {
	return func(s decor.Statistics) string {
		switch {
		case s.Total <= 0 || s.Current <= 0:
			return ""
		case s.Current >= s.Total:
			return " processing"
		}
		speed := float64(s.Current) / time.Since(begun).Seconds()
		left := time.Duration(float64(s.Total-s.Current) / speed * float64(time.Second))
		return fmt.Sprintf(" % .1f/s, %s left", decor.SizeB1000(speed), coarse(left))
	}
}
