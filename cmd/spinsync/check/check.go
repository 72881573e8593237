// Package check has the command that finds what is in the way of publishing. Call Command for the
// command, or Examine for its Report, which diagnose shows too.
package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/rootlock"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/config"
	"spinsync/daemon/station"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

const help = `Checks configuration, state file, watched folders, service, credentials, clock, and
the cluster of a fleet. It prints one line for each: ok, warn, or fail with the remedy. It changes nothing
on the service. In a large tree it lists the first 2000 directories. docs/check.md
has what it finds. What is wrong with a single folder, plan and status show.

--json prints {"checks": [{"result": "ok", "what", "detail"}]}. The result is ok,
warn or fail.

Exit code 2 means that sync.toml is wrong, or that there is no password; the
service is not asked then. Exit code 3 means that another spinsync uses the state
file, a watched folder or the station's name. Exit code 1 means that anything else failed, such as a password
that the service rejects.`

// Command is the command check.
func Command(call *cli.Call) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "check", Short: "Find problems and say how to fix them", Args: cobra.NoArgs, Long: help,
		RunE: func(c *cobra.Command, _ []string) error {
			configuration, err := call.Config()
			if err != nil {
				return err
			}
			report := Examine(c.Context(), call, configuration)
			if err := report.print(call.Stdout, asJSON); err != nil {
				return err
			}
			return report.Verdict()
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// A Report is what check prints, a row for each thing it examined.
type Report struct {
	Rows     [][]string
	failures []error
	troubled []string          // roots that have a row with their trouble
	remedied func(error) error // adds what helps against a lack of rights
}

func (r *Report) ok(what, detail string)   { r.Rows = append(r.Rows, []string{"ok", what, detail}) }
func (r *Report) warn(what, detail string) { r.Rows = append(r.Rows, []string{"warn", what, detail}) }

func (r *Report) fail(what string, err error) {
	r.failures = append(r.failures, err)
	r.Rows = append(r.Rows, []string{"fail", what, r.remedied(err).Error()})
}

// note is ok with the detail, or fail with the error.
func (r *Report) note(what, detail string, err error) bool {
	if err != nil {
		r.fail(what, err)
		return false
	}
	r.ok(what, detail)
	return true
}

// checkJSON is what scripts read of a row.
type checkJSON struct {
	Result string `json:"result"`
	What   string `json:"what"`
	Detail string `json:"detail"`
}

func (r *Report) print(w io.Writer, asJSON bool) error {
	if !asJSON {
		return terminal.Table(w, r.Rows)
	}
	checks := make([]checkJSON, len(r.Rows))
	for i, row := range r.Rows {
		checks[i] = checkJSON{row[0], row[1], row[2]}
	}
	return terminal.JSON(w, map[string]any{"checks": checks})
}

// Verdict is the error with which check ends, nil when nothing failed. It is of the kind with which
// sync would end.
func (r *Report) Verdict() error {
	failed := status.Counted(len(r.failures), "check") + " failed"
	switch all := errors.Join(r.failures...); {
	case all == nil:
		return nil
	case cli.IsUsage(all):
		return cli.Usagef("%s, the configuration among them", failed)
	case errors.Is(all, syncstate.ErrLocked):
		return fmt.Errorf("%s; %w", failed, syncstate.ErrLocked)
	case errors.Is(all, syncstate.ErrDamaged):
		return fmt.Errorf("%s; %w", failed, syncstate.ErrDamaged)
	case errors.Is(all, station.ErrNameTaken):
		return fmt.Errorf("%s; %w", failed, station.ErrNameTaken)
	case errors.Is(all, rootlock.ErrHeld):
		return fmt.Errorf("%s; a watched folder is %w", failed, rootlock.ErrHeld)
	}
	return errors.New(failed)
}

// Examine examines everything in turn.
func Examine(ctx context.Context, call *cli.Call, c *config.Config) *Report {
	r := &Report{remedied: call.WithRights}
	examineSecrecy(c, r)
	examineState(ctx, call, c, r)
	for _, w := range c.Watch {
		examineWaits(w, r)
		err := Readable(w.Path, "correct path in [[watch]]")
		if !slices.Contains(r.troubled, w.Path) {
			examineRoot(w, err, r)
		}
		if err == nil {
			examineFolders(ctx, w, r)
		}
	}
	examineFleet(ctx, call, c, r)
	examinePage(ctx, c, r)
	examineNotify(c, r)
	examineAccount(ctx, call, c, r)
	return r
}

// examineWaits finds a wait for a quiet folder that ends before that for each of its photos.
func examineWaits(w config.Watch, r *Report) {
	if w.Quiet < w.Settle {
		r.warn("quiet", fmt.Sprintf(
			"%s: quiet is %s, and shorter than settle, so a folder is complete after %s; raise quiet, or lower settle",
			w.Path, w.Quiet, w.Settle))
	}
}

// examineRoot examines a watched folder. The error is why it cannot be read; nil where it can.
func examineRoot(w config.Watch, unreadable error, r *Report) {
	const what = "root"
	if unreadable != nil {
		r.fail(what, unreadable)
		return
	}
	entries, err := os.ReadDir(w.Path)
	switch {
	case err != nil:
		r.fail(what, err)
	case len(entries) == 0:
		r.warn(what, w.Path+": it is empty; is the drive mounted?")
	default:
		r.ok(what, fmt.Sprintf("%s, %s at the top, layout %s", w.Path, status.Counted(len(entries), "item"), w.Layout))
	}
}
