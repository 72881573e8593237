package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/backend"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/rootlock"
	"spinsync/cmd/spinsync/show"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/control"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

const planHelp = `Reads the watched folders and shows for each product folder what sync would do if
no file changed any more. It sends no request and changes nothing.

  create      make a product and upload its frames
  rename      keep the product of a missing folder that has the same photos
  reupload    upload all frames of a product again
  finish      complete an upload that was begun
  update      change title, sku, manufacturer or year
  describe    set alt texts
  reconcile   compare the folder with the service, which may know more of it
  remove      delete the product, because its folder is gone
  wait        the folder is not complete; the detail says what is missing
  attention   a person must act first
  paused      until spinsync resume
  missing     the folder is gone, the view is kept
  nothing     nothing to do; the table only counts these folders

Watched folders that cannot be read, or were not yet, are warnings. --json prints
{"products": [{"root", "folder", "does", "detail"}]}.`

func planCommand(call *cli.Call) *cobra.Command {
	p := planning{call: call}
	c := &cobra.Command{
		Use: "plan", Short: "Show what sync would do", Args: cobra.NoArgs, Long: planHelp,
		RunE: func(c *cobra.Command, _ []string) error { return p.run(c.Context()) },
	}
	c.Flags().BoolVar(&p.json, "json", false, "print JSON")
	return c
}

type planning struct {
	call *cli.Call
	json bool
}

func (p planning) run(ctx context.Context) error {
	c, err := p.call.Config()
	if err != nil {
		return err
	}
	previews, warnings, err := p.previews(ctx, c)
	for _, warning := range warnings {
		terminal.Warn(p.call.Stderr, warning)
	}
	switch {
	case err != nil:
		return err
	case p.json:
		return terminal.JSON(p.call.Stdout, map[string]any{"products": append([]status.Preview{}, previews...)})
	}
	return printPlan(p.call.Stdout, previews)
}

// previews also has what a person should know before anything is done.
func (p planning) previews(
	ctx context.Context, c *config.Config,
) (previews []status.Preview, warnings []string, err error) {
	beside := func(running *control.Client) error {
		status, err := running.Status(ctx)
		if err != nil {
			return err
		}
		previews, err = running.Plan(ctx)
		warnings = append(warningsOf(status), status.Links()...)
		return err
	}
	err = backend.Reach(ctx, c.State.Path, beside, func() (err error) {
		previews, warnings, err = p.survey(ctx, c)
		return err
	})
	return previews, warnings, err
}

// warningsOf are the warnings of a status: about the state file, and about roots that cannot be read
// or were not read yet.
func warningsOf(s status.Status) []string {
	warnings := append([]string{s.Recovery}, s.OfflineRoots()...)
	for _, r := range s.Roots {
		if r.Unread {
			warnings = append(warnings, "the watched folder "+r.Path+" was not read yet; its new folders are not listed")
		}
	}
	return slices.DeleteFunc(warnings, func(w string) bool { return w == "" })
}

// survey previews without a daemon. It needs no password, since it sends nothing. Its log names links.
func (p planning) survey(
	ctx context.Context, c *config.Config,
) (previews []status.Preview, warnings []string, err error) {
	client, err := p.call.Connect(c, "")
	if err != nil {
		return nil, nil, err
	}
	store, err := syncstate.OpenReadOnly(c.State.Path, cli.Account(c))
	if errors.Is(err, fs.ErrNotExist) {
		return p.firstSurvey(ctx, c)
	}
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	log := terminal.CommandLog(p.call.Stderr, c.Log)
	d, err := daemon.New(daemon.Options{Config: c, Store: store, Client: client, Log: log})
	if err != nil {
		return nil, nil, err
	}
	previews, err = d.Survey(ctx)
	return previews, append(warningsOf(d.Status()), heldRoots(c)...), err
}

// heldRoots names roots that another program publishes. Sync cannot carry out the plan for them.
func heldRoots(c *config.Config) (warnings []string) {
	for _, w := range c.Watch {
		if err := rootlock.Held(w.Path, cli.FleetID(c)); err != nil {
			warnings = append(warnings, err.Error())
		}
	}
	return warnings
}

// firstSurvey previews while there is no state file, with an empty temporary one.
func (p planning) firstSurvey(
	ctx context.Context, c *config.Config,
) (previews []status.Preview, warnings []string, err error) {
	dir, err := os.MkdirTemp("", "spinsync-plan-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	empty := *c
	empty.State.Path = filepath.Join(dir, "state.db")
	store, err := syncstate.Open(empty.State.Path, cli.Account(c))
	if err != nil {
		return nil, nil, err
	}
	if err := store.Close(); err != nil {
		return nil, nil, err
	}
	return p.survey(ctx, &empty)
}

func printPlan(w io.Writer, previews []status.Preview) error {
	rows := [][]string{{"DOES", "FOLDER", "DETAIL"}}
	idle, several := 0, len(previews) > 0 && previews[0].Root != previews[len(previews)-1].Root
	for _, p := range previews {
		if p.Does == "nothing" {
			idle++
		}
		if p.Does == "nothing" && p.Detail == "published" {
			continue
		}
		name := backend.NameOf(syncstate.Folder{Root: p.Root, Path: p.Folder}, several)
		rows = append(rows, []string{p.Does, name, p.Detail})
	}
	if len(rows) > 1 {
		if err := terminal.Table(w, rows); err != nil {
			return err
		}
	}
	switch {
	case len(previews) == 0:
		return terminal.Table(w, [][]string{{show.NoFolderFound}})
	case idle > 0:
		return terminal.Table(w, [][]string{{status.Counted(idle, "product folder") + " with nothing to do"}})
	}
	return nil
}
