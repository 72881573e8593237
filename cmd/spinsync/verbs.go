package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"spinsync/daemon"
	"spinsync/syncstate"
)

const folderHelp = `FOLDER is a product folder as spinsync status and spinsync export name it. Where two roots have a folder of the same
name, put the root in front. Without FOLDER all are meant.

` + whenHelp

const whenHelp = `A running daemon acts as soon as the frames that are on their way are through, also where sync.toml has become wrong since its
start. Without one the next run or sync does.`

func (a *app) retryCommand() *cobra.Command {
	var asIs bool
	c := &cobra.Command{
		Use: "retry [FOLDER | ROOT]", Short: "Try a product folder again now, or all",
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.completeFolder,
		Long: `Ends the wait of a folder after a failure, and tries again what waits for a person.

With --as-is a folder whose number of frames is not the known one is published with the frames that are there, or, while frames
arrive, that will be there when it is quiet.

With the path of a watched root that is offline as another volume than before, or as emptied, or below which a drive is away,
that root is accepted as it stands now: folders that it does not hold are gone. Nothing else accepts a root.

` + folderHelp,
		Example: `  spinsync retry
  spinsync retry --as-is Summer/SKU-1`,
		RunE: func(c *cobra.Command, args []string) error {
			return a.verb(c.Context(), args, func(k keeper, folder syncstate.Folder) (string, error) {
				if err := k.Retry(c.Context(), folder, asIs); err != nil {
					return "", err
				}
				return retried(c.Context(), k, folder, args)
			})
		},
	}
	c.Flags().BoolVar(&asIs, "as-is", false, "publish the frames that are there, whatever their number")
	return c
}

func (a *app) pauseCommand() *cobra.Command {
	return &cobra.Command{
		Use: "pause [FOLDER]", Short: "Let a product folder rest, or all",
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.completeFolder,
		Long: "Keeps a folder from being worked on until spinsync resume, also over a restart.\n\n" + folderHelp,
		RunE: func(c *cobra.Command, args []string) error {
			return a.verb(c.Context(), args, func(k keeper, folder syncstate.Folder) (string, error) {
				before, err := k.Status(c.Context())
				if err != nil {
					return "", err
				}
				return paused(before, folder), k.Pause(c.Context(), folder)
			})
		},
	}
}

func (a *app) resumeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "resume [FOLDER]", Short: "End a pause", Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.completeFolder,
		Long: "Ends a pause. Without FOLDER the pauses of single folders end too.\n\n" + folderHelp,
		RunE: func(c *cobra.Command, args []string) error {
			return a.verb(c.Context(), args, func(k keeper, folder syncstate.Folder) (string, error) {
				before, err := k.Status(c.Context())
				if err != nil {
					return "", err
				}
				return resumed(before, folder), k.Resume(c.Context(), folder)
			})
		},
	}
}

func (a *app) rushCommand() *cobra.Command {
	var off bool
	c := &cobra.Command{
		Use: "rush FOLDER", Short: "Publish a product folder before all others",
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeFolder,
		Long: `Puts a folder ahead of all others, also over a restart, until it is published as it stands or --off is said: it is taken up first,
and its frames are sent first, once those that are on their way are through. It still waits until it is complete, makes way for a
camera that writes below the same root, and keeps to pauses, limits and the rest that a host asks for.

FOLDER is a product folder as spinsync status and spinsync export name it. Where two roots have a folder of the same
name, put the root in front.

` + whenHelp,
		Example: `  spinsync rush Summer/SKU-1
  spinsync rush --off Summer/SKU-1`,
		RunE: func(c *cobra.Command, args []string) error {
			return a.verb(c.Context(), args, func(k keeper, folder syncstate.Folder) (string, error) {
				if off {
					return "takes its turn with the others", k.Rush(c.Context(), folder, false)
				}
				before, err := k.Status(c.Context())
				if err != nil {
					return "", err
				}
				return rushed(before, folder), k.Rush(c.Context(), folder, true)
			})
		},
	}
	c.Flags().BoolVar(&off, "off", false, "let the folder take its turn with the others")
	return c
}

