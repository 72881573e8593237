package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	osservice "spinsync/cmd/spinsync/service"
	"spinsync/daemon/config"
)

const serviceHelp = `Makes spinsync a service of the operating system, which starts it with the machine and again whenever it fails: systemd on
Linux, launchd on macOS, the service manager on Windows.

The service of the whole system reads the sync.toml in the system's configuration place, and runs as a user of its own
on Linux. With --user it is that of the person who asks, reads the person's sync.toml, and may do what the person may; on
macOS that is the rule, because the system asks nobody on behalf of a service of its own whether it may read a folder.`

const serviceInstallHelp = `Installs the service, tries out from inside the service's account whether it can read sync.toml, password and roots and
reach the hosting service, and starts it when all is well. Otherwise it is installed and not started, and the remedy
stands beside what is wrong; run it again then, as often as needed.

Run it again, too, after the roots or the place of the state file changed.`

// serviceFlags say whose service is meant, and as whom it runs.
type serviceFlags struct {
	person  bool
	account string
	groups  []string
}

func (a *app) serviceCommand() *cobra.Command {
	f := &serviceFlags{}
	c := onlyHolds(&cobra.Command{
		Use: "service", Short: "Install, start and stop the service of the system", Long: serviceHelp,
	})
	ownByRule := runtime.GOOS == "darwin" && os.Geteuid() != 0
	c.PersistentFlags().BoolVar(&f.person, "user", ownByRule,
		"the service of the person who asks, not of the whole system")
	install := a.serviceVerb(f, "install", "Install, try out and start the service", serviceInstallHelp,
		a.installService)
	print := a.serviceVerb(f, "print", "Show what install would write", "", a.printService)
	for _, sub := range []*cobra.Command{install, print} {
		sub.Flags().StringVar(&f.account, "account", "", "let it run as this `USER`")
		sub.Flags().StringSliceVar(&f.groups, "group", nil, "make it a member of this `GROUP` too (systemd)")
	}
	c.AddCommand(install, print,
		a.serviceVerb(f, "check", "Run check from inside the service's account", "", a.checkService),
		a.serviceVerb(f, "uninstall", "Stop and remove the service; sync.toml and state file stay", "",
			a.uninstallService),
		a.serviceVerb(f, "start", "Start the service", "", a.startService),
		a.serviceVerb(f, "stop", "Stop the service", "", a.stopService),
		a.serviceVerb(f, "restart", "Stop and start the service, for a changed sync.toml", "", a.restartService),
		a.serviceVerb(f, "status", "Tell how the service stands; the exit code is 0 while it runs", "",
			a.serviceStatus),
		a.registerCommand(f), a.probeCommand(),
	)
	return c
}

// A serviceAct is what one of the commands does with the service.
type serviceAct func(context.Context, *serviceFlags) error

func (a *app) serviceVerb(f *serviceFlags, use, short, long string, act serviceAct) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Long: long, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return act(c.Context(), f) },
	}
}

// registerCommand is for installers, which try nothing out: after an upgrade the service has to
// come back, even with a mistake in sync.toml. Installers do not show its output, so that a failure
// goes to the system's log too.
func (a *app) registerCommand(f *serviceFlags) *cobra.Command {
	act := func(ctx context.Context, f *serviceFlags) error {
		err := a.registerService(ctx, f)
		if err != nil {
			osservice.Complain(fmt.Errorf("the service does not come back after the installation: %w", err))
		}
		return err
	}
	c := a.serviceVerb(f, "register", "Set up anew and start the service that is installed", "", act)
	c.Hidden = true
	return c
}

// servicePlan is the service before sync.toml is looked at. It settles which file that is.
func (a *app) servicePlan(f *serviceFlags) (osservice.Plan, error) {
	if a.configPath == "" {
		a.configPath = config.SystemPath(a.env)
		if f.person {
			a.configPath = config.DefaultPath(a.env)
		}
	}
	path, err := filepath.Abs(a.configPath)
	if err != nil {
		return osservice.Plan{}, err
	}
	a.configPath = path
	executable, err := os.Executable()
	return osservice.Plan{
		Executable: executable,
		Config:     path,
		Person:     f.person,
		Account:    f.account,
		Groups:     f.groups,
	}, err
}

// fillPlan adds what sync.toml says.
func fillPlan(plan osservice.Plan, c *config.Config) osservice.Plan {
	plan.State = c.State.Path
	for _, w := range c.Watch {
		plan.Roots = append(plan.Roots, w.Path)
	}
	credential := filepath.Join(filepath.Dir(c.Path), "password")
	if _, err := os.Stat(credential); err == nil && c.Service.Password == "" && c.Service.PasswordFile == "" {
		plan.Credential = credential
	}
	return plan
}

