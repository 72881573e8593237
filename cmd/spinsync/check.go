package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"spinsync/daemon/config"
	"spinsync/daemon/status"
)

const checkHelp = `Looks at the configuration, the state file, the roots, the service, the credentials and the clock, and prints a line for
each: ok, warn, or fail with the remedy. It changes nothing on the service. docs/check.md lists what it finds. Of a large
tree it looks at the first 2000 folders.

--json prints {"checks": [{"result": "ok", "what", "detail"}]}, with ok, warn or fail for result.

It exits with 2 when the configuration or the password is missing or wrong, and with 1 when anything else fails.`

func checkCommand(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "check", Short: "Tell what stands in the way", Args: cobra.NoArgs, Long: checkHelp,
		RunE: func(c *cobra.Command, _ []string) error {
			configuration, err := a.config()
			if err != nil {
				return err
			}
			report := examine(c.Context(), a, configuration)
			if err := report.print(a.stdout, asJSON); err != nil {
				return err
			}
			return report.verdict()
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// A report is what check prints, a row for each thing it looked at.
type report struct {
	rows         [][]string
	failed       int
	unconfigured error             // the password is missing
	remedied     func(error) error // adds what helps against a lack of rights
}

func (r *report) ok(what, detail string)   { r.rows = append(r.rows, []string{"ok", what, detail}) }
func (r *report) warn(what, detail string) { r.rows = append(r.rows, []string{"warn", what, detail}) }

func (r *report) fail(what string, err error) {
	r.failed++
	r.rows = append(r.rows, []string{"fail", what, r.remedied(err).Error()})
}

// note is ok with the detail, or fail with the error.
func (r *report) note(what, detail string, err error) bool {
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

func (r *report) print(w io.Writer, asJSON bool) error {
	if !asJSON {
		return table(w, r.rows)
	}
	checks := make([]checkJSON, len(r.rows))
	for i, row := range r.rows {
		checks[i] = checkJSON{row[0], row[1], row[2]}
	}
	return printJSON(w, map[string]any{"checks": checks})
}

func (r *report) verdict() error {
	switch {
	case r.unconfigured != nil:
		return usageErrorf("%s failed, the password among them", status.Counted(r.failed, "check"))
	case r.failed > 0:
		return fmt.Errorf("%s failed", status.Counted(r.failed, "check"))
	}
	return nil
}

func examine(ctx context.Context, a *app, c *config.Config) *report {
	r := &report{remedied: a.withRights}
	examineSecrecy(c, r)
	examineState(ctx, a, c, r)
	for _, w := range c.Watch {
		examineRoot(w, r)
		if rootTrouble(w.Path, "") == nil {
			examineTree(ctx, w, r)
		}
	}
	examinePage(ctx, c, r)
	examineNotify(c, r)
	client, err := a.client(c)
	r.unconfigured = err
	if !r.note("password", "found for "+c.Service.Username, err) {
		client, err = a.clientWith(c, "")
	}
	if err == nil {
		examineService(ctx, c, client, c.Service.PasswordRemedy(a.env), r)
	}
	return r
}

func examineRoot(w config.Watch, r *report) {
	const what = "root"
	if err := rootTrouble(w.Path, "correct path in [[watch]]"); err != nil {
		r.fail(what, err)
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
