package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	kardianos "github.com/kardianos/service"
)

// managed refuses where another service manager is at work. Its library knows more of them, our
// units do not.
func managed() error {
	if kardianos.Platform() != "linux-systemd" {
		return errors.New(`this system is not run by systemd; let its own service manager start "spinsync run"`)
	}
	return nil
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

// lastWords are the last log lines of the service.
func (s *Service) lastWords(ctx context.Context) string {
	args := []string{"--unit=" + unitName, "--lines=5", "--output=cat", "--no-pager"}
	if s.plan.Person {
		args[0] = "--user-" + args[0][2:]
	}
	lines, err := command(ctx, "journalctl", args...)
	if err != nil || lines == "" {
		return "for its log: " + s.plan.journal()
	}
	return lines
}

func (p Plan) journal() string {
	if p.Person {
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
		{"drop-ins", shown["DropInPaths"]}, {"account", shown["User"]}, {"log", s.plan.journal()},
	} {
		if row[1] != "" {
			status.Details = append(status.Details, row)
		}
	}
	return status, nil
}

const properties = "LoadState,ActiveState,Result,StateChangeTimestamp,StatusText,UnitFileState,FragmentPath,DropInPaths,User,ReadWritePaths"

func (s *Service) show(ctx context.Context, unit string) (map[string]string, error) {
	if err := managed(); err != nil {
		return nil, err
	}
	text, err := command(ctx, "systemctl", s.plan.scope("show", "--property="+properties, unit)...)
	if err != nil {
		return nil, s.plan.withRemedy(err)
	}
	shown := map[string]string{}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		shown[key] = value
	}
	return shown, nil
}

func (s *Service) systemctl(ctx context.Context, args ...string) error {
	_, err := command(ctx, "systemctl", s.plan.scope(append([]string{"--quiet"}, args...)...)...)
	return s.plan.withRemedy(err)
}

func (p Plan) scope(args ...string) []string {
	if p.Person {
		return append([]string{"--user"}, args...)
	}
	return args
}

func (p Plan) withRemedy(err error) error {
	if err != nil && p.Person && os.Getenv("XDG_RUNTIME_DIR") == "" {
		return fmt.Errorf("%w; log in as that person, because sudo and su do not start a person's systemd",
			err)
	}
	return err
}