// service makes the service that a command is about.
func (a *app) service(f *serviceFlags) (*osservice.Service, error) {
	plan, err := a.servicePlan(f)
	if err != nil {
		return nil, err
	}
	return a.newService(plan)
}

func (a *app) newService(plan osservice.Plan) (*osservice.Service, error) {
	s, err := osservice.New(plan)
	if err != nil {
		return nil, usageError{err}
	}
	return s, nil
}

// needRights refuses what would fail halfway. Windows says by itself whom it lets.
func needRights(f *serviceFlags) error {
	if f.person || os.Geteuid() <= 0 {
		return nil
	}
	return usageErrorf(
		"the service of the whole system needs root; run this with sudo, or with --user for a service of your own")
}

func (a *app) printService(_ context.Context, f *serviceFlags) error {
	plan, err := a.servicePlan(f)
	if err != nil {
		return err
	}
	if c, err := a.config(); err == nil {
		plan = fillPlan(plan, c)
	} else {
		fmt.Fprintf(a.stderr, "spinsync: without what sync.toml adds: %v\n", err)
	}
	s, err := a.newService(plan)
	if err != nil {
		return err
	}
	files, err := s.Files()
	for _, f := range files {
		fmt.Fprintf(a.stdout, "# %s\n%s\n", printable(f.Path), strings.TrimRight(f.Text, "\n"))
	}
	for _, note := range s.Notes() {
		fmt.Fprintf(a.stdout, "# %s\n", printable(note))
	}
	return err
}

func (a *app) installService(ctx context.Context, f *serviceFlags) error {
	if err := needRights(f); err != nil {
		return err
	}
	plan, err := a.servicePlan(f)
	if err != nil {
		return err
	}
	c, err := a.config()
	if err != nil {
		return err
	}
	if err := checkDrives(c); err != nil {
		return err
	}
	plan = fillPlan(plan, c)
	if plan.Secret, err = a.accountSecret(f.account); err != nil {
		return err
	}
	s, err := a.newService(plan)
	if err != nil {
		return err
	}
	if err := a.layDown(ctx, s); err != nil {
		return err
	}
	return a.tryAndStart(ctx, s)
}

// checkDrives refuses the letters of mapped drives, which only the person who mapped them has.
func checkDrives(c *config.Config) error {
	var mistakes []error
	refuse := func(what, path string) {
		if place := osservice.NetworkPlace(path); place != "" {
			mistakes = append(mistakes,
				fmt.Errorf("%s %s: a service does not see drives that a person mapped; write %s",
					what, path, quoted(place)))
		}
	}
	for _, w := range c.Watch {
		refuse("root", w.Path)
	}
	refuse("state file", c.State.Path)
	refuse("password_file", c.Service.PasswordFile)
	refuse("ca_file", c.Service.CAFile)
	if len(mistakes) > 0 {
		return usageError{errors.Join(mistakes...)}
	}
	return nil
}

// accountSecret asks for the password of a named account on Windows. The system's own accounts have
// none.
func (a *app) accountSecret(account string) (string, error) {
	if runtime.GOOS != "windows" || account == "" || strings.HasSuffix(account, "$") ||
		strings.HasPrefix(strings.ToUpper(account), "NT ") {
		return "", nil
	}
	secret, err := a.askPassword(config.Service{Username: account, BaseURL: "this machine"})
	return secret.Reveal(), err
}

// layDown installs the service, and prints its files and notes.
func (a *app) layDown(ctx context.Context, s *osservice.Service) error {
	files, err := s.Files()
	if err != nil {
		return err
	}
	if err := s.Install(ctx); err != nil {
		return err
	}
	var rows [][]string
	for _, f := range files {
		rows = append(rows, []string{"installed", f.Path})
	}
	for _, note := range s.Notes() {
		rows = append(rows, []string{"note", note})
	}
	return table(a.stdout, rows)
}

// tryAndStart proves that the service can work before it has to.
func (a *app) tryAndStart(ctx context.Context, s *osservice.Service) error {
	if err := a.tryOut(ctx, s); err != nil {
		return fmt.Errorf("installed, and not started: %w; put it right and run this again", err)
	}
	if err := s.Restart(ctx); err != nil {
		return err
	}
	return a.say("started; spinsync service status tells how it stands")
}

