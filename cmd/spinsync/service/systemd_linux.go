package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	kardianos "github.com/kardianos/service"

	"spinsync/packaging/unit"
)

const (
	unitName = Name + ".service"
	account  = "spinsync"
	dropIn   = "10-install.conf"

	systemUnits = "/etc/systemd/system"
)

// packagedUnits are the places where a deb or an rpm puts the unit.
var packagedUnits = []string{"/usr/lib/systemd/system/" + unitName, "/lib/systemd/system/" + unitName}

func supported(p Plan) error {
	if p.Person && p.Account != "" {
		return errors.New("--user installs for whoever runs it; leave out --account")
	}
	return nil
}

// remembered adds the account and the groups of an earlier install where the plan names none. Uninstall forgets them.
func remembered(p Plan) Plan {
	if p.Person {
		return p
	}
	text, err := os.ReadFile(filepath.Join(systemUnits, unitName+".d", dropIn))
	if err != nil {
		return p // nothing is remembered, and what keeps it from being read is told when it is written
	}
	return withSite(p, unit.ReadSite(string(text)))
}

func withSite(p Plan, site unit.Site) Plan {
	if p.Account == "" {
		p.Account = site.Account
	}
	if len(p.Groups) == 0 {
		p.Groups = site.Groups
	}
	return p
}

// managed refuses where another service manager is at work. Its library knows more of them, our units do not.
func managed() error {
	if kardianos.Platform() != "linux-systemd" {
		return errors.New(`this system is not run by systemd; let its own service manager start "spinsync run"`)
	}
	return nil
}

func (s *Service) config() (*kardianos.Config, error) {
	text, err := verbatim(s.unitText())
	return &kardianos.Config{
		Name: Name, Description: description, Executable: s.plan.Executable, Arguments: s.plan.arguments(),
		Option: kardianos.KeyValue{"SystemdScript": text, "UserService": s.plan.Person},
	}, err
}

func (s *Service) unitText() (string, error) {
	u := unit.Service{Executable: s.plan.Executable, Config: s.plan.Config}
	if s.plan.Person {
		return u.SystemdUser()
	}
	return u.Systemd()
}

// unitDir is where units lie that neither a package nor a runtime put there.
func (s *Service) unitDir() (string, error) {
	if !s.plan.Person {
		return systemUnits, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".config/systemd/user"), err
}

// packageServes tells whether the unit that a package brought is the one to use: nobody replaced it, and it says the same.
func (s *Service) packageServes(own string) bool {
	packaged, ok := s.packaged()
	if !ok || exists(own) {
		return false
	}
	text, err := s.unitText()
	if err != nil {
		return false
	}
	brought, err := os.ReadFile(packaged)
	return err == nil && string(brought) == text
}

func (s *Service) packaged() (path string, ok bool) {
	i := slices.IndexFunc(packagedUnits, exists)
	if i < 0 || s.plan.Person {
		return "", false
	}
	return packagedUnits[i], true
}

// Files returns what Install would leave behind.
func (s *Service) Files() ([]File, error) {
	dir, err := s.unitDir()
	if err != nil {
		return nil, err
	}
	own := filepath.Join(dir, unitName)
	var files []File
	if !s.packageServes(own) {
		text, err := s.unitText()
		if err != nil {
			return nil, err
		}
		files = append(files, File{own, text})
	}
	if text := s.site().DropIn(); text != "" {
		files = append(files, File{filepath.Join(dir, unitName+".d", dropIn), text})
	}
	return files, nil
}

// site is what the unit needs here beyond its text. One person's service has the rights of that person already.
func (s *Service) site() unit.Site {
	if s.plan.Person {
		return unit.Site{}
	}
	site := unit.Site{Groups: s.plan.Groups, Password: s.plan.Credential, BeforeStart: s.mounts()}
	if s.plan.Account != account {
		site.Account = s.plan.Account
	}
	if dir := filepath.Dir(s.plan.State); s.plan.State != "" && dir != "/var/lib/spinsync" {
		site.WritePath = dir
	}
	return site
}

