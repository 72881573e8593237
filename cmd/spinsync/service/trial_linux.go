package service

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"spinsync/packaging/unit"
)

// trialLimit ends a trial that hangs at a drive which does not answer.
const trialLimit = "60"

// Try runs the program once as the service would run: the unit with all its drop-ins, with another
// command.
func (s *Service) Try(ctx context.Context) (Findings, error) {
	text, err := command(ctx, "systemctl", s.plan.scope("cat", unitName)...)
	if err != nil {
		return Findings{}, s.plan.withRemedy(err)
	}
	runtime, kind := "/run", "system"
	if s.plan.Person {
		runtime, kind = os.Getenv("XDG_RUNTIME_DIR"), "user"
	}
	report, err := os.CreateTemp(runtime, "spinsync-check-*.json")
	if err != nil {
		return Findings{}, err
	}
	defer os.Remove(report.Name())
	defer report.Close()
	trial := filepath.Join(runtime, "systemd", kind, Name+"-check.service")
	if err := write(trial, text+s.plan.trialSettings(report.Name())); err != nil {
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

func (p Plan) trialSettings(report string) string {
	u := unit.Service{Executable: p.Executable, Config: p.Config}
	return "\n[Unit]\nStartLimitIntervalSec=0\n[Service]\nType=oneshot\nRestart=no\nWatchdogSec=0\nTimeoutStartSec=" +
		trialLimit + "\nStandardOutput=file:" + report + "\nExecStart=\n" +
		u.ExecStart("service", "probe", "--config", p.Config) + "\n"
}

// whyNoFindings explains a trial that told nothing by what systemd says of it.
func (s *Service) whyNoFindings(ctx context.Context, trial string, failed error) error {
	shown, err := s.show(ctx, trial)
	if err != nil {
		return err
	}
	if shown["Result"] == "timeout" {
		return fmt.Errorf(
			"the check inside the service did not end in %s s; a drive or the network does not answer", trialLimit)
	}
	if remedy, known := exitRemedies[shown["ExecMainStatus"]]; known {
		return fmt.Errorf("the service cannot be started (status %s): %s", shown["ExecMainStatus"], remedy)
	}
	return fmt.Errorf("the check inside the service printed nothing (%s): %w", shown["Result"], failed)
}

// exitRemedies are for the exit codes of systemd.exec(5), which mean that the program was not even
// started.
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
	who := cmp.Or(s.plan.Account, account)
	if dir := filepath.Dir(s.plan.State); below(place, dir) {
		return fmt.Sprintf("another user made it: chown -R %s %s", who, dir)
	}
	if group := groupThatMayRead(place); group != "" {
		return fmt.Sprintf("group %s may read %s: spinsync service install --group %s", group, place, group)
	}
	return fmt.Sprintf("let %s in: setfacl -m u:%s:rX %s", who, who, place)
}