// tryOut prints what check finds from inside the service's account, with the remedies.
func (a *app) tryOut(ctx context.Context, s *osservice.Service) error {
	found, err := s.Try(ctx)
	if err != nil {
		return err
	}
	rows := append([][]string{{"ok", "account", found.Account}}, found.Rows...)
	for _, place := range found.Blocked {
		rows = append(rows, []string{"remedy", place, s.Remedy(ctx, place)})
	}
	if err := table(a.stdout, rows); err != nil {
		return err
	}
	if found.Failure != "" {
		return fmt.Errorf("%s from inside the service", found.Failure)
	}
	return nil
}

func (a *app) checkService(ctx context.Context, f *serviceFlags) error {
	if err := needRights(f); err != nil {
		return err
	}
	plan, err := a.servicePlan(f)
	if err != nil {
		return err
	}
	if c, err := a.config(); err == nil {
		plan = fillPlan(plan, c)
	}
	s, err := a.newService(plan)
	if err != nil {
		return err
	}
	return a.tryOut(ctx, s)
}

func (a *app) registerService(ctx context.Context, f *serviceFlags) error {
	plan, err := a.servicePlan(f)
	if err != nil {
		return err
	}
	c, err := a.config()
	if err != nil {
		return a.say("the service is not installed before there is a good sync.toml")
	}
	s, err := a.newService(fillPlan(plan, c))
	if err != nil {
		return err
	}
	switch status, err := s.Status(ctx); {
	case errors.Is(err, osservice.ErrNotInstalled):
		return a.say("there is no service, and none is wanted before: spinsync service install")
	case status.Off:
		return a.say("the service was turned off and stays so; spinsync service install turns it on")
	}
	if err := a.layDown(ctx, s); err != nil {
		return err
	}
	return s.Restart(ctx)
}

func (a *app) uninstallService(ctx context.Context, f *serviceFlags) error {
	if err := needRights(f); err != nil {
		return err
	}
	s, err := a.service(f)
	if err != nil {
		return err
	}
	if err := s.Uninstall(ctx); err != nil {
		return err
	}
	rows := [][]string{{"removed", "the service"}}
	files, others := s.Leaves()
	left := append([]string{a.configPath}, files...)
	if c, err := a.config(); err == nil {
		left = append(left, c.State.Path)
		left = append(left, besideState(c.State.Path)...)
		left = append(left, filepath.Join(filepath.Dir(a.configPath), "password"))
		if other := c.Service.PasswordFile; other != "" && !slices.Contains(left, other) {
			left = append(left, other)
		}
	}
	for _, path := range left {
		if _, err := os.Stat(path); err == nil {
			rows = append(rows, []string{"kept", path})
		}
	}
	for _, other := range others {
		rows = append(rows, []string{"kept", other})
	}
	return table(a.stdout, rows)
}

// besideState are the files that were put beside the state file under its name with something
// added: copies from before it was converted, and what a person moved away.
func besideState(state string) []string {
	entries, _ := os.ReadDir(filepath.Dir(state)) // what cannot be listed is not told
	var files []string
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), filepath.Base(state)+".") {
			files = append(files, filepath.Join(filepath.Dir(state), entry.Name()))
		}
	}
	return files
}

func (a *app) startService(ctx context.Context, f *serviceFlags) error {
	return a.actOnService(f, "started", func(s *osservice.Service) error { return s.Start(ctx) })
}

func (a *app) stopService(ctx context.Context, f *serviceFlags) error {
	return a.actOnService(f, "stopped", func(s *osservice.Service) error { return s.Stop(ctx) })
}

func (a *app) restartService(ctx context.Context, f *serviceFlags) error {
	return a.actOnService(f, "restarted", func(s *osservice.Service) error { return s.Restart(ctx) })
}

func (a *app) actOnService(f *serviceFlags, done string, act func(*osservice.Service) error) error {
	if err := needRights(f); err != nil {
		return err
	}
	s, err := a.service(f)
	if err != nil {
		return err
	}
	if err := act(s); err != nil {
		return err
	}
	return a.say(done)
}

func (a *app) say(line string) error {
	_, err := fmt.Fprintln(a.stdout, line)
	return err
}

func (a *app) serviceStatus(ctx context.Context, f *serviceFlags) error {
	s, err := a.service(f)
	if err != nil {
		return err
	}
	status, err := s.Status(ctx)
	if err != nil {
		return err
	}
	rows := append([][]string{{"state", status.State}}, status.Details...)
	if err := table(a.stdout, append(rows, []string{"config", a.configPath})); err != nil {
		return err
	}
	if !status.Running {
		return errors.New("the service does not run")
	}
	return nil
}
