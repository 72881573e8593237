package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/engine"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

const rebuildHelp = `Compares every product folder with the service, and records the outcome. It
uploads nothing and changes nothing on the service. run and sync do the same by
themselves when the state file is new or was lost. rebuild shows for each folder
what the next sync would do, in the words of spinsync plan:

  nothing     the service has exactly the folder's frames
  describe    the same; only alt texts are set (update: title, sku, ...)
  reupload    the service has the product with other frames
  create      the service has no product for the folder
  wait        the folder is not complete, or somebody's upload is processed
  finish      an upload that was begun is completed
  rename      the product of a missing folder that has the same photos is kept
  missing     the folder is gone, the view is kept
  paused      until spinsync resume
  attention   a person must act first
  failed      the folder or the service could not be read
Frames of a set that is not complete may be sent before it is, where their number
is known: they are not on the service yet, and sync sends them again.

Stop the daemon before. After an interruption run rebuild again; the next run or
sync continues it too.

A state file that is damaged, or of another version of spinsync, is kept under a
dated name, and a new one takes its place. Pauses go over to the new file. Where a
pause cannot be read, everything is paused: see to it, then run resume.

Exit code 1 means that a folder is not published as it is, or that a watched
folder cannot be read. Exit code 3 means that a daemon runs.`

func rebuildCommand(call *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use: "rebuild", Short: "Compare every product folder with the service, and record what it holds",
		Args: cobra.NoArgs,
		Long: rebuildHelp,
		RunE: func(c *cobra.Command, _ []string) error {
			configuration, err := call.Config()
			if err != nil {
				return err
			}
			if err := cli.RefuseInFleet(configuration, "stop spinsync, remove "+configuration.State.Path+" and start it: "+
				"the file comes from the fleet"); err != nil {
				return err
			}
			log := terminal.CommandLog(call.Stderr, configuration.Log)
			if err := renew(configuration, log); err != nil {
				return err
			}
			w, err := engine.Open(call, configuration, log)
			if err != nil {
				return err
			}
			return errors.Join(rebuild(c.Context(), w, call.Stdout), w.Close())
		},
	}
}

// renew has a state file that cannot be used replaced by a new one.
func renew(c *config.Config, log *slog.Logger) error {
	renewed, err := syncstate.Renew(c.State.Path, cli.Account(c))
	if renewed.Kept != "" {
		log.Warn("the state file cannot be used; spinsync keeps it under another name and makes a new one",
			"kept", renewed.Kept)
	}
	if renewed.Paused {
		log.Warn("a pause in the old state file may be unreadable, so everything is paused; before the next run or sync " +
			"run spinsync resume, then spinsync pause FOLDER for each folder that must wait")
	}
	if errors.Is(err, syncstate.ErrLocked) {
		err = fmt.Errorf("%s: %w by %s; stop that one, then run rebuild again",
			c.State.Path, syncstate.ErrLocked, cmp.Or(syncstate.Holder(c.State.Path), "another program"))
	}
	return err
}

func rebuild(ctx context.Context, w *engine.Engine, out io.Writer) error {
	folders, published := 0, 0
	err := w.Live.Daemon().Rebuild(ctx, func(f daemon.Forecast) {
		if !f.Gone {
			folders++
		}
		if f.Published {
			published++
		}
		folder := f.Folder
		if len(w.Config.Watch) > 1 {
			folder = f.Root + "/" + folder
		}
		line := fmt.Sprintf("%-9s  %s  %s", f.Does, terminal.Printable(folder), terminal.Printable(f.Detail))
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	})
	if err != nil {
		return fmt.Errorf("%w; run rebuild again before run or sync, and it continues", err)
	}
	fmt.Fprintf(out, "%s, %d published as they are\n", status.Counted(folders, "product folder"), published)
	if published < folders {
		return fmt.Errorf(
			"%d of them not published as they are; the reasons are above; run or sync uploads those that are complete",
			folders-published)
	}
	return nil
}
