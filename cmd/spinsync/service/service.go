// Package service makes spinsync a service of the operating system: systemd, launchd or Windows.
// Call New with a Plan to install, start and stop it, and Host or Supervised.Run for the service's
// own process.
//
// It knows nothing of folders and photos, reads no sync.toml, and never removes one or a state file.
package service

import (
	"errors"

	kardianos "github.com/kardianos/service"
)

// Name is what the service is called everywhere.
const Name = "spinsync"

const description = "spinsync, from photo folders to published 360 degree views"

// ErrNotInstalled means that the service manager does not know the service.
var ErrNotInstalled = errors.New(`the service is not installed; run "spinsync service install"`)

// A Plan is what a service is made of. Paths are absolute.
type Plan struct {
	Executable string
	Config     string // sync.toml
	Person     bool   // a service of the person who asks, not of the whole system
	Account    string // empty for the installed account, else the manager's usual one
	Secret     string // the password of Account, which Windows alone asks for
	State      string // the state file
}

// arguments of the program, after its name.
func (p Plan) arguments() []string { return []string{"run", "--config", p.Config} }

// A File is what Install writes, or its equivalent where the manager keeps no files.
type File struct {
	Path, Text string
}

// Status is the state of the service.
type Status struct {
	Running bool
	State   string // in the manager's words
	Details [][]string
	Off     bool // a person chose, on Windows, that it does not start by itself
}

// Service is the service of one Plan.
type Service struct {
	plan    Plan
	manager kardianos.Service
}

// New returns the service as planned. It changes nothing.
func New(plan Plan) (*Service, error) {
	plan, err := completed(plan)
	if err != nil {
		return nil, err
	}
	options, err := plan.options()
	if err != nil {
		return nil, err
	}
	manager, err := kardianos.New(nothing{}, &kardianos.Config{
		Name: Name, DisplayName: Name, Description: description,
		Executable: plan.Executable, Arguments: plan.arguments(), UserName: plan.Account, Option: options,
	})
	return &Service{plan, manager}, err
}

// nothing is a placeholder that the library requires. Host runs the program.
type nothing struct{}

func (nothing) Start(kardianos.Service) error { return nil }
func (nothing) Stop(kardianos.Service) error  { return nil }
