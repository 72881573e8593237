package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	kardianos "github.com/kardianos/service"
	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/mgr"
)

const localSystem = "LocalSystem"

// recovery is what happens after the first, the second and every later failure, forgotten after a
// day without one.
var recovery = []mgr.RecoveryAction{
	{Type: mgr.ServiceRestart, Delay: 5 * time.Second},
	{Type: mgr.ServiceRestart, Delay: 30 * time.Second},
	{Type: mgr.ServiceRestart, Delay: 5 * time.Minute},
}

const recoveryMemory = 24 * 60 * 60 // seconds

// completed refuses what Windows cannot do. The account of an earlier install is left to the
// service manager.
func completed(p Plan) (Plan, error) {
	if p.Person {
		return p, errors.New("services of one person do not exist on Windows; leave out --user")
	}
	return p, nil
}

func (p Plan) options() (kardianos.KeyValue, error) {
	return kardianos.KeyValue{"DelayedAutoStart": true, "Password": p.Secret}, nil
}

// Files returns the service manager's settings as a list, since Windows keeps no file of them.
func (s *Service) Files() ([]File, error) {
	var b strings.Builder
	for _, row := range [][]string{
		{"command", windows.ComposeCommandLine(append([]string{s.plan.Executable}, s.plan.arguments()...))},
		{"account", cmp.Or(s.plan.Account, localSystem)},
		{"start", "automatic, delayed"},
		{"on failure", "start again after 5 s, 30 s, then 5 min, after an error exit too"},
		{"log", "the event log, Application, source " + Name},
	} {
		fmt.Fprintf(&b, "%-10s  %s\n", row[0], row[1])
	}
	return []File{{"Service Control Manager: " + Name, b.String()}}, nil
}

// Install makes the service, or changes it to the plan. An account that was chosen earlier stays.
func (s *Service) Install(context.Context) error {
	if err := Protect(filepath.Dir(s.plan.Config), s.plan.namedAccount()); err != nil {
		return err
	}
	return withManager(func(m *mgr.Mgr) error {
		there, err := m.OpenService(Name)
		if err != nil {
			if err := s.manager.Install(); err != nil {
				return err
			}
			if there, err = m.OpenService(Name); err != nil {
				return err
			}
		}
		defer there.Close()
		return s.configure(there)
	})
}

func (s *Service) configure(there *mgr.Service) error {
	c, err := there.Config()
	if err != nil {
		return err
	}
	c.BinaryPathName = windows.ComposeCommandLine(append([]string{s.plan.Executable}, s.plan.arguments()...))
	c.Description, c.StartType, c.DelayedAutoStart = description, mgr.StartAutomatic, true
	if s.plan.Account != "" {
		c.ServiceStartName, c.Password = s.plan.Account, s.plan.Secret
	}
	return errors.Join(
		there.UpdateConfig(c),
		there.SetRecoveryActions(recovery, recoveryMemory),
		there.SetRecoveryActionsOnNonCrashFailures(true),
	)
}

