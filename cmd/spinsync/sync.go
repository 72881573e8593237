package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

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

func syncCommand(a *app) *cobra.Command {
	s := syncing{app: a}
	c := &cobra.Command{
		Use: "sync", Short: "Publish everything that is due, then end", Args: cobra.NoArgs, Long: syncHelp,
		RunE: func(c *cobra.Command, _ []string) error { return s.run(c.Context()) },
	}
	c.Flags().BoolVar(&s.json, "json", false, "print the export afterwards")
	return c
}

type syncing struct {
	*app
	json bool
}

func (s syncing) run(ctx context.Context) error {
	c, err := s.config()
	if err != nil {
		return err
	}
	lines := s.stdout
	if s.json {
		lines = io.Discard
	}
	err = s.pass(ctx, c, lines)
	if s.json && (err == nil || errors.Is(err, daemon.ErrUnpublished)) {
		err = errors.Join(exportTo(ctx, s.stdout, c, newJSONExport), err)
	}
	return err
}

// pass makes one pass, and shows its progress and its outcome.
func (s syncing) pass(ctx context.Context, c *config.Config, lines io.Writer) error {
	running, err := control.Dial(ctx, c.State.Path)
	if err != nil && !errors.Is(err, control.ErrNoDaemon) {
		return err
	}
	shown := newScreen(s.app, lines)
	defer shown.end()
	if err == nil {
		return shown.followPass(ctx, running.Status, running.Sync)
	}
	w, err := open(s.app, c, shown.log(c.Log))
	if err != nil {
		return err
	}
	return errors.Join(shown.followPass(ctx, shown.news(w.Daemon), w.sync), w.close())
}
