package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/rootlock"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/control"
	"spinsync/syncstate"
)

const checkHelp = `Looks at the configuration, the state file, the roots, the service, the credentials and the clock, and prints a line for
each: ok, warn, or fail with the remedy. It changes nothing on the service. docs/check.md lists what it finds. Of a large
tree it looks at the first 2000 folders.

--json prints {"checks": [{"result": "ok", "what", "detail"}]}, with ok, warn or fail for result.

It exits with 2 when the configuration or the password is missing or wrong, and with 1 when anything else fails.`

func (a *app) checkCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "check", Short: "Tell what stands in the way", Args: cobra.NoArgs, Long: checkHelp,
		RunE: func(c *cobra.Command, _ []string) error {
			configuration, err := a.config()
			if err != nil {
				return err
			}
			report := a.examine(c.Context(), configuration)
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
		return usageErrorf("%s failed, the password among them", counted(r.failed, "check"))
	case r.failed > 0:
		return fmt.Errorf("%s failed", counted(r.failed, "check"))
	}
	return nil
}

func (a *app) examine(ctx context.Context, c *config.Config) *report {
	r := &report{remedied: a.withRights}
	examineSecrecy(c, r)
	a.examineState(ctx, c, r)
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

// examineState finds out whether the state file could be used, without making one.
func (a *app) examineState(ctx context.Context, c *config.Config, r *report) {
	path := c.State.Path
	_, err := control.Dial(ctx, path)
	running := err == nil
	if running {
		r.ok("state", path+", in use by the running daemon")
	}
	if !running && !examineStateFile(c, r) {
		r.ok(accessKeyRow, accessKeyField(c, nil))
		return
	}
	s, err := a.status(ctx, c)
	r.ok(accessKeyRow, accessKeyField(c, s.AccessKeyFields))
	if s.LeftBehind != "" {
		r.warn("address", s.LeftBehind)
	}
	if s.FromBackup != "" {
		r.warn("state", s.FromBackup)
	}
	if err != nil {
		r.fail("state", err)
	}
	for _, root := range s.Roots {
		if root.Untrusted && root.Offline() {
			r.warn("root", fmt.Sprintf("%s: it %s", root.Path, root.Reason))
		}
	}
}

const accessKeyRow = "access key"

// accessKeyField says which form field carries the access key of uploads (interface 4.3). found are
// the names that worked, by upload host.
func accessKeyField(c *config.Config, found map[string]string) string {
	const field = "the upload form's field for it is "
	if name := c.Service.AccessKeyField; name != "" {
		return field + name + ", as sync.toml says"
	}
	var known []string
	for _, host := range slices.Sorted(maps.Keys(found)) {
		known = append(known, found[host]+" for "+host)
	}
	if known == nil {
		return field + "not known yet; the first upload finds it"
	}
	return field + strings.Join(known, ", ") + ", as the first upload found"
}

// examineHolders tells of roots that a program with another state file publishes, while none works
// with this one.
func examineHolders(c *config.Config, r *report) {
	for _, w := range c.Watch {
		if err := rootlock.Held(w.Path); err != nil {
			r.warn("root", err.Error())
		}
	}
}

// examineStateFile reports whether there is one to be read.
func examineStateFile(c *config.Config, r *report) bool {
	path := c.State.Path
	switch err := syncstate.Check(path); {
	case errors.Is(err, fs.ErrNotExist):
		if lost := daemon.LostStateFile(path); lost != "" {
			r.warn("state", lost)
		}
		r.note("state", path+", made by the first run or sync", checkCanMake(path))
		examineHolders(c, r)
		return false
	case errors.Is(err, syncstate.ErrLocked):
		r.warn("state", err.Error())
		return false
	default:
		examineHolders(c, r)
		return r.note("state", path, err)
	}
}

// checkCanMake tries whether a file can be made where the first directory above it exists.
func checkCanMake(path string) error {
	dir := filepath.Dir(path)
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	trial, err := os.CreateTemp(dir, ".spinsync-check-*")
	if err != nil {
		return fmt.Errorf("%w; make the directory writable, or name another path in [state]", err)
	}
	return errors.Join(trial.Close(), os.Remove(trial.Name()))
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
		r.ok(what, fmt.Sprintf("%s, %s at the top, layout %s", w.Path, counted(len(entries), "item"), w.Layout))
	}
}

