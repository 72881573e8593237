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

func supported(p Plan) error {
	if p.Person && p.Account != "" {
		return errors.New("--user installs for you; leave out --account")
	}
	return nil
}

// remembered adds the account and the groups of an earlier install where the plan names none.
// Uninstall forgets them.
func remembered(p Plan) Plan {
	if p.Person {
		return p
	}
	text, err := os.ReadFile(dropInOf(systemUnits))
	if err != nil {
		return p // the write that follows tells why it cannot be read
	}
	return withSite(p, unit.ReadSite(string(text)))
}

// dropInOf is the file beside the units of a directory that says what the unit needs here beyond
// its text.
func dropInOf(dir string) string { return filepath.Join(dir, unitName+".d", "10-install.conf") }

func withSite(p Plan, site unit.Site) Plan {
	if p.Account == "" {
		p.Account = site.Account
	}
	if len(p.Groups) == 0 {
		p.Groups = site.Groups
	}
	return p
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

// packageServes tells whether the unit of an installed package is the one to use: no other unit
// replaced it, and it says the same.
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
		files = append(files, File{dropInOf(dir), text})
	}
	return files, nil
}

// site is what the unit needs here beyond its text. One person's service has the rights of that
// person already.
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
