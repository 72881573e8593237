package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/cli"
	osservice "spinsync/cmd/spinsync/service"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/config"
)

const serviceHelp = `Makes spinsync a service of the operating system: of systemd on Linux, of launchd
on macOS, of the service manager on Windows. The system starts it with the
machine, and again after a failure.

The service of the whole system reads the system's sync.toml. On Linux it runs as
a user of its own. With --user the service belongs to you, reads your sync.toml
and has your rights. On macOS --user is the default, because macOS asks only
people whether a program may read a folder.`

const serviceInstallHelp = `Installs the service, starts it, and asks it for its watched folders for up to 10 s.
One that the service cannot read is printed with the remedy, and the exit code is 1
then. The service runs in any case, and goes on by itself once that is
corrected.

Run it as often as needed. A service that runs is restarted.`

// service is the commands about the system's service, with their flags.
type service struct {
	call    *cli.Call
	person  bool
	account string
}

func serviceCommand(call *cli.Call) *cobra.Command {
	s := &service{call: call}
	c := cli.OnlyHolds(&cobra.Command{
		Use: "service", Short: "Install, start and stop the system service", Long: serviceHelp,
	})
	ownByRule := runtime.GOOS == "darwin" && os.Geteuid() != 0
	c.PersistentFlags().BoolVar(&s.person, "user", ownByRule,
		"your own service, not that of the whole system")
	install := s.command("install", "Install and start the service", s.asRoot(s.install))
	install.Long = serviceInstallHelp
	print := s.command("print", "Show what install would write", s.print)
	for _, sub := range []*cobra.Command{install, print} {
		sub.Flags().StringVar(&s.account, "account", "", "let it run as this `USER` (Windows)")
	}
	register := s.command("register", "Set the installed service up again, and start it", s.complaining(s.register))
	register.Hidden = true
	c.AddCommand(install, print,
		s.command("uninstall", "Stop and remove the service; sync.toml and state file stay", s.asRoot(s.uninstall)),
		s.command("start", "Start the service", s.asRoot(s.act("started", (*osservice.Service).Start))),
		s.command("stop", "Stop the service", s.asRoot(s.act("stopped", (*osservice.Service).Stop))),
		s.command("restart", "Stop and start the service",
			s.asRoot(s.act("restarted", (*osservice.Service).Restart))),
		s.command("status", "Show the state of the service; the exit code is 0 while it runs", s.status),
		register,
	)
	return c
}

func (s *service) command(use, short string, act func(context.Context) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return act(c.Context()) },
	}
}

// asRoot refuses what would fail halfway. Windows itself refuses those who may not.
func (s *service) asRoot(act func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		if s.person || os.Geteuid() <= 0 {
			return act(ctx)
		}
		return cli.Usagef(
			"the service of the whole system needs root; run this with sudo, or with --user for a service of your own")
	}
}

// complaining sends a failure to the system's log too: installers do not show what register prints.
func (s *service) complaining(act func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		err := act(ctx)
		if err != nil {
			osservice.Complain(fmt.Errorf("the service did not come back after the installation: %w", err))
		}
		return err
	}
}

// bare is the service before sync.toml is read. It settles which file that is.
func (s *service) bare() (plan osservice.Plan, err error) {
	if s.call.ConfigPath == "" {
		s.call.ConfigPath = config.SystemPath(s.call.Env)
		if s.person {
			s.call.ConfigPath = config.DefaultPath(s.call.Env)
		}
	}
	if s.call.ConfigPath, err = filepath.Abs(s.call.ConfigPath); err != nil {
		return plan, err
	}
	executable, err := os.Executable()
	return osservice.Plan{
		Executable: executable,
		Config:     s.call.ConfigPath,
		Person:     s.person,
		Account:    s.account,
	}, err
}

// planned is the service with the settings of sync.toml. A wrong file is the mistake, and adds
// nothing.
func (s *service) planned() (plan osservice.Plan, c *config.Config, mistake, err error) {
	if plan, err = s.bare(); err != nil {
		return plan, nil, nil, err
	}
	if c, mistake = s.call.Config(); mistake == nil {
		plan.State = c.State.Path
	}
	return plan, c, mistake, nil
}

func newService(plan osservice.Plan) (*osservice.Service, error) {
	made, err := osservice.New(plan)
	if err != nil {
		return nil, cli.Usage(err)
	}
	return made, nil
}

func (s *service) print(context.Context) error {
	plan, _, mistake, err := s.planned()
	if err != nil {
		return err
	}
	if mistake != nil {
		fmt.Fprintf(s.call.Stderr, "spinsync: the service would not start with this sync.toml: %v\n", mistake)
	}
	made, err := newService(plan)
	if err != nil {
		return err
	}
	files, err := made.Files()
	for _, f := range files {
		fmt.Fprintf(s.call.Stdout, "# %s\n%s\n", terminal.Printable(f.Path), strings.TrimRight(f.Text, "\n"))
	}
	for _, note := range made.Notes() {
		fmt.Fprintf(s.call.Stdout, "# %s\n", terminal.Printable(note))
	}
	return err
}

