package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/backend"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon"
	"spinsync/daemon/status"
)

const forgetHelp = `Ends what spinsync knows of a product folder that is gone. Its view stays on the
service, and is nobody's. If the folder comes back, it is a new one.

--delete-view deletes the view too. Before that spinsync sees once more that the
folder is gone: a folder that comes back keeps its view.

FOLDER is a product folder as spinsync status and spinsync export name it.

` + whenHelp

// forgetting are the flags of the command forget.
type forgetting struct {
	call            *cli.Call
	deleteView, yes bool
}

func forgetCommand(call *cli.Call) *cobra.Command {
	f := &forgetting{call: call}
	c := verb{call: call, asks: f.verb, outcome: f.outcome, confirm: f.confirm, may: f.may}.command(&cobra.Command{
		Use: "forget FOLDER", Short: "Forget a product folder that is gone", Args: cobra.ExactArgs(1), Long: forgetHelp,
		Example: `  spinsync forget Summer/SKU-1
  spinsync forget --delete-view Summer/SKU-1`,
	})
	c.Flags().BoolVar(&f.deleteView, "delete-view", false, "delete the view on the service too")
	c.Flags().BoolVar(&f.yes, "yes", false, "ask no question")
	return c
}

func (f *forgetting) verb() daemon.Verb {
	if f.deleteView {
		return daemon.DeleteView
	}
	return daemon.Forget
}

// confirm asks the person, who may take long, before the state file is held.
func (f *forgetting) confirm(ctx context.Context, args []string) error {
	name := terminal.Printable(args[0])
	question := "forget " + name + ", and keep its view on the service?"
	if f.deleteView {
		question = "delete the view of " + name + " on the service, with all its images?"
	}
	if !f.yes && !f.call.Confirm(ctx, question) {
		return fmt.Errorf("%s is not forgotten; answer yes, or use --yes", name)
	}
	return nil
}

// may refuses a folder that is there.
func (f *forgetting) may(t backend.Target) error {
	name := terminal.Printable(cmp.Or(t.Folder.Path, t.Folder.Root))
	i := slices.IndexFunc(t.Status.Products, func(p status.ProductStatus) bool { return p.Key() == t.Folder })
	if i >= 0 && t.Status.Products[i].State == status.Paused {
		return fmt.Errorf("%s is paused; end the pause with `spinsync resume` first", name)
	}
	if i < 0 || !t.Status.Products[i].Gone {
		return fmt.Errorf("%s is not gone; only a folder that is gone can be forgotten", name)
	}
	return nil
}

func (f *forgetting) outcome(t backend.Target, _ string) string {
	switch paused := t.Status.Paused || pausedByName(t) > 0; {
	case paused && f.deleteView:
		return "is paused; after the pause it is forgotten, and its view deleted"
	case paused:
		return "is paused, and is forgotten after the pause"
	case f.deleteView:
		return "is forgotten, and its view deleted, if it is still gone"
	}
	return "is forgotten"
}
