package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	kardianos "github.com/kardianos/service"

	"spinsync/packaging/unit"
)

// completed refuses what launchd cannot do.
func completed(p Plan) (Plan, error) {
	if p.Account != "" {
		return p, errors.New(
			"launchd runs this service as you, or as root when it is installed with sudo; leave out --account")
	}
	return p, nil
}

func (p Plan) options() (kardianos.KeyValue, error) {
	text, err := p.propertyList()
	return kardianos.KeyValue{"LaunchdConfig": text, "UserService": p.Person}, errors.Join(err, checkVerbatim(text))
}

func (p Plan) propertyList() (string, error) {
	log, err := p.log()
	return unit.Service{Executable: p.Executable, Config: p.Config, Log: log}.Launchd(), err
}

// place is below the Library of the person, or of the machine.
func (p Plan) place(parts ...string) (string, error) {
	library := "/Library"
	if p.Person {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		library = filepath.Join(home, "Library")
	}
	return filepath.Join(append([]string{library}, parts...)...), nil
}

func (p Plan) log() (string, error) { return p.place("Logs", Name+".log") }

func (p Plan) propertyListPath() (string, error) {
	if p.Person {
		return p.place("LaunchAgents", Name+".plist")
	}
	return p.place("LaunchDaemons", Name+".plist")
}

// domain is where launchd keeps the service.
func (p Plan) domain() string {
	if p.Person {
		return fmt.Sprintf("gui/%d", os.Getuid())
	}
	return "system"
}

func (p Plan) target() string { return p.domain() + "/" + Name }

// Files returns what Install would leave behind.
func (s *Service) Files() ([]File, error) {
	path, err := s.plan.propertyListPath()
	if err != nil {
		return nil, err
	}
	text, err := s.plan.propertyList()
	return []File{{path, text}}, err
}

// Install writes the property list, with which launchd starts the service at the next login or
// start of the machine. It replaces files that an earlier Install wrote.
func (s *Service) Install(ctx context.Context) error {
	path, err := s.plan.propertyListPath()
	if err != nil {
		return err
	}
	if exists(path) {
		if err := s.Stop(ctx); err != nil && !errors.Is(err, ErrNotInstalled) {
			return err
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return s.manager.Install()
}

// Uninstall stops the service and removes its property list.
func (s *Service) Uninstall(ctx context.Context) error {
	path, err := s.plan.propertyListPath()
	if err != nil {
		return err
	}
	if !exists(path) {
		return ErrNotInstalled
	}
	if err := s.Stop(ctx); err != nil {
		return err
	}
	return os.Remove(path)
}

// Leaves names the things that Uninstall keeps in addition to the files of sync.toml, and how to
// remove those that are no file.
func (s *Service) Leaves() (files, others []string) {
	log, err := s.plan.log()
	if err != nil {
		return nil, nil
	}
	return []string{log, log + ".old"}, nil
}

// Start hands the service to launchd, which runs it at once.
func (s *Service) Start(ctx context.Context) error {
	path, err := s.plan.propertyListPath()
	if err != nil {
		return err
	}
	if !exists(path) {
		return ErrNotInstalled
	}
	if !s.loaded(ctx) {
		return s.bootstrap(ctx, s.plan.domain(), path)
	}
	_, err = command(ctx, "launchctl", "kickstart", s.plan.target())
	return err
}

// bootstrap tries again, because launchd answers "5: Input/output error" while an earlier instance
// is still ending.
func (s *Service) bootstrap(ctx context.Context, domain, path string) error {
	var err error
	for range 5 {
		if _, err = command(ctx, "launchctl", "bootstrap", domain, path); err == nil ||
			!strings.Contains(err.Error(), "5: ") {
			return err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

func (s *Service) loaded(ctx context.Context) bool {
	_, err := command(ctx, "launchctl", "print", s.plan.target())
	return err == nil
}

// Stop takes the service from launchd until Start or the next login. Of one that takes its time to
// end launchd says "36: Operation now in progress" (github.com/osquery/osquery/issues/5698).
func (s *Service) Stop(ctx context.Context) error {
	if path, err := s.plan.propertyListPath(); err != nil || !exists(path) {
		return errors.Join(err, ErrNotInstalled)
	}
	if !s.loaded(ctx) {
		return nil
	}
	if _, err := command(ctx, "launchctl", "bootout", s.plan.target()); err != nil && !strings.Contains(err.Error(), "36: ") {
		return err
	}
	return untilEnded(ctx, func() bool { return s.loaded(ctx) })
}

// Restart stops and starts the service.
func (s *Service) Restart(ctx context.Context) error {
	if !s.loaded(ctx) {
		return s.Start(ctx)
	}
	_, err := command(ctx, "launchctl", "kickstart", "-k", s.plan.target())
	return err
}

// Status asks launchd.
func (s *Service) Status(ctx context.Context) (Status, error) {
	files, err := s.Files()
	if err != nil {
		return Status{}, err
	}
	if !exists(files[0].Path) {
		return Status{}, ErrNotInstalled
	}
	log, err := s.plan.log()
	if err != nil {
		return Status{}, err
	}
	status := Status{State: "not loaded", Details: [][]string{{"plist", files[0].Path}, {"log", log}}}
	if printed, err := command(ctx, "launchctl", "print", s.plan.target()); err == nil {
		status.State = printedValue(printed, "state")
		status.Running = status.State == "running"
		status.Details = append(status.Details, []string{"last exit", printedValue(printed, "last exit code")})
	}
	return status, nil
}

// printedValue finds "key = value" in what launchctl prints; the first is that of the service
// itself.
func printedValue(printed, key string) string {
	for line := range strings.Lines(printed) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " = "); ok && name == key {
			return value
		}
	}
	return ""
}

// Notes are what a person should know about the service, apart from its files.
func (s *Service) Notes() []string {
	if s.plan.Person {
		return []string{"it runs while you are logged in; macOS asks once whether spinsync may read your folders: allow it"}
	}
	return []string{
		"macOS asks no person for a service of the whole system: for watched folders in Desktop, Documents, Downloads or " +
			"on network volumes allow spinsync under System Settings, Privacy & Security, Full Disk Access",
	}
}

// Suits has nothing to refuse: the account writes wherever it may.
func (s *Service) Suits(context.Context) error { return nil }
