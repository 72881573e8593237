package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/backend"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon"
	"spinsync/daemon/status"
)

const folderHelp = `FOLDER is a product folder as spinsync status and spinsync export name it. Where
two watched folders have one of the same name, put the path of the watched folder
in front. Without FOLDER the command is for all folders.

` + whenHelp

const whenHelp = `A running daemon finishes the frames that it is sending, and then obeys. Without a
daemon the next run or sync obeys.`

// A verb is a command that changes how a product folder is worked on, or all of them.
type verb struct {
	call    *cli.Call
	asks    func() daemon.Verb // once the flags are read
	outcome func(t backend.Target, name string) string
	may     func(t backend.Target) error                   // before the verb; nil where nothing forbids it
	confirm func(ctx context.Context, args []string) error // before anything; nil for no question
	roots   bool                                           // a watched folder may be named too
}

func (v verb) command(c *cobra.Command) *cobra.Command {
	c.ValidArgsFunction = backend.CompleteFolder(v.call)
	c.RunE = func(c *cobra.Command, args []string) error { return v.run(c.Context(), args) }
	return c
}

func retryCommand(call *cli.Call) *cobra.Command {
	var asIs, notMade bool
	retry := func() daemon.Verb {
		switch {
		case asIs:
			return daemon.RetryAsIs
		case notMade:
			return daemon.RetryNotMade
		}
		return daemon.Retry
	}
	mayRetry := func(t backend.Target) error {
		if notMade && t.Folder.Path == "" {
			return cli.Usagef("--create is for one product folder; name the folder whose product is not there")
		}
		if p := t.Product(); notMade && p.Product != "" {
			return cli.Usagef("%s has its product; --create is for a folder whose create got no answer",
				terminal.Printable(p.Folder))
		}
		return nil
	}
	outcome := func(t backend.Target, name string) string {
		switch p := t.Product(); {
		case asIs || !p.DeleteAsked || p.State != status.Attention:
		case t.Status.Paused || p.Paused:
			return "is paused; after the pause its view is deleted"
		default:
			return "is gone, and its view is deleted"
		}
		said := retried(t, name)
		if asIs {
			said += asTheyAre(t)
		}
		return said
	}
	c := verb{call: call, asks: retry, outcome: outcome, may: mayRetry, roots: true}.command(&cobra.Command{
		Use: "retry [FOLDER | PATH]", Short: "Try a product folder again now, or all", Args: cobra.MaximumNArgs(1),
		Long: `Tries a folder again at once, whether it waits after a failure or for a person.

--as-is publishes a folder whose number of frames is not the known one. It takes
the frames that are there. While frames still arrive, it takes those that are
there when the folder is quiet.

--create means that the service does not have the folder's product. It is for a
folder that waits because a request to create the product got no answer. spinsync
lists once more, and creates the product at once if the service does not have it.

With the path of a watched folder, retry accepts that as it is now. That is for
one that is offline because it is on another volume or was emptied, and for one
below which a drive is away. Product folders that it does not hold are then gone.
Only this command accepts a watched folder. In a fleet it makes the settings that
this computer has for the watched folder those of the fleet, where they differ.

` + folderHelp,
		Example: `  spinsync retry
  spinsync retry --as-is Summer/SKU-1`,
	})
	c.Flags().BoolVar(&asIs, "as-is", false, "publish the frames that are there, whatever their number")
	c.Flags().BoolVar(&notMade, "create", false, "the product is not there; create it if the service does not list it")
	c.MarkFlagsMutuallyExclusive("as-is", "create")
	return c
}

func pauseCommand(call *cli.Call) *cobra.Command {
	return verb{call: call, asks: func() daemon.Verb { return daemon.Pause }, outcome: paused, may: mayHold}.command(&cobra.Command{
		Use: "pause [FOLDER]", Short: "Pause a product folder, or all", Args: cobra.MaximumNArgs(1),
		Long: "Stops all work on a folder until spinsync resume, also over a restart.\n\n" + folderHelp,
	})
}

