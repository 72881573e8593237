package unit

import (
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var packaged = Service{Executable: "/usr/bin/spinsync", Config: "/etc/spinsync/sync.toml", Log: "/Library/Logs/spinsync.log"}

func TestSystemdQuotesItsCommand(t *testing.T) {
	tests := map[string]struct {
		service Service
		want    string
	}{
		"plain":  {packaged, "ExecStart=/usr/bin/spinsync run --config /etc/spinsync/sync.toml\n"},
		"spaces": {Service{Executable: "/opt/spin sync/x", Config: `/a "b"`}, `ExecStart="/opt/spin sync/x" run --config "/a \"b\""` + "\n"},
		"signs":  {Service{Executable: "/x", Config: `/100%/$HOME\n`}, `ExecStart=/x run --config "/100%%/$$HOME\\n"` + "\n"},
	}
	for name, test := range tests {
		for _, text := range []string{test.service.Systemd(), test.service.SystemdUser()} {
			if !strings.Contains(text, test.want) {
				t.Errorf("%s: want %q in the unit, got\n%s", name, test.want, text)
			}
		}
	}
}

// TestSystemdAcceptsTheUnits asks systemd itself about the texts, its own rules for hardening
// included: at most 2 of 10.
func TestSystemdAcceptsTheUnits(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("systemd-analyze is not installed")
	}
	path := filepath.Join(t.TempDir(), "spinsync.service")
	if err := os.WriteFile(path, []byte(packaged.Systemd()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("systemd-analyze", "security", "--offline=true", "--threshold=20", path).CombinedOutput(); err != nil {
		t.Errorf("systemd-analyze security: %v\n%s", err, out)
	}
}

// What only a person can mend is not tried again for ever: a mistake in sync.toml, a damaged state
// file, and a file or a folder that another program has.
func TestSystemdLeavesToAPersonWhatOnlyAPersonMends(t *testing.T) {
	for _, text := range []string{packaged.Systemd(), packaged.SystemdUser()} {
		if !strings.Contains(text, "\nRestartPreventExitStatus=2 3\n") {
			t.Errorf("the service is started again after exit code 2 or 3:\n%s", text)
		}
	}
}

func TestLaunchdIsWellFormed(t *testing.T) {
	odd := Service{Executable: "/Applications/A & B/<spinsync>", Config: "/Users/anna/sync.toml", Log: "/Users/anna/spinsync.log"}
	want := []string{
		"Label", "spinsync", "ProgramArguments", odd.Executable, "run", "--config", odd.Config, "RunAtLoad", "KeepAlive",
		"SuccessfulExit", "ThrottleInterval", "10", "ExitTimeOut", "30", "ProcessType", "Background", "Umask", "63",
		"EnvironmentVariables", "SPINSYNC_LOG_FILE", odd.Log, "StandardErrorPath", odd.Log,
	}
	if diff := cmp.Diff(want, wordsOf(t, odd.Launchd())); diff != "" {
		t.Errorf("words of the property list (-want +got):\n%s", diff)
	}
	once := []string{"Label", "spinsync-check", "RunAtLoad", "ProgramArguments", odd.Executable, "service", "probe"}
	if diff := cmp.Diff(once, wordsOf(t, LaunchdOnce("spinsync-check", odd.Executable, "service", "probe"))); diff != "" {
		t.Errorf("words of the property list of a trial (-want +got):\n%s", diff)
	}
}

// wordsOf are the texts between the tags of a property list.
func wordsOf(t *testing.T, text string) (words []string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return words
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if data, ok := token.(xml.CharData); ok && strings.TrimSpace(string(data)) != "" {
			words = append(words, string(data))
		}
	}
}

func TestDropIn(t *testing.T) {
	if got := (Site{}).DropIn(); got != "" {
		t.Errorf("a site that needs nothing gets %q", got)
	}
	site := Site{
		Account: "studio", Groups: []string{"photo", "nas"}, WritePath: "/data/spin sync", Password: "/etc/spinsync/password",
		BeforeStart: []string{"srv-shoots.mount"},
	}
	want := `# As sync.toml wants it. After other folders or another state file there: spinsync service install
[Unit]
# A drive that is mounted after the start would be writable.
Wants=srv-shoots.mount
After=srv-shoots.mount

[Service]
User=studio
Group=
SupplementaryGroups=photo nas
LoadCredential=password:/etc/spinsync/password
ReadWritePaths=-"/data/spin sync"
`
	if diff := cmp.Diff(want, site.DropIn()); diff != "" {
		t.Errorf("drop-in (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Site{Account: "studio", Groups: []string{"photo", "nas"}}, ReadSite(site.DropIn())); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	odd := Site{Account: "50%"}
	if diff := cmp.Diff(odd, ReadSite(odd.DropIn())); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

func TestMountUnit(t *testing.T) {
	// What systemd-escape --path --suffix=mount prints for each.
	for path, want := range map[string]string{
		"/":                "-.mount",
		"/srv/shoots":      "srv-shoots.mount",
		"/srv/photo-nas/":  `srv-photo\x2dnas.mount`,
		"/.hidden/a.b":     `\x2ehidden-a.b.mount`,
		"/mnt/Größe 1":     `mnt-Gr\xc3\xb6\xc3\x9fe\x201.mount`,
		"/media/anna/DISK": "media-anna-DISK.mount",
	} {
		if got := MountUnit(path); got != want {
			t.Errorf("MountUnit(%q) = %s, want %s", path, got, want)
		}
	}
}
