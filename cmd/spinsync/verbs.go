package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

const folderHelp = `FOLDER is a product folder as spinsync status and spinsync export name it. Where two roots have a folder of the same
name, put the root in front. Without FOLDER all are meant.

` + whenHelp

const whenHelp = `A running daemon acts as soon as the frames that are on their way are through, also where sync.toml has become wrong since its
start. Without one the next run or sync does.`

// A verb is a command that changes how a product folder is worked on, or all of them.
type verb struct {
	*app
	act  func(backend, context.Context, syncstate.Folder) error
	tell func(t target, name string) (outcome string)
}

func (v verb) command(c *cobra.Command) *cobra.Command {
	c.ValidArgsFunction = completeFolder(v.app)
	c.RunE = func(c *cobra.Command, args []string) error { return v.run(c.Context(), args) }
	return c
}

func retryCommand(a *app) *cobra.Command {
	var asIs bool
	retry := func(b backend, ctx context.Context, f syncstate.Folder) error { return b.Retry(ctx, f, asIs) }
	c := verb{a, retry, retried}.command(&cobra.Command{
		Use: "retry [FOLDER | ROOT]", Short: "Try a product folder again now, or all", Args: cobra.MaximumNArgs(1),
		Long: `Ends the wait of a folder after a failure, and tries again what waits for a person.

With --as-is a folder whose number of frames is not the known one is published with the frames that are there, or, while frames
arrive, that will be there when it is quiet.

With the path of a watched root that is offline as another volume than before, or as emptied, or below which a drive is away,
that root is accepted as it stands now: folders that it does not hold are gone. Nothing else accepts a root.

` + folderHelp,
		Example: `  spinsync retry
  spinsync retry --as-is Summer/SKU-1`,
	})
	c.Flags().BoolVar(&asIs, "as-is", false, "publish the frames that are there, whatever their number")
	return c
}

func pauseCommand(a *app) *cobra.Command {
	return verb{a, backend.Pause, paused}.command(&cobra.Command{
		Use: "pause [FOLDER]", Short: "Let a product folder rest, or all", Args: cobra.MaximumNArgs(1),
		Long: "Keeps a folder from being worked on until spinsync resume, also over a restart.\n\n" + folderHelp,
	})
}

func resumeCommand(a *app) *cobra.Command {
	return verb{a, backend.Resume, resumed}.command(&cobra.Command{
		Use: "resume [FOLDER]", Short: "End a pause", Args: cobra.MaximumNArgs(1),
		Long: "Ends a pause. Without FOLDER the pauses of single folders end too.\n\n" + folderHelp,
	})
}

func rushCommand(a *app) *cobra.Command {
	var off bool
	rush := func(b backend, ctx context.Context, f syncstate.Folder) error { return b.Rush(ctx, f, !off) }
	tell := func(t target, _ string) string {
		if off {
			return "takes its turn with the others"
		}
		return rushed(t)
	}
	c := verb{a, rush, tell}.command(&cobra.Command{
		Use: "rush FOLDER", Short: "Publish a product folder before all others", Args: cobra.ExactArgs(1),
		Long: `Puts a folder ahead of all others, also over a restart, until it is published as it stands or --off is said: it is taken up first,
and its frames are sent first, once those that are on their way are through. It still waits until it is complete, makes way for a
camera that writes below the same root, and keeps to pauses, limits and the rest that a host asks for.

FOLDER is a product folder as spinsync status and spinsync export name it. Where two roots have a folder of the same
name, put the root in front.

` + whenHelp,
		Example: `  spinsync rush Summer/SKU-1
  spinsync rush --off Summer/SKU-1`,
	})
	c.Flags().BoolVar(&off, "off", false, "let the folder take its turn with the others")
	return c
}

// paused is what becomes of a folder that is to rest, or of all.
func paused(t target, _ string) string {
	sends := func(p daemon.ProductStatus) bool { return p.State == daemon.Uploading && t.has(p) }
	if !t.status.Started.IsZero() && slices.ContainsFunc(t.status.Products, sends) {
		return "is paused; frames that are on their way still go through"
	}
	return "is paused"
}

// rushed is what becomes of a folder that is to go first.
func rushed(t target) string {
	i := slices.IndexFunc(t.status.Products, t.has)
	switch {
	case i >= 0 && (t.status.Paused || t.status.Products[i].Paused):
		return "is paused, and goes first when the pause has ended"
	case i >= 0 && t.status.Products[i].State == daemon.Published:
		return "is published, and goes first if something in it is new"
	}
	return "goes first"
}

const notPaused = "was not paused"

// resumed is what becomes of a folder whose pause is ended, or of all.
func resumed(t target, _ string) string {
	paused := slices.ContainsFunc(t.status.Products,
		func(p daemon.ProductStatus) bool { return p.Paused && t.has(p) })
	switch {
	case t.all(), paused && !t.status.Paused:
		return "goes on"
	case t.status.Paused:
		return "rests with everything else until `spinsync resume`"
	}
	return notPaused
}

// retried is what becomes of a folder that is tried again, or of all: a pause holds it all the same.
func retried(t target, name string) string {
	paused := 0
	for _, p := range t.status.Products {
		if (t.status.Paused || p.Paused) && t.has(p) {
			paused++
		}
	}
	resume := "spinsync resume"
	switch {
	case paused == 0:
		return "is tried again"
	case t.all() && !t.status.Paused:
		return fmt.Sprintf("is tried again, but for %s; %s ends the pause", status.Counted(paused, "paused folder"), resume)
	case !t.status.Paused:
		resume += " " + daemon.ShellWord(name)
	}
	return fmt.Sprintf("is paused, and is tried again when `%s` has ended the pause", resume)
}

// run does what the verb says to the folder that args name, and tells what becomes of it. Beside a
// daemon that runs it needs no sync.toml that is right: a mistake there is told as a warning.
func (v verb) run(ctx context.Context, args []string) error {
	do := func(b backend) error { return v.do(ctx, b, args) }
	c, mistake := v.config()
	if mistake == nil {
		return change(ctx, c, do)
	}
	found, err := despite(ctx, v.app, do)
	if !found {
		return mistake
	}
	warn(v.stderr, "sync.toml is wrong, and the daemon goes on as before: "+mistake.Error())
	return err
}

func (v verb) do(ctx context.Context, b backend, args []string) error {
	t, err := findTarget(ctx, b, args)
	if err != nil {
		return err
	}
	if err := v.act(b, ctx, t.folder); err != nil {
		return err
	}
	name, who, when := "", "everything", ""
	if len(args) > 0 {
		name, who = args[0], printable(cmp.Or(t.folder.Path, t.folder.Root))
	}
	outcome := v.tell(t, name)
	if _, alone := b.(records); alone && outcome != notPaused {
		when = ", from the next spinsync run or sync on"
	}
	_, err = fmt.Fprintf(v.stdout, "%s %s%s\n", who, outcome, when)
	return err
}