// rootTrouble says why a folder cannot be watched, nil when it can. correct is how another one is
// named.
func rootTrouble(path, correct string) error {
	_, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && noDrive(path):
		return fmt.Errorf(
			"%s: there is no such drive here; plug it in, or write //server/share for a drive that a person mapped: "+
				"services and terminals of an administrator do not see it", path)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no such folder; mount the drive, or %s", path, correct)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: this user may not read it; give it the right, or run spinsync as another user", path)
	}
	return err
}

// noDrive reports whether a path begins with a drive letter, of Windows, that does not exist.
func noDrive(path string) bool {
	drive := filepath.VolumeName(path)
	if drive == "" {
		return false
	}
	_, err := os.Stat(drive + string(filepath.Separator))
	return len(drive) == 2 && errors.Is(err, fs.ErrNotExist)
}

// examineService asks the service for what changes nothing: the projects, and the images of some
// product. remedy is for a password that is rejected.
func examineService(ctx context.Context, c *config.Config, client *apiclient.Client, remedy string, r *report) {
	projects, err := client.Projects(ctx)
	var said *apiclient.Error
	switch {
	case errors.Is(err, http.ErrSchemeMismatch):
		r.fail("service", speaksHTTP(c.Service.BaseURL))
	case errors.As(err, &said) && said.Unauthorized():
		r.ok("service", c.Service.BaseURL)
		r.fail("credentials", explained(err, remedy))
	case r.note("service", c.Service.BaseURL, explained(err, remedy)):
		r.ok("credentials", fmt.Sprintf("%s sees %s", c.Service.Username, counted(len(projects), "project")))
		examineRights(ctx, client, projects, r)
	}
	examineClock(client, r)
}

// mostExamined is how many projects check looks into for the user's permission.
const mostExamined = 20

// examineRights reads the images of one product in each project, which needs a permission of its
// own (interface 4.12).
func examineRights(ctx context.Context, client *apiclient.Client, projects []apiclient.Project, r *report) {
	const what = "permission"
	examined := 0
	for _, p := range projects[:min(len(projects), mostExamined)] {
		product, err := productOf(ctx, client, p)
		if err == nil && product != "" {
			examined++
			_, err = client.Images(ctx, product)
		}
		switch {
		case daemon.LacksPermission(err) && product != "":
			r.fail(what, fmt.Errorf(
				"the images of project %s may not be listed (%w); have the user given edit permission for it there",
				p.Title, err))
			return
		case err != nil:
			r.fail(what, explained(err, ""))
			return
		}
	}
	if examined == 0 {
		r.ok(what, "not known yet whether images may be listed: the service has no product to try it with")
		return
	}
	r.ok(what, "the images of "+counted(examined, "project")+" can be listed")
}

// productOf is some product of a project; empty when it has none.
func productOf(ctx context.Context, client *apiclient.Client, p apiclient.Project) (string, error) {
	if p.Products != nil && *p.Products == 0 {
		return "", nil
	}
	products, err := client.ProjectProducts(ctx, p.UUID, apiclient.Filter{})
	if err != nil || len(products) == 0 {
		return "", err
	}
	return products[0].UUID, nil
}

func examineClock(client *apiclient.Client, r *report) {
	const tolerated = 5 * time.Minute
	offset, known := client.ClockOffset()
	switch {
	case !known:
		r.warn("clock", "not compared, since the service did not answer")
	case offset.Abs() > tolerated:
		r.warn("clock",
			fmt.Sprintf("it differs from the service's by %s; set the time, or let it be set from the network",
				offset.Abs()))
	default:
		r.ok("clock", fmt.Sprintf("within %s of the service's", max(offset.Abs(), time.Second)))
	}
}