// paused is what becomes of a folder that is to rest, or of all.
func paused(before daemon.Status, folder syncstate.Folder) string {
	sends := func(p daemon.ProductStatus) bool {
		return p.State == daemon.Uploading && (p.Key() == folder || folder == syncstate.Folder{})
	}
	if !before.Started.IsZero() && slices.ContainsFunc(before.Products, sends) {
		return "is paused; frames that are on their way still go through"
	}
	return "is paused"
}

// rushed is what becomes of a folder that is to go first.
func rushed(s daemon.Status, folder syncstate.Folder) string {
	i := slices.IndexFunc(s.Products, func(p daemon.ProductStatus) bool { return p.Key() == folder })
	switch {
	case i >= 0 && (s.Paused || s.Products[i].Paused):
		return "is paused, and goes first when the pause has ended"
	case i >= 0 && s.Products[i].State == daemon.Published:
		return "is published, and goes first if something in it is new"
	}
	return "goes first"
}

// resumed is what becomes of a folder whose pause is ended, or of all.
func resumed(before daemon.Status, folder syncstate.Folder) string {
	paused := slices.ContainsFunc(before.Products,
		func(p daemon.ProductStatus) bool { return p.Paused && p.Key() == folder })
	switch {
	case folder == syncstate.Folder{}, paused && !before.Paused:
		return "goes on"
	case before.Paused:
		return "rests with everything else until `spinsync resume`"
	}
	return notPaused
}

const notPaused = "was not paused"

// retried is what became of a folder that was to be tried again, or of all: a pause holds it all
// the same.
func retried(ctx context.Context, k keeper, folder syncstate.Folder, args []string) (outcome string, err error) {
	s, err := k.Status(ctx)
	paused := 0
	for _, p := range s.Products {
		if (s.Paused || p.Paused) && (p.Key() == folder || folder == syncstate.Folder{}) {
			paused++
		}
	}
	resume := "spinsync resume"
	switch {
	case paused == 0:
		return "is tried again", err
	case folder == syncstate.Folder{} && !s.Paused:
		return fmt.Sprintf("is tried again, but for %s; %s ends the pause",
			counted(paused, "paused folder"), resume), err
	case !s.Paused:
		resume += " " + daemon.ShellWord(args[0])
	}
	return fmt.Sprintf("is paused, and is tried again when `%s` has ended the pause", resume), err
}

// verb does something with the folder that args name, and tells what became of it. Beside a daemon
// that runs it needs no sync.toml that is right: a mistake there is told as a warning.
func (a *app) verb(
	ctx context.Context, args []string, do func(keeper, syncstate.Folder) (outcome string, err error),
) error {
	act := func(k keeper) error { return a.act(ctx, k, args, do) }
	c, mistake := a.config()
	if mistake == nil {
		return a.change(ctx, c, act)
	}
	found, err := a.despite(ctx, act)
	if !found {
		return mistake
	}
	fmt.Fprintf(a.stderr, "%-9s  sync.toml is wrong, and the daemon goes on as before: %s\n",
		"warning", printableLines(mistake.Error()))
	return err
}

func (a *app) act(
	ctx context.Context, k keeper, args []string, do func(keeper, syncstate.Folder) (outcome string, err error),
) error {
	folder, err := findFolder(ctx, k, args)
	if err != nil {
		return err
	}
	outcome, err := do(k, folder)
	if err != nil {
		return err
	}
	who, when := "everything", ""
	if len(args) > 0 {
		who = printable(cmp.Or(folder.Path, folder.Root))
	}
	if _, alone := k.(records); alone && outcome != notPaused {
		when = ", from the next spinsync run or sync on"
	}
	_, err = fmt.Fprintf(a.stdout, "%s %s%s\n", who, outcome, when)
	return err
}