func (s *Service) mounts() []string {
	places := s.plan.Roots
	if s.plan.State != "" {
		places = append(places[:len(places):len(places)], s.plan.State)
	}
	mounted, _ := os.ReadFile("/proc/self/mountinfo") // what cannot be read names no mount
	planned, _ := os.ReadFile("/etc/fstab")
	return mountUnits(places, string(mounted), string(planned))
}

// Install writes the files, and lets the service start with the system. It replaces what it installed earlier.
func (s *Service) Install(ctx context.Context) error {
	if err := managed(); err != nil {
		return err
	}
	files, err := s.Files()
	if err != nil {
		return err
	}
	dir, err := s.unitDir()
	if err != nil {
		return err
	}
	if err := s.ensureAccount(ctx); err != nil {
		return err
	}
	if err := s.writeDropIn(dir, files); err != nil {
		return err
	}
	own := filepath.Join(dir, unitName)
	if s.packageServes(own) {
		return errors.Join(s.systemctl(ctx, "daemon-reload"), s.systemctl(ctx, "enable", unitName))
	}
	return s.installUnit(own, files[0].Text)
}

// ensureAccount makes the account that no package made.
func (s *Service) ensureAccount(ctx context.Context) error {
	if s.plan.Person || s.plan.Account != "" {
		return nil
	}
	if _, err := user.Lookup(account); err == nil {
		return nil
	}
	_, err := command(ctx, "systemd-sysusers", "--inline", fmt.Sprintf("u %s - %q /var/lib/spinsync", account, Name))
	if err != nil {
		return fmt.Errorf("make the system account %s: %w", account, err)
	}
	return nil
}

func (s *Service) writeDropIn(dir string, files []File) error {
	path := filepath.Join(dir, unitName+".d", dropIn)
	for _, f := range files {
		if f.Path == path {
			return write(path, f.Text)
		}
	}
	return removeDropIn(path)
}

// removeDropIn removes the directory too, unless somebody keeps drop-ins of his own in it.
func removeDropIn(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	os.Remove(filepath.Dir(path))
	return nil
}

