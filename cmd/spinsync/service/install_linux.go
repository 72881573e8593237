package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
)

// Install writes the unit, and lets the service start with the system. It replaces one that an
// earlier Install wrote.
func (s *Service) Install(ctx context.Context) error {
	if err := managed(); err != nil {
		return err
	}
	dir, err := s.plan.unitDir()
	if err != nil {
		return err
	}
	if err := s.ensureAccount(ctx); err != nil {
		return err
	}
	own := filepath.Join(dir, unitName)
	if s.plan.packageServes(own) {
		return errors.Join(s.systemctl(ctx, "daemon-reload"), s.systemctl(ctx, "enable", unitName))
	}
	return s.installUnit(own, s.plan.unitText())
}

// ensureAccount makes the account that no package made.
func (s *Service) ensureAccount(ctx context.Context) error {
	if s.plan.Person {
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

// Uninstall stops the service and removes what Install left behind. A package's unit stays,
// disabled.
func (s *Service) Uninstall(ctx context.Context) error {
	if err := managed(); err != nil {
		return err
	}
	dir, err := s.plan.unitDir()
	if err != nil {
		return err
	}
	own := filepath.Join(dir, unitName)
	if _, packaged := s.plan.packaged(); !packaged && !exists(own) {
		return ErrNotInstalled
	}
	if err := s.systemctl(ctx, "stop", unitName); err != nil {
		return err
	}
	if exists(own) {
		return s.manager.Uninstall()
	}
	return errors.Join(s.systemctl(ctx, "disable", unitName), s.systemctl(ctx, "daemon-reload"))
}

// Leaves names the things that Uninstall keeps in addition to the files of sync.toml, and how to
// remove those that are no file: the account, where no package manages it. Files may still be its
// own.
func (s *Service) Leaves() (files, others []string) {
	if s.plan.Person {
		return nil, nil
	}
	files = []string{filepath.Join(systemUnits, unitName+".d")} // of systemctl edit
	if _, packaged := s.plan.packaged(); packaged {
		return files, nil
	}
	if _, err := user.Lookup(account); err != nil {
		return files, nil
	}
	return files, []string{
		fmt.Sprintf("the user %s, who owns the state file; to remove it: userdel %[1]s", account),
	}
}