func resumeCommand(call *cli.Call) *cobra.Command {
	return verb{call: call, asks: func() daemon.Verb { return daemon.Resume }, outcome: resumed}.command(&cobra.Command{
		Use: "resume [FOLDER]", Short: "End a pause", Args: cobra.MaximumNArgs(1),
		Long: "Ends a pause. Without FOLDER it ends the pauses of single folders too.\n\n" + folderHelp,
	})
}

func rushCommand(call *cli.Call) *cobra.Command {
	var off bool
	rush := func() daemon.Verb {
		if off {
			return daemon.EndPriority
		}
		return daemon.Prioritize
	}
	rushed := func(t backend.Target, _ string) string {
		if off {
			return "takes its turn with the others"
		}
		return rushed(t)
	}
	c := verb{call: call, asks: rush, outcome: rushed, may: mayHold}.command(&cobra.Command{
		Use: "rush FOLDER", Short: "Publish a product folder before all others", Args: cobra.ExactArgs(1),
		Long: `Lets a folder go before all others: spinsync takes it up first and sends its
frames first. Frames that are being sent are finished before. This holds over a
restart, until the folder is published or rush --off ends it.

The folder still waits until it is complete, and goes before a folder that is being
shot. Pauses, limits and the waits that a host asks for hold too.

FOLDER is a product folder as spinsync status and spinsync export name it. Where
two watched folders have one of the same name, put the path of the watched folder
in front.

` + whenHelp,
		Example: `  spinsync rush Summer/SKU-1
  spinsync rush --off Summer/SKU-1`,
	})
	c.Flags().BoolVar(&off, "off", false, "let the folder take its turn with the others")
	return c
}

// mayHold refuses a directory above product folders: where photos lie in it, status names it too, but
// what is done to it reaches none of those folders.
func mayHold(t backend.Target) error {
	for _, p := range t.Status.Products {
		if t.Folder.Path != "" && p.Root == t.Folder.Root && strings.HasPrefix(p.Folder, t.Folder.Path+"/") {
			return cli.Usagef("%s lies above product folders; name one of them, such as %s",
				terminal.Printable(t.Folder.Path), terminal.Printable(p.Folder))
		}
	}
	return nil
}

// paused is what becomes of a folder that is paused, or of all.
func paused(t backend.Target, _ string) string {
	sends := func(p status.ProductStatus) bool { return p.State == status.Uploading && t.Has(p) }
	if !t.Status.Started.IsZero() && slices.ContainsFunc(t.Status.Products, sends) {
		return "is paused; frames that are being sent are finished"
	}
	return "is paused"
}

// rushed says what happens to a folder that gets priority.
func rushed(t backend.Target) string {
	switch p := t.Product(); {
	case t.Status.Paused || p.Paused:
		return "is paused, and goes first after the pause"
	case p.State == status.Published:
		return "is published, and goes first when something in it changes"
	}
	return "goes first"
}

// Outcomes of a resume that has nothing to end.
const (
	notPaused  = "was not paused"
	nonePaused = "goes on; nothing was paused"
)

// pausedByName counts the folders meant that a person paused alone, and not with all.
func pausedByName(t backend.Target) (n int) {
	for _, p := range t.Status.Products {
		if p.Paused && t.Has(p) {
			n++
		}
	}
	return n
}

// resumed is what becomes of a folder whose pause is ended, or of all.
func resumed(t backend.Target, _ string) string {
	paused := pausedByName(t)
	switch {
	case t.All() && paused > 0:
		return "goes on, and so does what was paused by name: " + status.Counted(paused, "folder")
	case t.All() && !t.Status.Paused:
		return nonePaused
	case t.All(), paused > 0 && !t.Status.Paused:
		return "goes on"
	case t.Status.Paused:
		return "is paused with everything else until `spinsync resume`"
	}
	return notPaused
}

