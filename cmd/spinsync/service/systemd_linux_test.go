package service

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spinsync/packaging/unit"
)

func TestMountUnits(t *testing.T) {
	const mountinfo = `22 1 252:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
30 22 0:26 / /srv rw - tmpfs tmpfs rw
41 30 8:1 / /srv/photo\040nas rw - cifs //nas/photo rw
`
	const fstab = `# <file system> <mount point>
UUID=1 / ext4 defaults 0 1
//nas/day /mnt/day/ cifs noauto,x-systemd.automount 0 0
UUID=2 none swap sw 0 0
`
	places := []string{"/srv/photo nas/shoots", "/mnt/day", "/srv/photo nasty", "/mnt/daylight", "/home/anna"}
	want := []string{`srv-photo\x20nas.mount`, "mnt-day.mount", "srv.mount"}
	if diff := cmp.Diff(want, mountUnits(places, mountinfo, fstab)); diff != "" {
		t.Errorf("mount units (-want +got):\n%s", diff)
	}
}

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

// TestJournalIsKnownByItsStream: the variable alone, which a shell below a service inherits, is not enough.
func TestJournalIsKnownByItsStream(t *testing.T) {
	stream, err := os.CreateTemp(t.TempDir(), "stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	info, err := stream.Stat()
	if err != nil {
		t.Fatal(err)
	}
	stat := info.Sys().(*syscall.Stat_t)
	here := fmt.Sprintf("%d:%d", stat.Dev, stat.Ino)
	if systemLog(stream, func(string) string { return here }) == nil {
		t.Error("the journal is not recognised")
	}
	if systemLog(stream, func(string) string { return "8:" + here }) != nil || systemLog(&bytes.Buffer{}, func(string) string { return here }) != nil {
		t.Error("another stream is taken for the journal")
	}
}

func TestJournalPriorities(t *testing.T) {
	var got bytes.Buffer
	put := journal(&got)
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
		if err := put(level, []byte(level.String()+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	if want := "<7>DEBUG\n<6>INFO\n<4>WARN\n<3>ERROR\n"; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
}
