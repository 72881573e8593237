package service

import (
	"fmt"
	"strings"
	"testing"
)

func TestFilesFollowThePlan(t *testing.T) {
	s := &Service{plan: Plan{Executable: "/opt/spinsync", Config: "/etc/spinsync/sync.toml"}}
	files, err := s.Files()
	if err != nil || len(files) != 1 || files[0].Path != "/etc/systemd/system/spinsync.service" {
		t.Fatalf("Files() = %v, %v", files, err)
	}
	for _, want := range []string{
		"ExecStart=/opt/spinsync run --config /etc/spinsync/sync.toml\n", "User=spinsync\n", "LoadCredential=password:/etc/spinsync/password\n",
	} {
		if !strings.Contains(files[0].Text, want) {
			t.Errorf("%s lacks %q", files[0].Path, want)
		}
	}

	t.Setenv("HOME", "/home/anna")
	s.plan = Plan{Executable: "/opt/spinsync", Config: "/home/anna/sync.toml", Person: true, State: "/home/anna/state.db"}
	files, err = s.Files()
	if err != nil || len(files) != 1 || files[0].Path != "/home/anna/.config/systemd/user/spinsync.service" {
		t.Errorf("Files() of a person = %v, %v", files, err)
	}
	if strings.Contains(files[0].Text, "User=") {
		t.Error("a person's service names a user")
	}
}

// Another account, or a state file elsewhere, is refused with the lines for systemctl edit, until
// the unit has them.
func TestAnotherAccountAndStateFileAreRefusedWithTheLines(t *testing.T) {
	const here = "/var/lib/spinsync/state.db"
	for name, test := range map[string]struct {
		plan  Plan
		shown map[string]string
		lines string // empty when it suits
	}{
		"the usual place":   {Plan{State: here}, map[string]string{"User": "spinsync"}, ""},
		"below it":          {Plan{State: "/var/lib/spinsync/b/state.db"}, map[string]string{"User": "spinsync"}, ""},
		"the usual account": {Plan{State: here, Account: "spinsync"}, map[string]string{"User": "spinsync"}, ""},
		"another place": {
			Plan{State: "/data/spin sync/state.db"}, map[string]string{"User": "spinsync", "ReadWritePaths": "/data/spin"},
			"may not write to /data/spin sync; run sudo systemctl edit spinsync, write these lines, and run this again:\n" +
				"[Service]\nReadWritePaths=\"/data/spin sync\"",
		},
		"beside the usual place": {
			Plan{State: "/var/lib/spinsync-2/state.db"}, map[string]string{"User": "spinsync"}, "[Service]\nReadWritePaths=/var/lib/spinsync-2",
		},
		"another place, as edited": {
			Plan{State: "/data/spin sync/state.db"}, map[string]string{"User": "spinsync", "ReadWritePaths": `/srv/a "-/data/spin sync" /srv/b`}, "",
		},
		"a place with a dollar":      {Plan{State: "/data/$a b/state.db"}, map[string]string{"ReadWritePaths": `"/data/\$a b"`}, ""},
		"below an edited place":      {Plan{State: "/data/a/state.db"}, map[string]string{"ReadWritePaths": "/data"}, ""},
		"another account":            {Plan{State: here, Account: "anna"}, map[string]string{"User": "spinsync"}, "runs as spinsync, not as anna; run sudo systemctl edit"},
		"another account, as edited": {Plan{State: here, Account: "anna"}, map[string]string{"User": "anna"}, ""},
		"an edited account":          {Plan{State: here}, map[string]string{"User": "anna"}, ""},
		"both": {
			Plan{State: "/data/state.db", Account: "anna"}, map[string]string{"User": "spinsync"},
			"[Service]\nUser=anna\nGroup=\nReadWritePaths=/data",
		},
	} {
		err := test.plan.suits(test.shown)
		if text := fmt.Sprint(err); (err == nil) != (test.lines == "") || !strings.Contains(text, test.lines) {
			t.Errorf("%s: %v, want %q", name, err, test.lines)
		}
	}
}

func TestBracesInAPathAreRefused(t *testing.T) {
	_, err := New(Plan{Executable: "/opt/{{x}}/spinsync", Config: "/sync.toml"})
	if err == nil || !strings.Contains(err.Error(), "two braces") {
		t.Errorf("New() = %v", err)
	}
}