func (s *Service) installUnit(own, text string) error {
	switch old, err := os.ReadFile(own); {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return err
	case firstLine(string(old)) != firstLine(text):
		return fmt.Errorf("%s was not written by spinsync; move it away", own)
	default:
		if err := s.manager.Uninstall(); err != nil {
			return err
		}
	}
	err := s.manager.Install()
	if info, found := os.Stat(own); err != nil && found == nil && info.Size() == 0 {
		os.Remove(own) // the library leaves an empty unit behind
	}
	return err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// Uninstall stops the service and removes what Install left behind. A package's unit stays, disabled.
func (s *Service) Uninstall(ctx context.Context) error {
	if err := managed(); err != nil {
		return err
	}
	dir, err := s.unitDir()
	if err != nil {
		return err
	}
	own := filepath.Join(dir, unitName)
	if _, packaged := s.packaged(); !packaged && !exists(own) {
		return ErrNotInstalled
	}
	if err := s.systemctl(ctx, "stop", unitName); err != nil {
		return err
	}
	if err := removeDropIn(filepath.Join(dir, unitName+".d", dropIn)); err != nil {
		return err
	}
	if exists(own) {
		return s.manager.Uninstall()
	}
	return errors.Join(s.systemctl(ctx, "disable", unitName), s.systemctl(ctx, "daemon-reload"))
}

// Leaves names what Uninstall keeps beside the files of sync.toml, and how to get rid of what is no file: the account,
// where no package looks after it. Files may still be its own.
func (s *Service) Leaves() (files, others []string) {
	if _, packaged := s.packaged(); packaged || s.plan.Person || s.plan.Account != "" {
		return nil, nil
	}
	if _, err := user.Lookup(account); err != nil {
		return nil, nil
	}
	return nil, []string{fmt.Sprintf("the user %s, to whom the state file belongs; to remove it: userdel %[1]s", account)}
}

// Start starts the service and waits until it is ready.
func (s *Service) Start(ctx context.Context) error { return s.act(ctx, "start") }

// Stop stops the service and waits until it has.
func (s *Service) Stop(ctx context.Context) error { return s.act(ctx, "stop") }

// Restart stops and starts the service.
func (s *Service) Restart(ctx context.Context) error { return s.act(ctx, "restart") }

func (s *Service) act(ctx context.Context, verb string) error {
	shown, err := s.show(ctx, unitName)
	if err != nil {
		return err
	}
	if shown["LoadState"] == "not-found" {
		return ErrNotInstalled
	}
	if err := s.systemctl(ctx, verb, unitName); err != nil {
		return fmt.Errorf("%w\n%s", err, s.lastWords(ctx))
	}
	return nil
}

// lastWords is what the service said last.
func (s *Service) lastWords(ctx context.Context) string {
	args := []string{"--unit=" + unitName, "--lines=5", "--output=cat", "--no-pager"}
	if s.plan.Person {
		args[0] = "--user-" + args[0][2:]
	}
	said, err := command(ctx, "journalctl", args...)
	if err != nil || said == "" {
		return "for what it said: " + s.journal()
	}
	return said
}

func (s *Service) journal() string {
	if s.plan.Person {
		return "journalctl --user -u " + Name
	}
	return "journalctl -u " + Name
}

// Status asks systemd.
func (s *Service) Status(ctx context.Context) (Status, error) {
	shown, err := s.show(ctx, unitName)
	if err != nil {
		return Status{}, err
	}
	if shown["LoadState"] == "not-found" {
		return Status{}, ErrNotInstalled
	}
	state := shown["ActiveState"]
	if shown["Result"] != "success" {
		state += ", " + shown["Result"]
	}
	if since := shown["StateChangeTimestamp"]; since != "" {
		state += " since " + since
	}
	status := Status{Running: shown["ActiveState"] == "active", State: state}
	if !status.Running {
		delete(shown, "StatusText") // the one of its last life
	}
	for _, row := range [][]string{
		{"does", shown["StatusText"]}, {"at boot", shown["UnitFileState"]}, {"unit", shown["FragmentPath"]},
		{"drop-ins", shown["DropInPaths"]}, {"account", shown["User"]}, {"log", s.journal()},
	} {
		if row[1] != "" {
			status.Details = append(status.Details, row)
		}
	}
	return status, nil
}

const properties = "LoadState,ActiveState,Result,StateChangeTimestamp,StatusText,UnitFileState,FragmentPath,DropInPaths,User,ExecMainStatus"

func (s *Service) show(ctx context.Context, unit string) (map[string]string, error) {
	if err := managed(); err != nil {
		return nil, err
	}
	text, err := command(ctx, "systemctl", s.scope("show", "--property="+properties, unit)...)
	if err != nil {
		return nil, s.withRemedy(err)
	}
	shown := map[string]string{}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		shown[key] = value
	}
	return shown, nil
}

func (s *Service) systemctl(ctx context.Context, args ...string) error {
	_, err := command(ctx, "systemctl", s.scope(append([]string{"--quiet"}, args...)...)...)
	return s.withRemedy(err)
}

func (s *Service) scope(args ...string) []string {
	if s.plan.Person {
		return append([]string{"--user"}, args...)
	}
	return args
}

func (s *Service) withRemedy(err error) error {
	if err != nil && s.plan.Person && os.Getenv("XDG_RUNTIME_DIR") == "" {
		return fmt.Errorf("%w; log in as the person whose service it is, sudo and su do not start a person's systemd", err)
	}
	return err
}

// Notes are what a person should know beside the files.
func (s *Service) Notes() []string {
	if !s.plan.Person {
		if packaged, _ := s.packaged(); s.packageServes(filepath.Join(systemUnits, unitName)) {
			return []string{"the unit is the package's: " + packaged}
		}
		return nil
	}
	who, err := user.Current()
	if err != nil || exists("/var/lib/systemd/linger/"+who.Username) {
		return nil
	}
	return []string{"it runs while you are logged in; to let it start with the machine: loginctl enable-linger"}
}

// trialLimit ends a trial that hangs at a drive which does not answer.
const trialLimit = "60"

