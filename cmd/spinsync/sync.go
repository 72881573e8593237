package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/engine"
	"spinsync/cmd/spinsync/show"
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

func syncCommand(call *cli.Call) *cobra.Command {
	s := syncing{Call: call}
	c := &cobra.Command{
		Use: "sync", Short: "Publish everything that is due, then end", Args: cobra.NoArgs, Long: syncHelp,
		RunE: func(c *cobra.Command, _ []string) error { return s.run(c.Context()) },
	}
	c.Flags().BoolVar(&s.json, "json", false, "print the export afterwards")
	return c
}

type syncing struct {
	*cli.Call
	json bool
}

func (s syncing) run(ctx context.Context) error {
	c, err := s.Config()
	if err != nil {
		return err
	}
	lines := s.Stdout
	if s.json {
		lines = io.Discard
	}
	err = s.pass(ctx, c, lines)
	if s.json && (err == nil || errors.Is(err, daemon.ErrUnpublished)) {
		err = errors.Join(exportTo(ctx, s.Stdout, c, newJSONExport), err)
	}
	return err
}

// pass makes one pass, and shows its progress and its outcome.
func (s syncing) pass(ctx context.Context, c *config.Config, lines io.Writer) error {
	running, err := control.Dial(ctx, c.State.Path)
	if err != nil && !errors.Is(err, control.ErrNoDaemon) {
		return err
	}
	shown := show.NewProgress(s.Call, lines)
	defer shown.End()
	if err == nil {
		return shown.FollowPass(ctx, running.Status, running.Sync)
	}
	w, err := engine.Open(s.Call, c, shown.Log(c.Log))
	if err != nil {
		return err
	}
	return errors.Join(shown.FollowPass(ctx, shown.News(w.Daemon), w.Pass), w.Close())
}
