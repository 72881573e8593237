package main

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/control"
)

const syncHelp = `Makes one pass: everything due is published, then it ends. A folder is tried for as long as its failures are temporary, at
most 10 minutes, and once more when it waits for a person. A photo that is cut off may still be written: until a minute after it was
last written to the pass waits for its end.

A line tells of each folder that it publishes, and of each that it does not get published, with the reason; the last one sums up. A
terminal also shows how the uploads get on, and what is waited for while nothing happens.

It exits with 0 when every product folder is published, and with 1 when one is not, or a root cannot be read; a folder whose
frames are still arriving is not. With --json the export stands on standard output in place of the lines, whatever became of the pass.

Those whom [notify] names are told at the end, and on the way at most once in its time.

While a daemon runs, it makes the pass.`

func (a *app) syncCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "sync", Short: "Publish everything that is due, then end", Args: cobra.NoArgs, Long: syncHelp,
		RunE: func(c *cobra.Command, _ []string) error { return a.sync(c.Context(), asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the export afterwards")
	return c
}

func (a *app) sync(ctx context.Context, asJSON bool) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	lines := a.stdout
	if asJSON {
		lines = io.Discard
	}
	err = a.pass(ctx, c, lines)
	if asJSON && (err == nil || errors.Is(err, daemon.ErrUnpublished)) {
		err = errors.Join(a.exportTo(ctx, c, newJSONExport), err)
	}
	return err
}

// pass makes one pass, and shows its progress and its outcome.
func (a *app) pass(ctx context.Context, c *config.Config, lines io.Writer) error {
	running, err := control.Dial(ctx, c.State.Path)
	switch {
	case err == nil:
		s := a.newScreen(lines)
		defer s.end()
		return s.followPass(ctx, running.Status, running.Sync)
	case !errors.Is(err, control.ErrNoDaemon):
		return err
	}
	s := a.newScreen(lines)
	defer s.end()
	w, err := a.open(c, s.log(c.Log))
	if err != nil {
		return err
	}
	return errors.Join(s.followPass(ctx, s.news(w.Daemon), w.sync), w.close())
}

// followPass follows a pass to its end, and prints a conclusion unless the pass was broken off.
func (s *screen) followPass(
	ctx context.Context, status func(context.Context) (daemon.Status, error), pass func(context.Context) error,
) error {
	err := s.follow(ctx, status, pass)
	if unpublished := errors.Is(err, daemon.ErrUnpublished); unpublished || err == nil {
		s.conclude(unpublished)
	}
	return err
}

var errNoNews = errors.New("the status is as it was")

// news gives the status of a daemon if it changed since it was given last, which spares a pass over
// thousands of folders at rest most of what showing them costs. Bars move without that, and who
// looks on is told of a wait in which nothing changes.
func (s *screen) news(d *daemon.Daemon) func(context.Context) (daemon.Status, error) {
	var changed <-chan struct{}
	return func(context.Context) (daemon.Status, error) {
		select {
		case <-changed:
		default:
			if changed != nil && s.hints == nil {
				return daemon.Status{}, errNoNews
			}
		}
		changed = d.Changed()
		return d.Status(), nil
	}
}

// sync makes one pass, answers the other commands meanwhile, and tells of news.
func (w *work) sync(ctx context.Context) error {
	notifier, err := w.notifier()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var beside errgroup.Group
	beside.Go(func() error {
		if err := control.Serve(ctx, w.Daemon, w.config.State.Path); err != nil {
			w.log.Warn("other commands do not reach this pass", "error", err) // it still publishes
		}
		return nil
	})
	beside.Go(func() error {
		notifier.Run(ctx)
		return nil
	})
	err = w.Sync(ctx)
	cancel()
	return errors.Join(err, beside.Wait())
}

// log writes above the bars where there are some.
func (s *screen) log(c config.Log) *slog.Logger {
	if s.bars == nil {
		return commandLog(s.app.stderr, c)
	}
	return commandLog(s.bars, c)
}
