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

// The whole system's unit has systemd hand over the password in sync.toml's directory, which root
// alone reads, and starts after the drives of the machine. One person's has the keychain.
func TestSystemdHandsOverThePassword(t *testing.T) {
	odd := Service{Executable: "/x", Config: "/srv/100 %/sync.toml"}
	for service, want := range map[Service]string{packaged: "/etc/spinsync/password", odd: "/srv/100 %%/password"} {
		if text := service.Systemd(); !strings.Contains(text, "\nLoadCredential=password:"+want+"\nSetCredential=password:\\n\n") {
			t.Errorf("no credential of %s in\n%s", want, text)
		}
	}
	if text := packaged.Systemd(); !strings.Contains(text, "\nAfter=network-online.target local-fs.target remote-fs.target\n") {
		t.Errorf("it does not wait for drives:\n%s", text)
	}
	if text := packaged.SystemdUser(); strings.Contains(text, "Credential") {
		t.Errorf("a person's service asks for a credential:\n%s", text)
	}
}

// A reload asks the program to read sync.toml again.
func TestSystemdReloads(t *testing.T) {
	for _, text := range []string{packaged.Systemd(), packaged.SystemdUser()} {
		if !strings.Contains(text, "\nType=notify\n") || !strings.Contains(text, "\nExecReload=kill -HUP $MAINPID\n") {
			t.Errorf("the service has no reload:\n%s", text)
		}
	}
}

// What only a person can mend is not tried again for ever: a mistake in sync.toml and a damaged state
// file.
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