// retried is the outcome of a retry of a folder, or of all: a pause still holds it, and so does a
// frame that is not whole. That of a watched folder may be about its settings.
func retried(t backend.Target, name string) string {
	paused, resume := pausedByName(t), "spinsync resume"
	isHeld := func(p status.ProductStatus) bool { return p.Corrupt != "" && p.Key() == t.Folder }
	held := slices.IndexFunc(t.Status.Products, isHeld)
	switch {
	case t.Folder.Path == "" && t.Status.Fleet != nil && t.Status.Fleet.Differs[t.Folder.Root] != "":
		return "has the settings of this computer now, for the whole fleet"
	case held >= 0:
		return "is tried again when " + terminal.Printable(t.Status.Products[held].Corrupt) + " is whole or removed"
	case paused == 0 && !t.Status.Paused:
		return "is tried again"
	case t.All() && !t.Status.Paused:
		except := status.Counted(paused, "paused folder")
		return fmt.Sprintf("is tried again, except %s; %s ends the pause", except, resume)
	case !t.Status.Paused:
		resume += " " + status.ShellWord(name)
	}
	return fmt.Sprintf("is paused, and is tried again after `%s`", resume)
}

// asTheyAre is what --as-is adds to the outcome of a retry, as far as the status shows it: it counts
// where the number of frames is in question, or still open.
func asTheyAre(t backend.Target) string {
	p := t.Product()
	if p.Corrupt != "" {
		return ""
	}
	switch p.State {
	case "", status.Paused:
		return ""
	case status.Collecting, status.Queued, status.Uploading:
		return ", and takes the frames that are there once it is quiet"
	case status.Attention:
		if p.Frames.Settled != p.Frames.Expected {
			return ", and takes the frames that are there"
		}
	}
	return "; its number of frames is not in question"
}

// run gives the verb to the folder that args name, and prints the outcome. While a daemon runs, the
// verb does not need sync.toml to be right: a mistake there is a warning.
func (v verb) run(ctx context.Context, args []string) error {
	if v.confirm != nil {
		if err := v.refusedHere(ctx); err != nil {
			return err
		}
		if err := v.confirm(ctx, args); err != nil {
			return err
		}
	}
	do := func(b backend.Backend) error { return v.do(ctx, b, args) }
	c, mistake := v.call.Config()
	if mistake == nil {
		return backend.Change(ctx, c, do)
	}
	return backend.Despite(ctx, v.call, mistake, do)
}

// refusedHere is the error of a standby of a fleet, which would refuse the verb after its question.
func (v verb) refusedHere(ctx context.Context) (err error) {
	if c, mistake := v.call.Config(); mistake == nil && c.Fleet == nil {
		return nil
	}
	r := backend.Reader{Call: v.call}
	_ = r.WithStatus(ctx, func(s status.Status) error { // without a status the verb itself tells why
		if s.Fleet != nil && s.Fleet.IsStandby() {
			err = errors.New(s.Fleet.GiveItAt())
		}
		return nil
	})
	return err
}

func (v verb) do(ctx context.Context, b backend.Backend, args []string) error {
	t, err := backend.FindTarget(ctx, b, args)
	if err != nil {
		return err
	}
	if t.Folder.Path == "" && !t.All() && !v.roots {
		return cli.Usagef("%s is a watched folder; name a product folder below it", terminal.Printable(t.Folder.Root))
	}
	if v.may != nil {
		if err := v.may(t); err != nil {
			return err
		}
	}
	if err := b.Do(ctx, v.asks(), t.Folder); err != nil {
		return err
	}
	name, who, when := "", "everything", ""
	if len(args) > 0 {
		name, who = args[0], terminal.Printable(cmp.Or(t.Folder.Path, t.Folder.Root))
	}
	outcome := v.outcome(t, name)
	if alone := t.Status.Started.IsZero(); alone && outcome != notPaused && outcome != nonePaused {
		when = ", with the next spinsync run or sync"
	}
	_, err = fmt.Fprintf(v.call.Stdout, "%s %s%s\n", who, outcome, when)
	return err
}