// Protect takes a directory of ours below ProgramData, which every user may write, away from all
// but the machine's administrators and the account, empty for none. It makes the directory. Another
// place is its owner's business.
func Protect(dir, account string) error {
	if !strings.EqualFold(dir, filepath.Join(os.Getenv("ProgramData"), Name)) {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	rights := "O:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"
	if account != "" {
		sid, _, _, err := windows.LookupSID("", strings.TrimPrefix(account, `.\`))
		if err != nil {
			return fmt.Errorf("account %s: %w", account, err)
		}
		rights += "(A;OICI;0x1301bf;;;" + sid.String() + ")" // to read, write and remove
	}
	descriptor, err := windows.SecurityDescriptorFromString(rights)
	if err != nil {
		return err
	}
	owner, _, err := descriptor.Owner()
	if err != nil {
		return err
	}
	list, _, err := descriptor.DACL()
	if err != nil {
		return err
	}
	const kinds = windows.OWNER_SECURITY_INFORMATION | windows.DACL_SECURITY_INFORMATION |
		windows.PROTECTED_DACL_SECURITY_INFORMATION
	if err := windows.SetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT, kinds, owner, nil, list, nil); err != nil {
		return fmt.Errorf("protect %s: %w", dir, err)
	}
	return nil
}

func withManager(do func(*mgr.Mgr) error) error {
	m, err := mgr.Connect()
	if err != nil {
		return explained(err)
	}
	defer m.Disconnect()
	return explained(do(m))
}

func withService(do func(*mgr.Service) error) error {
	return withManager(func(m *mgr.Mgr) error {
		there, err := m.OpenService(Name)
		if err != nil {
			return err
		}
		defer there.Close()
		return do(there)
	})
}

func explained(err error) error {
	switch {
	case errors.Is(err, windows.ERROR_ACCESS_DENIED):
		return fmt.Errorf("%w; run this in a terminal that was opened as administrator", err)
	case errors.Is(err, windows.ERROR_SERVICE_DOES_NOT_EXIST):
		return ErrNotInstalled
	case errors.Is(err, windows.ERROR_SERVICE_LOGON_FAILED):
		return fmt.Errorf("%w; check its password, and give it the right \"Log on as a service\" in secpol.msc", err)
	}
	return err
}

// Uninstall stops the service and removes it.
func (s *Service) Uninstall(ctx context.Context) error {
	if err := s.Stop(ctx); err != nil {
		return err
	}
	return s.manager.Uninstall()
}

// Leaves names what Uninstall keeps in addition to the files of sync.toml: nothing here.
func (s *Service) Leaves() (files, others []string) { return nil, nil }

// stopLimit is longer than the service takes to stop itself, and waitLimit than any to come up.
const (
	stopLimit = 40 * time.Second
	waitLimit = 30 * time.Second
)

// stayLimit is how long a service that came up is watched, because one with a mistake in its
// sync.toml ends at once.
const stayLimit = 2 * time.Second

// Start starts the service and sees whether it stays.
func (s *Service) Start(ctx context.Context) error {
	return withService(func(there *mgr.Service) error {
		if err := there.Start(); err != nil && !errors.Is(err, windows.ERROR_SERVICE_ALREADY_RUNNING) {
			return err
		}
		if err := await(ctx, there, waitLimit, svc.Running, svc.Stopped); err != nil {
			return err
		}
		if err := await(ctx, there, stayLimit, svc.Stopped); err == nil {
			return fmt.Errorf("it ended at once; the reason is in the event log: Application, source %s", Name)
		}
		return ctx.Err()
	})
}

// Stop stops the service and waits until it has.
func (s *Service) Stop(ctx context.Context) error {
	return withService(func(there *mgr.Service) error {
		if _, err := there.Control(svc.Stop); errors.Is(err, windows.ERROR_SERVICE_NOT_ACTIVE) {
			return nil
		} else if err != nil {
			return err
		}
		return await(ctx, there, stopLimit, svc.Stopped)
	})
}

// Restart stops and starts the service.
func (s *Service) Restart(ctx context.Context) error {
	if err := s.Stop(ctx); err != nil {
		return err
	}
	return s.Start(ctx)
}

func await(ctx context.Context, there *mgr.Service, limit time.Duration, states ...svc.State) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		status, err := there.Query()
		if err != nil || slices.Contains(states, status.State) {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("the service is still %s", stateNames[status.State])
		}
	}
}

var stateNames = map[svc.State]string{
	svc.Stopped: "stopped", svc.StartPending: "starting", svc.StopPending: "stopping", svc.Running: "running",
}

// Status asks the service manager.
func (s *Service) Status(context.Context) (status Status, err error) {
	err = withService(func(there *mgr.Service) error {
		now, err := there.Query()
		if err != nil {
			return err
		}
		status.Running, status.State = now.State == svc.Running, stateNames[now.State]
		if code := exitCode(now); code != 0 {
			status.State += fmt.Sprintf(", error %d", code)
		}
		c, err := there.Config()
		status.Off = err == nil && c.StartType != mgr.StartAutomatic
		status.Details = [][]string{
			{"command", c.BinaryPathName}, {"account", c.ServiceStartName},
			{"log", "event log, Application, source " + Name},
		}
		return err
	})
	return status, err
}

// exitCode is what a service that stopped ended with; its own code where Windows has none.
func exitCode(s svc.Status) uint32 {
	switch syscall.Errno(s.Win32ExitCode) {
	case windows.ERROR_SERVICE_SPECIFIC_ERROR:
		return s.ServiceSpecificExitCode
	case windows.ERROR_SERVICE_NEVER_STARTED:
		return 0
	}
	return s.Win32ExitCode
}

// Notes are what a person should know about the service, apart from its files.
func (s *Service) Notes() []string { return nil }

// Suits has nothing to refuse: the account writes wherever it may.
func (s *Service) Suits(context.Context) error { return nil }

// namedAccount is the planned account, else the account of the installed service; empty for
// LocalSystem.
func (p Plan) namedAccount() string {
	account := p.Account
	if account == "" {
		withService(func(there *mgr.Service) error {
			c, err := there.Config()
			if err == nil {
				account = c.ServiceStartName
			}
			return err
		}) // a missing service has no account
	}
	if strings.EqualFold(account, localSystem) {
		return ""
	}
	return account
}