func (s *service) install(ctx context.Context) error {
	plan, c, mistake, err := s.planned()
	if err = cmp.Or(err, mistake); err != nil {
		return err
	}
	if err := checkDrives(c); err != nil {
		return err
	}
	if plan.Secret, err = s.accountSecret(); err != nil {
		return err
	}
	made, err := newService(plan)
	if err != nil {
		return err
	}
	if err := s.set(ctx, made); err != nil {
		return err
	}
	if err := made.Suits(ctx); err != nil {
		return cli.Usage(err)
	}
	asked := time.Now()
	if err := made.Restart(ctx); err != nil {
		return err
	}
	if err := s.say("started; spinsync service status shows its state"); err != nil {
		return err
	}
	return s.showRoots(ctx, plan.State, asked)
}

// checkDrives refuses the drives that a service does not see.
func checkDrives(c *config.Config) error {
	var mistakes []error
	refuse := func(what, path string) {
		if osservice.OnMappedDrive(path) {
			mistakes = append(mistakes,
				fmt.Errorf("%s %s: a service sees no mapped drive; write \"//server/share\" in place of the letter, "+
					"or connect the disk", what, path))
		}
	}
	for _, w := range c.Watch {
		refuse("watched folder", w.Path)
	}
	refuse("state file", c.State.Path)
	refuse("password_file", c.Service.PasswordFile)
	refuse("ca_file", c.Service.CAFile)
	if len(mistakes) > 0 {
		return cli.Usage(errors.Join(mistakes...))
	}
	return nil
}

// accountSecret asks for the password of a named account on Windows. The system's own accounts have
// none.
func (s *service) accountSecret() (string, error) {
	if runtime.GOOS != "windows" || s.account == "" || strings.HasSuffix(s.account, "$") ||
		strings.HasPrefix(strings.ToUpper(s.account), "NT ") {
		return "", nil
	}
	secret, err := s.call.AskPassword(config.Service{Username: s.account, BaseURL: "this machine"})
	return secret.Reveal(), err
}

// set installs the service, and prints its files and notes.
func (s *service) set(ctx context.Context, made *osservice.Service) error {
	files, err := made.Files()
	if err != nil {
		return err
	}
	if err := made.Install(ctx); err != nil {
		return err
	}
	var rows [][]string
	for _, f := range files {
		rows = append(rows, []string{"installed", f.Path})
	}
	for _, note := range made.Notes() {
		rows = append(rows, []string{"note", note})
	}
	return terminal.Table(s.call.Stdout, rows)
}

// register is for installers, which ask for no roots.
func (s *service) register(ctx context.Context) error {
	plan, _, mistake, err := s.planned()
	switch {
	case err != nil:
		return err
	case mistake != nil:
		return s.say("the service needs a correct sync.toml before its installation")
	}
	made, err := newService(plan)
	if err != nil {
		return err
	}
	switch status, err := made.Status(ctx); {
	case errors.Is(err, osservice.ErrNotInstalled):
		return s.say("there is no service yet; install it with: spinsync service install")
	case status.Off:
		return s.say("the service was turned off and stays so; spinsync service install turns it on")
	}
	if err := s.set(ctx, made); err != nil {
		return err
	}
	return made.Restart(ctx)
}

func (s *service) uninstall(ctx context.Context) error {
	made, err := s.present()
	if err != nil {
		return err
	}
	if err := made.Uninstall(ctx); err != nil {
		return err
	}
	rows := [][]string{{"removed", "the service"}}
	files, others := made.Leaves()
	for _, path := range append(s.ownFiles(), files...) {
		if _, err := os.Stat(path); err == nil {
			rows = append(rows, []string{"kept", path})
		}
	}
	for _, other := range others {
		rows = append(rows, []string{"kept", other})
	}
	return terminal.Table(s.call.Stdout, rows)
}

// ownFiles are sync.toml, and what it names and a person may want to remove.
func (s *service) ownFiles() []string {
	files := []string{s.call.ConfigPath}
	c, err := s.call.Config()
	if err != nil {
		return files
	}
	password := filepath.Join(filepath.Dir(s.call.ConfigPath), "password")
	files = append(append(files, c.State.Path), besideState(c.State.Path)...)
	if files = append(files, password); c.Service.PasswordFile != password {
		files = append(files, c.Service.PasswordFile)
	}
	return files
}

// besideState are the files whose names are the state file's with something added: copies from
// before it was converted, and what a person moved away.
func besideState(state string) []string {
	entries, _ := os.ReadDir(filepath.Dir(state)) // what cannot be listed is left out
	var files []string
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), filepath.Base(state)+".") {
			files = append(files, filepath.Join(filepath.Dir(state), entry.Name()))
		}
	}
	return files
}

// present is the service that may be installed already.
func (s *service) present() (*osservice.Service, error) {
	plan, err := s.bare()
	if err != nil {
		return nil, err
	}
	return newService(plan)
}

// act does one thing with the service, and prints it.
func (s *service) act(
	done string, do func(*osservice.Service, context.Context) error,
) func(context.Context) error {
	return func(ctx context.Context) error {
		made, err := s.present()
		if err != nil {
			return err
		}
		if err := do(made, ctx); err != nil {
			return err
		}
		return s.say(done)
	}
}

func (s *service) say(line string) error {
	_, err := fmt.Fprintln(s.call.Stdout, line)
	return err
}

func (s *service) status(ctx context.Context) error {
	made, err := s.present()
	if err != nil {
		return err
	}
	status, err := made.Status(ctx)
	if err != nil {
		return err
	}
	rows := append([][]string{{"state", status.State}}, status.Details...)
	if err := terminal.Table(s.call.Stdout, append(rows, []string{"config", s.call.ConfigPath})); err != nil {
		return err
	}
	if !status.Running {
		return errors.New("the service does not run")
	}
	return nil
}
