package service

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"spinsync/packaging/unit"
)

// stateDirectory is the one place that the unit of the whole system lets its account write to.
const stateDirectory = "/var/lib/spinsync"

// Suits refuses an account or a place of the state file that the installed unit does not have. The
// error has the lines with which a person gives the unit more; those that it has already count.
func (s *Service) Suits(ctx context.Context) error {
	if s.plan.Person {
		return nil // it has the rights of that person
	}
	shown, err := s.show(ctx, unitName)
	if err != nil {
		return err
	}
	return s.plan.suits(shown)
}

func (p Plan) suits(shown map[string]string) error {
	var lacks, lines []string
	if p.Account != "" && p.Account != shown["User"] {
		lacks = append(lacks, fmt.Sprintf("runs as %s, not as %s", shown["User"], p.Account))
		lines = append(lines, "User="+unit.Word(p.Account), "Group=")
	}
	if dir := filepath.Dir(p.State); !mayWrite(shown["ReadWritePaths"], dir) {
		lacks = append(lacks, "may not write to "+dir)
		lines = append(lines, "ReadWritePaths="+unit.Word(dir))
	}
	if len(lacks) == 0 {
		return nil
	}
	return fmt.Errorf("the service %s; run sudo systemctl edit %s, write these lines, and run this again:\n[Service]\n%s",
		strings.Join(lacks, ", and "), Name, strings.Join(lines, "\n"))
}

// mayWrite reports whether a directory is open to the service, by ReadWritePaths as systemctl show
// prints it: words between blanks, in quotes where they hold some.
func mayWrite(paths, dir string) bool {
	unquoted := strings.NewReplacer(`"`, "", `\`, "").Replace(paths)
	open := " " + stateDirectory + " " + unquoted + " "
	for place := dir; ; place = filepath.Dir(place) {
		for _, mark := range []string{" ", " -", " +", " -+"} { // as systemd.exec(5) has them
			if strings.Contains(open, mark+place+" ") {
				return true
			}
		}
		if place == filepath.Dir(place) {
			return false
		}
	}
}
