package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestPasswordSourcesInOrder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "secret")
	write(t, file, "of the file\n", 0o600)
	write(t, filepath.Join(dir, "password"), "of systemd", 0o640)
	handed := filepath.Join(t.TempDir(), "password")
	write(t, handed, "of the service\n", 0o600)
	env := map[string]string{"SPINSYNC_PASSWORD": "of the environment", "CREDENTIALS_DIRECTORY": dir}
	keychain := func(baseURL, username string) (string, error) { return "of " + username + " at " + baseURL, nil }

	s := Service{BaseURL: "https://x", Username: "u", Password: "of sync.toml", PasswordFile: file, Handed: handed}
	steps := []struct {
		want, remedy string
		next         func()
	}{
		{"of sync.toml", "correct username or password in sync.toml", func() { s.Password = "" }},
		{"of the file", "correct the password in " + file + ", which a running spinsync reads again by itself, or username in sync.toml", func() { s.PasswordFile = "" }},
		{"of the environment", "SPINSYNC_PASSWORD in the environment, or username in sync.toml, and restart spinsync if it runs", func() { delete(env, "SPINSYNC_PASSWORD") }},
		{"of systemd", `credential "password", or username in sync.toml, and restart spinsync if it runs`, func() { env["CREDENTIALS_DIRECTORY"] = t.TempDir() }},
		{"of the service", handed + ", or username in sync.toml, and restart spinsync if it runs", func() { delete(env, "CREDENTIALS_DIRECTORY") }},
		{"of the service", handed + ", or username in sync.toml, and restart spinsync if it runs", func() { s.Handed += ".none" }},
		{"of u at https://x", "`spinsync login`, or username in sync.toml, and reload spinsync if it runs", func() {}},
	}
	for _, step := range steps {
		got, err := s.ResolvePassword(func(name string) string { return env[name] }, keychain)
		if err != nil || got.Reveal() != step.want {
			t.Errorf("got %q, %v, want %q", got.Reveal(), err, step.want)
		}
		if remedy := s.PasswordRemedy(func(name string) string { return env[name] }); !strings.HasSuffix(remedy, step.remedy) {
			t.Errorf("of %s it says %q", step.want, remedy)
		}
		step.next()
	}
}

// Only the system's sync.toml finds the password that setup keeps for the system's service.
func TestHandedPasswordLiesBesideTheSystemsFile(t *testing.T) {
	system := SystemPath(os.Getenv)
	if got, want := handed(system, os.Getenv), filepath.Join(filepath.Dir(system), "password"); got != want {
		t.Errorf("beside %s: %q", system, got)
	}
	if got := handed(filepath.Join(t.TempDir(), fileName), os.Getenv); got != "" {
		t.Errorf("beside another file: %q", got)
	}
}

// systemd hands over a blank credential where the unit's password file is missing.
func TestBlankCredentialCountsAsNone(t *testing.T) {
	dir := t.TempDir()
	env := func(name string) string { return map[string]string{"CREDENTIALS_DIRECTORY": dir}[name] }
	keychain := func(string, string) (string, error) { return "of the keychain", nil }
	for content, want := range map[string]string{"": "of the keychain", "\n": "of the keychain", "of systemd\n": "of systemd", "a\nb": ""} {
		write(t, filepath.Join(dir, "password"), content, 0o600)
		got, err := Service{}.ResolvePassword(env, keychain)
		if got.Reveal() != want || (err != nil) != (want == "") {
			t.Errorf("of %q: got %q, %v, want %q", content, got.Reveal(), err, want)
		}
	}
}

func TestNoPasswordNamesTheRemedies(t *testing.T) {
	s := Service{BaseURL: "https://x", Username: "studio"}
	broken := errors.New("no bus")
	keychains := map[string]Keychain{
		"none":   nil,
		"empty":  func(string, string) (string, error) { return "", nil },
		"broken": func(string, string) (string, error) { return "", broken },
	}
	for name, keychain := range keychains {
		_, err := s.ResolvePassword(func(string) string { return "" }, keychain)
		for _, remedy := range []string{"studio", "https://x", "password_file", "SPINSYNC_PASSWORD", `"spinsync login"`} {
			if !strings.Contains(fmt.Sprint(err), remedy) {
				t.Errorf("%s: %v does not name %s", name, err, remedy)
			}
		}
		if errors.Is(err, broken) != (name == "broken") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestPasswordFile(t *testing.T) {
	tests := []struct{ name, content, want, err string }{
		{"no new line", "hunter2", "hunter2", ""},
		{"one new line", "hunter2\n", "hunter2", ""},
		{"of Windows", "\ufeffhunter2\r\n", "hunter2", ""},
		{"spaces are kept", " hunter2 \n", " hunter2 ", ""},
		{"empty", "\n", "", "the file is empty; write the password into it"},
		{"two lines", "hunter2\nhunter3\n", "", "the file has more than one line"},
		{"large", strings.Repeat("x", maxPassword+1), "", "the file is too large for a password"},
	}
	for _, tt := range tests {
		path := filepath.Join(t.TempDir(), "password")
		write(t, path, tt.content, 0o600)
		got, err := Service{PasswordFile: path}.ResolvePassword(func(string) string { return "other" }, nil)
		if got.Reveal() != tt.want || (err == nil) != (tt.err == "") || err != nil && err.Error()[:len("password_file "+path)] != "password_file "+path {
			t.Errorf("%s: got %q, %v, want %q", tt.name, got.Reveal(), err, tt.want)
		}
		if err != nil && (!strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "hunter")) {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
}

// A file that cannot be used is never passed over for another password.
func TestPasswordFileHasToBeThere(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none")
	for path, want := range map[string]string{none: "; write the password into this file", dir: "this is no regular file"} {
		_, err := Service{PasswordFile: path}.ResolvePassword(func(string) string { return "other" }, nil)
		if text := fmt.Sprint(err); !strings.HasPrefix(text, "password_file "+path+": ") || !strings.Contains(text, want) || strings.Count(text, path) != 1 {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestPasswordFileOfOthersIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps permissions elsewhere")
	}
	path := filepath.Join(t.TempDir(), "password")
	write(t, path, "hunter2", 0o600)
	for mode, refused := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o640: true, 0o604: true, 0o620: true, 0o644: true} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := Service{PasswordFile: path}.ResolvePassword(func(string) string { return "" }, nil)
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "run chmod 600 on it") {
			t.Errorf("mode %04o: got %v", mode, err)
		}
	}
}

// The page's password can be guessed from other computers, so a short one is refused.
func TestPasswordOfThePageIsLong(t *testing.T) {
	for password, ok := range map[string]bool{"": false, "ninechars": false, "ninechars\n": false, "ten chars!": true, "zehn Töne!": true, "neunTöne!": false} {
		file := filepath.Join(t.TempDir(), "page-password")
		write(t, file, password, 0o600)
		if got, err := (Dashboard{PasswordFile: file}).ResolvePassword(); (err == nil) != ok || ok != (got != "") {
			t.Errorf("%q: %q, %v", password, got.Reveal(), err)
		}
	}
}
