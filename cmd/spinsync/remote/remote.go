// Package remote has the hosting service's interface by hand, one command for each operation. Call
// Command.
package remote

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/outcome"
)

const help = `Calls the hosting service, with the address, user and password of sync.toml. Each
command makes one call. The state file is neither read nor changed; a running
spinsync finds such changes later.

A view is made by hand like this:

  spinsync remote projects create "Summer"
  spinsync remote products create --project PROJECT --sku SKU-1 --images 36 --form form.json
  spinsync remote upload --form form.json *.jpg
  spinsync remote finish PRODUCT
  spinsync remote status PRODUCT
  spinsync remote images PRODUCT
  spinsync remote embed PRODUCT

PROJECT and PRODUCT are UUIDs, IMAGE is a number. A project may also be named by
its title.`

// remote is the interface by hand.
type remote struct {
	call           *cli.Call
	json           bool
	accessKeyField string // as sync.toml names it; empty when it has to be found
}

// Command is the command remote.
func Command(call *cli.Call) *cobra.Command {
	r := &remote{call: call}
	c := cli.OnlyHolds(&cobra.Command{Use: "remote", Short: "Call the hosting service by hand", Long: help})
	c.PersistentFlags().BoolVar(&r.json, "json", false, "print the service's answer as JSON")
	c.AddCommand(
		r.projectsCommand(), r.productsCommand(), r.imagesCommand(),
		r.uploadCommand(), r.finishCommand(), r.statusCommand(),
		r.embedCommand(), r.downloadCommand(), r.updateCommand(),
		r.reuploadCommand(), r.deleteCommand(), r.altCommand(),
	)
	return c
}

// An act does one thing with the service.
type act func(ctx context.Context, client *apiclient.Client, args []string) error

// calls makes a command call the service.
func (r *remote) calls(c *cobra.Command, do act) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		configured, err := r.call.Config()
		if err != nil {
			return err
		}
		client, err := r.call.Client(configured)
		if err != nil {
			return err
		}
		r.accessKeyField = configured.Service.AccessKeyField
		return remedied(do(c.Context(), client, args), configured.Service.PasswordRemedy(r.call.Env))
	}
	return c
}

// remedied adds the remedy to a failed call, where it is known; password is the one for a rejected call.
// What the service does not have, or takes amiss in its own words, is no matter of settings: a person typed it.
func remedied(err error, password string) error {
	failed, is := errors.AsType[*apiclient.Error](err)
	if !is || failed.NotFound() || len(failed.Messages) > 0 && !failed.Unauthorized() {
		return err
	}
	if remedy := outcome.Explain(err, password).Remedy; remedy != "" {
		return fmt.Errorf("%w; %s", err, remedy)
	}
	return err
}

// show prints an answer as JSON, or as the rows that are made of it.
func (r *remote) show(answer any, rows ...[]string) error {
	if r.json {
		return terminal.JSON(r.call.Stdout, answer)
	}
	return terminal.Table(r.call.Stdout, rows)
}

// done prints that something without an answer succeeded.
func (r *remote) done(format string, args ...any) error {
	if r.json {
		return terminal.JSON(r.call.Stdout, map[string]string{"notice": "OK"})
	}
	_, err := fmt.Fprintf(r.call.Stdout, format+"\n", args...)
	return err
}

// each makes a header and a row for each element.
func each[T any](header []string, elements []T, row func(T) []string) [][]string {
	rows := [][]string{header}
	for _, e := range elements {
		rows = append(rows, row(e))
	}
	return rows
}

func day(t apiclient.Timestamp) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04")
}
