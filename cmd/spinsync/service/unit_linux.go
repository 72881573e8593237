package service

import (
	"cmp"
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

// completed adds the account and the groups of an earlier install where the plan names none.
// Uninstall forgets them.
func completed(p Plan) (Plan, error) {
	switch {
	case p.Person && p.Account != "":
		return p, errors.New("--user installs for you; leave out --account")
	case p.Person:
		return p, nil
	}
	text, err := os.ReadFile(dropInOf(systemUnits))
	if err != nil {
		return p, nil // the write that follows tells why it cannot be read
	}
	return withSite(p, unit.ReadSite(string(text))), nil
}

// dropInOf is the file beside the units of a directory that says what the unit needs here beyond
// its text.
func dropInOf(dir string) string { return filepath.Join(dir, unitName+".d", "10-install.conf") }

func withSite(p Plan, site unit.Site) Plan {
	p.Account = cmp.Or(p.Account, site.Account)
	if len(p.Groups) == 0 {
		p.Groups = site.Groups
	}
	return p
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

// packageServes tells whether the unit of an installed package is the one to use: no other unit
// replaced it, and it says the same.
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
	var files []File
	if !s.plan.packageServes(own) {
		files = append(files, File{own, s.plan.unitText()})
	}
	if text := s.plan.site().DropIn(); text != "" {
		files = append(files, File{dropInOf(dir), text})
	}
	return files, nil
}

// site is what the unit needs here beyond its text. One person's service has the rights of that
// person already.
func (p Plan) site() unit.Site {
	if p.Person {
		return unit.Site{}
	}
	site := unit.Site{Groups: p.Groups, Password: p.Credential, BeforeStart: p.mounts()}
	if p.Account != account {
		site.Account = p.Account
	}
	if dir := filepath.Dir(p.State); p.State != "" && dir != "/var/lib/spinsync" {
		site.WritePath = dir
	}
	return site
}

func (p Plan) mounts() []string {
	places := p.Roots
	if p.State != "" {
		places = append(places[:len(places):len(places)], p.State)
	}
	mounted, _ := os.ReadFile("/proc/self/mountinfo") // what cannot be read names no mount
	planned, _ := os.ReadFile("/etc/fstab")
	return mountUnits(places, string(mounted), string(planned))
}

// Notes are what a person should know beside the files.
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
