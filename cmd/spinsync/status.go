package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/backend"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/show"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/status"
	"spinsync/watcher"
)

const statusHelp = `Prints every product folder: its state, since when, and the reason. Folders that
need attention come first. Below are the watched folders that cannot be read, and
any other trouble that holds up all folders.

  collecting  frames are still arriving
  queued      complete, waiting for its turn
  uploading   frames are being sent
  processing  the service is at work
  published   the view is live, and was read back from the service
  retrying    a failure that may pass; the time of the next try is shown
  attention   a person must act; the reason says how
  paused      until spinsync resume
  missing     the folder is gone, the view is kept

--json prints {"products": [{"root", "folder", "state", "reason", "since",
"next_try", "frames", ...}]}. Without a daemon the state file answers, with what
was saved last. While a daemon runs, a mistake in sync.toml is a warning.

--health is for programs that watch a daemon, such as a container engine. It
prints "ok" while a daemon runs and can publish, also while a person paused it.
Otherwise it prints the reason and ends with exit code 1. The page answers the
same at /healthz.`

func statusCommand(call *cli.Call) *cobra.Command {
	s := statusView{reader: &backend.Reader{Call: call}, out: call.Stdout, print: show.Status}
	var asJSON, watch, health bool
	c := &cobra.Command{
		Use: "status", Short: "Show the state of every product folder", Args: cobra.NoArgs, Long: statusHelp,
		RunE: func(c *cobra.Command, _ []string) error {
			if asJSON {
				s.print = show.StatusJSON
			}
			switch {
			case health:
				return printHealth(c.Context(), call)
			case watch:
				call.Endless = true
				return s.watch(c.Context())
			}
			err := s.reader.WithStatus(c.Context(), func(now status.Status) error { return s.print(call.Stdout, now) })
			if old, is := errors.AsType[backend.OldSettings](err); is {
				terminal.Warn(call.Stderr, old.Error())
				return nil
			}
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&health, "health", false, "print only whether a daemon can publish")
	c.Flags().BoolVar(&watch, "watch", false, "print again whenever something changes")
	c.MarkFlagsMutuallyExclusive("health", "json")
	c.MarkFlagsMutuallyExclusive("health", "watch")
	return c
}

type statusView struct {
	reader *backend.Reader
	out    io.Writer
	print  func(io.Writer, status.Status) error
}

// watch prints the status whenever it reads differently, until the context ends: on a terminal in
// the place of the one before, elsewhere one after the other, and not only because time has passed.
// It outlives the daemon: what keeps it from reading later on is shown in place of the status.
func (v statusView) watch(ctx context.Context) error {
	const interval = time.Second
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for last := ""; ; {
		page, news, err := v.page(ctx)
		switch {
		case err != nil && last == "" && page == "":
			return err
		case err != nil:
			mistake := fmt.Sprintf("spinsync: %v\n", err)
			page += mistake
			news += mistake
		}
		if news != last {
			if _, err := io.WriteString(v.out, terminal.Redraw(v.out, page)); err != nil {
				return err
			}
		}
		last = news
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// page returns the page to print, and the news: the text that must differ from the page before for
// a new print.
func (v statusView) page(ctx context.Context) (page, news string, err error) {
	printed := terminal.Sheet{Columns: terminal.ColumnsOf(v.out)}
	_, onScreen := terminal.IsTerminal(v.out)
	err = v.reader.WithStatus(ctx, func(s status.Status) (failed error) {
		if !onScreen {
			news, failed = factsOf(s)
		}
		return errors.Join(failed, v.print(&printed, s))
	})
	if onScreen {
		news = printed.String()
	}
	return printed.String(), news, err
}

// factsOf is what a status shows people and scripts, without what only time changes.
func factsOf(s status.Status) (string, error) {
	s.Roots = slices.Clone(s.Roots)
	for i, r := range s.Roots {
		s.Roots[i] = watcher.RootStatus{Path: r.Path, Online: r.Online, Reason: r.Reason, Since: r.Since}
	}
	facts, err := json.Marshal(s)
	return string(facts), err
}
