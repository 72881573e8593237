package service

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"slices"

	kardianos "github.com/kardianos/service"

	"spinsync/packaging/unit"
)

const (
	unitName = Name + ".service"
	account  = "spinsync"

	systemUnits = "/etc/systemd/system"
)

// packagedUnits are the places where a deb or an rpm puts the unit.
var packagedUnits = []string{"/usr/lib/systemd/system/" + unitName, "/lib/systemd/system/" + unitName}

// completed refuses what systemd cannot do.
func completed(p Plan) (Plan, error) {
	if p.Person && p.Account != "" {
		return p, errors.New("--user installs for you; leave out --account")
	}
	return p, nil
}

func (p Plan) options() (kardianos.KeyValue, error) {
	text := p.unitText()
	return kardianos.KeyValue{"SystemdScript": text, "UserService": p.Person}, checkVerbatim(text)
}

func (p Plan) unitText() string {
	u := unit.Service{Executable: p.Executable, Config: p.Config}
	if p.Person {
		return u.SystemdUser()
	}
	return u.Systemd()
}

// unitDir is where units lie that neither a package nor a runtime put there.
func (p Plan) unitDir() (string, error) {
	if !p.Person {
		return systemUnits, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".config/systemd/user"), err
}

// packageServes reports whether the unit of an installed package is the one to use: no other unit
// replaced it, and its text is the same.
func (p Plan) packageServes(own string) bool {
	packaged, ok := p.packaged()
	if !ok || exists(own) {
		return false
	}
	brought, err := os.ReadFile(packaged)
	return err == nil && string(brought) == p.unitText()
}

func (p Plan) packaged() (path string, ok bool) {
	i := slices.IndexFunc(packagedUnits, exists)
	if i < 0 || p.Person {
		return "", false
	}
	return packagedUnits[i], true
}

// Files returns what Install would leave behind.
func (s *Service) Files() ([]File, error) {
	dir, err := s.plan.unitDir()
	if err != nil {
		return nil, err
	}
	own := filepath.Join(dir, unitName)
	if s.plan.packageServes(own) {
		return nil, nil
	}
	return []File{{own, s.plan.unitText()}}, nil
}

// Notes are what a person should know about the service, apart from its files.
func (s *Service) Notes() []string {
	if !s.plan.Person {
		if packaged, _ := s.plan.packaged(); s.plan.packageServes(filepath.Join(systemUnits, unitName)) {
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
