package main

import (
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

const rebuildHelp = `Compares every product folder with the service, and records what it finds. It uploads nothing and changes nothing on the
service. A run or sync does the same by itself, before anything else, where the state file is new, lost or from a backup: rebuild shows
the outcome first.

  published   the service holds exactly the folder's frames; nothing will be uploaded
  recorded    the state file knew it already, and stays as it was; what is owed for it stands beside it
  found       the service has the product, with other frames, and the next run or sync uploads to it; where the service still processes
              it, they wait for that and look again
  none        the service has none, or it is not known which, or the folder is not complete; the reason stands beside it
  failed      the folder or the service could not be read

A rebuild that was interrupted is taken up by running it again, or by the next run or sync. A damaged state file is not touched:
move it away first. Where it is damaged only in what it knows of some folders' frames, leave it: a copy is kept beside it, and
these folders are looked at anew. Stop the daemon before.

It exits with 1 when a folder is not published as it stands, or a root cannot be read, and with 3 while a daemon runs.`

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
			log := terminal.CommandLog(call.Stderr, configuration.Log)
			if err := salvage(configuration, log); err != nil {
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

// salvage drops the damaged records from the state file. A rebuild then looks for them like for
// folders that were never recorded.
func salvage(c *config.Config, log *slog.Logger) error {
	store, err := syncstate.Open(c.State.Path, cli.Account(c))
	if err != nil {
		return err
	}
	kept, err := store.Salvage()
	if kept != "" && err == nil {
		log.Warn("the state file was damaged; what could not be read is made anew, and a copy of it as it was is kept",
			"copy", kept)
	}
	return errors.Join(err, store.Close())
}

func rebuild(ctx context.Context, w *engine.Engine, out io.Writer) error {
	folders, published := 0, 0
	err := w.Rebuild(ctx, func(r daemon.Rebuilt) {
		folders++
		if r.Published {
			published++
		}
		folder := r.Folder
		if len(w.Config.Watch) > 1 {
			folder = r.Root + "/" + folder
		}
		line := fmt.Sprintf("%-9s  %s  %s", rebuildOutcome(r), terminal.Printable(folder), terminal.Printable(r.Reason))
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	})
	if err != nil {
		return fmt.Errorf("%w; run rebuild again before run or sync, it goes on where it stopped", err)
	}
	fmt.Fprintf(out, "%s, %d published as they stand\n", status.Counted(folders, "product folder"), published)
	if published < folders {
		return fmt.Errorf(
			"%d of them not published as they stand; the reasons are above, and run or sync uploads what is missing",
			folders-published)
	}
	return nil
}

// rebuildOutcome is the word for what became of a folder.
func rebuildOutcome(r daemon.Rebuilt) string {
	switch {
	case r.Failed:
		return "failed"
	case r.Recorded:
		return "recorded"
	case r.Published:
		return "published"
	case r.Product != "":
		return "found"
	}
	return "none"
}