// Try runs the program once as the service would run: the unit with all its drop-ins, with another command.
func (s *Service) Try(ctx context.Context) (Findings, error) {
	text, err := command(ctx, "systemctl", s.scope("cat", unitName)...)
	if err != nil {
		return Findings{}, s.withRemedy(err)
	}
	runtime := s.runtimeDir()
	report, err := os.CreateTemp(runtime, "spinsync-check-*.json")
	if err != nil {
		return Findings{}, err
	}
	defer os.Remove(report.Name())
	defer report.Close()
	trial := filepath.Join(runtime, "systemd", s.kind(), Name+"-check.service")
	if err := write(trial, text+s.trialSettings(report.Name())); err != nil {
		return Findings{}, err
	}
	defer s.forgetTrial(ctx, trial)
	if err := s.systemctl(ctx, "daemon-reload"); err != nil {
		return Findings{}, err
	}
	failed := s.systemctl(ctx, "start", filepath.Base(trial))
	var found Findings
	if err := json.NewDecoder(report).Decode(&found); err != nil {
		return found, s.whyNoFindings(ctx, filepath.Base(trial), failed)
	}
	return found, nil
}

func (s *Service) forgetTrial(ctx context.Context, trial string) {
	os.Remove(trial)
	s.systemctl(ctx, "reset-failed", filepath.Base(trial)) // fails when there is nothing to forget
	s.systemctl(ctx, "daemon-reload")
}

func (s *Service) runtimeDir() string {
	if s.plan.Person {
		return os.Getenv("XDG_RUNTIME_DIR")
	}
	return "/run"
}

func (s *Service) kind() string {
	if s.plan.Person {
		return "user"
	}
	return "system"
}

func (s *Service) trialSettings(report string) string {
	u := unit.Service{Executable: s.plan.Executable, Config: s.plan.Config}
	return "\n[Unit]\nStartLimitIntervalSec=0\n[Service]\nType=oneshot\nRestart=no\nWatchdogSec=0\nTimeoutStartSec=" + trialLimit +
		"\nStandardOutput=file:" + report + "\nExecStart=\n" + u.ExecStart("service", "probe", "--config", s.plan.Config) + "\n"
}

// whyNoFindings explains a trial that told nothing by what systemd says of it.
func (s *Service) whyNoFindings(ctx context.Context, trial string, failed error) error {
	shown, err := s.show(ctx, trial)
	if err != nil {
		return err
	}
	if shown["Result"] == "timeout" {
		return fmt.Errorf("the check from inside the service did not end in %s s; a drive or the network does not answer", trialLimit)
	}
	if remedy, known := exitRemedies[shown["ExecMainStatus"]]; known {
		return fmt.Errorf("the service cannot be started (status %s): %s", shown["ExecMainStatus"], remedy)
	}
	return fmt.Errorf("the check from inside the service told nothing (%s): %w", shown["Result"], failed)
}

// exitRemedies are for the exit codes of systemd.exec(5), which mean that the program was not even started.
var exitRemedies = map[string]string{
	"203": "its account may not run the program; put it into /usr/local/bin",
	"216": "a group of the unit does not exist; name another with --group",
	"217": "its account does not exist; make it, or name another with --account",
	"226": "a path of the unit does not exist, or this machine lacks what the hardening needs",
	"243": "the file with the password, which LoadCredential= names, cannot be read",
}

// Remedy tells how the account gets past a folder or file that bars its way.
func (s *Service) Remedy(ctx context.Context, place string) string {
	if s.plan.Person {
		return "give yourself the right to read " + place
	}
	who := account
	if s.plan.Account != "" {
		who = s.plan.Account
	}
	if dir := filepath.Dir(s.plan.State); below(place, dir) {
		return fmt.Sprintf("another user made it: chown -R %s %s", who, dir)
	}
	if group := groupThatMayRead(place); group != "" {
		return fmt.Sprintf("group %s may read %s: spinsync service install --group %s", group, place, group)
	}
	return fmt.Sprintf("let %s in: setfacl -m u:%s:rX %s", who, who, place)
}
