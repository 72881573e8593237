package main

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/backend"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/engine"
	"spinsync/cmd/spinsync/show"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/control"
	"spinsync/watcher"
)

const syncHelp = `Publishes every complete product folder, then ends.

A folder is tried again while its failures are temporary, for 10 minutes at most.
A folder that needs attention is tried once more. sync waits up to a minute for the
end of a photo that is cut off, because a program may still write it.

It prints one line for each folder that was published, was recorded because the
service has its view already, got other fields or alt texts, or was not published,
with the reason. A view that was deleted with its folder is a warning. The last line
sums up. A terminal also shows the progress of the uploads.

Exit code 0 means that every product folder is published. Exit code 1 means that
one is not, or that a watched folder cannot be read. A folder whose frames are
still arriving is not published.

--json prints the export instead of the lines, also after a failure or an interrupt.

[notify] in sync.toml sends its messages during the pass and at its end. A
running daemon makes the pass itself. While another sync is at work on the state
file, this one waits for its end, then makes its own pass.`

func syncCommand(call *cli.Call) *cobra.Command {
	s := syncing{call: call}
	c := &cobra.Command{
		Use: "sync", Short: "Publish every complete folder, then end", Args: cobra.NoArgs, Long: syncHelp,
		RunE: func(c *cobra.Command, _ []string) error { return s.run(c.Context()) },
	}
	c.Flags().BoolVar(&s.json, "json", false, "print the export afterwards")
	return c
}

type syncing struct {
	call *cli.Call
	json bool
}

func (s syncing) run(ctx context.Context) error {
	c, err := s.call.Config()
	if err != nil {
		return err
	}
	lines := s.call.Stdout
	if s.json {
		lines = io.Discard
	}
	err = s.pass(ctx, c, lines)
	if s.json && (err == nil || errors.Is(err, daemon.ErrUnpublished) || ctx.Err() != nil) {
		ctx := context.WithoutCancel(ctx) // an interrupted pass is told too
		err = errors.Join(backend.Read(ctx, c, exportTo(ctx, s.call.Stdout, writeJSON)), err)
	}
	return err
}

// pass makes one pass, and shows its progress and its outcome.
func (s syncing) pass(ctx context.Context, c *config.Config, lines io.Writer) error {
	shown := show.NewProgress(s.call, lines)
	defer shown.End()
	beside := func(running *control.Client) error {
		return shown.FollowPass(ctx, running.Status, func(ctx context.Context) error {
			if err := running.Sync(ctx); err != nil {
				return err
			}
			return watchesAll(ctx, running, c)
		})
	}
	alone := func() error {
		w, err := engine.Open(s.call, c, shown.Log(c.Log))
		if err != nil {
			return err
		}
		return errors.Join(shown.FollowPass(ctx, show.News(w.Live.Daemon()), w.Pass), w.Close())
	}
	err := backend.Reach(ctx, c.State.Path, beside, alone)
	if errors.Is(err, errOthersPass) {
		return alone() // which names who has the state file
	}
	return err
}

var errOthersPass = errors.New("the daemon goes by another sync.toml")

// watchesAll is errOthersPass where the running daemon does not watch each folder that this sync.toml
// names.
func watchesAll(ctx context.Context, running *control.Client, c *config.Config) error {
	now, err := running.Status(ctx)
	for _, w := range c.Watch {
		if err == nil && !watches(now.Roots, w.Path) {
			return errOthersPass
		}
	}
	return err
}

// watches reports whether a folder is among the roots of a running daemon, which come as JSON.
func watches(roots []watcher.RootStatus, path string) bool {
	return slices.ContainsFunc(roots, func(r watcher.RootStatus) bool { return r.Path == backend.AsWritten(path) })
}
