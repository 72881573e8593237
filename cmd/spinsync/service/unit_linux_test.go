package service

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spinsync/packaging/unit"
)

// A second install without --account and --group keeps those of the first.
func TestEarlierInstallIsRemembered(t *testing.T) {
	before := unit.Site{Account: "studio", Groups: []string{"nas"}}
	for name, test := range map[string]struct{ asked, want Plan }{
		"nothing":   {Plan{}, Plan{Account: "studio", Groups: []string{"nas"}}},
		"another":   {Plan{Account: "anna"}, Plan{Account: "anna", Groups: []string{"nas"}}},
		"all of it": {Plan{Account: "anna", Groups: []string{"a"}}, Plan{Account: "anna", Groups: []string{"a"}}},
	} {
		if diff := cmp.Diff(test.want, withSite(test.asked, before)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestFilesFollowThePlan(t *testing.T) {
	plan := Plan{
		Executable: "/opt/spinsync", Config: "/etc/spinsync/sync.toml", Account: "studio", Groups: []string{"nas"},
		State: "/var/lib/spinsync/state.db", Credential: "/etc/spinsync/password",
	}
	s := &Service{plan: plan}
	files, err := s.Files()
	if err != nil || len(files) != 2 {
		t.Fatalf("Files() = %v, %v", files, err)
	}
	if want := "ExecStart=/opt/spinsync run --config /etc/spinsync/sync.toml\n"; !strings.Contains(files[0].Text, want) {
		t.Errorf("%s lacks %q", files[0].Path, want)
	}
	for _, want := range []string{"User=studio\n", "SupplementaryGroups=nas\n", "LoadCredential=password:/etc/spinsync/password\n"} {
		if !strings.Contains(files[1].Text, want) {
			t.Errorf("%s lacks %q", files[1].Path, want)
		}
	}
	if strings.Contains(files[1].Text, "ReadWritePaths") {
		t.Error("the usual place of the state file needs no right of its own")
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

func TestBracesInAPathAreRefused(t *testing.T) {
	_, err := New(Plan{Executable: "/opt/{{x}}/spinsync", Config: "/sync.toml"})
	if err == nil || !strings.Contains(err.Error(), "two braces") {
		t.Errorf("New() = %v", err)
	}
}
