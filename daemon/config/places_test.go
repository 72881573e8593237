package config

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestPlaces(t *testing.T) {
	home := map[string]string{"HOME": "/home/a", "LOCALAPPDATA": "/users/a/local", "ProgramData": "/programdata"}
	xdg := map[string]string{"HOME": "/home/a", "XDG_CONFIG_HOME": "/cfg", "XDG_STATE_HOME": "relative"}
	tests := []struct {
		goos   string
		env    map[string]string
		person places
		system places
	}{
		{"linux", home, places{"/home/a/.config/spinsync", "/home/a/.local/state/spinsync"}, places{"/etc/spinsync", "/var/lib/spinsync"}},
		{"linux", xdg, places{"/cfg/spinsync", "/home/a/.local/state/spinsync"}, places{"/etc/spinsync", "/var/lib/spinsync"}},
		{"linux", nil, places{}, places{"/etc/spinsync", "/var/lib/spinsync"}},
		{"darwin", home, both("/home/a/Library/Application Support/spinsync"), both("/Library/Application Support/spinsync")},
		{"windows", home, both("/users/a/local/spinsync"), both("/programdata/spinsync")},
		{"windows", nil, places{}, places{}},
	}
	if runtime.GOOS == "windows" {
		t.Skip("the paths below are written with slashes")
	}
	for _, tt := range tests {
		env := func(name string) string { return tt.env[name] }
		if got := personPlaces(tt.goos, env); got != tt.person {
			t.Errorf("%s, a person: got %v, want %v", tt.goos, got, tt.person)
		}
		if got := systemPlaces(tt.goos, env); got != tt.system {
			t.Errorf("%s, the system: got %v, want %v", tt.goos, got, tt.system)
		}
	}
}

func TestDefaultPath(t *testing.T) {
	person, system := both(t.TempDir()), both(t.TempDir())
	own, shared := filepath.Join(person.config, "sync.toml"), filepath.Join(system.config, "sync.toml")
	t.Chdir(t.TempDir())
	if got := firstFile(defaultPaths(person, system)); got != own {
		t.Errorf("without any file: got %s, want %s", got, own)
	}
	for _, want := range []string{"sync.toml", shared, own} {
		write(t, want, minimal, 0o600)
		if got := firstFile(defaultPaths(person, system)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := DefaultPath(homeAt(t.TempDir())); filepath.Base(got) != "sync.toml" {
		t.Errorf("got %s", got)
	}
}

// A person who uses the system's sync.toml sees the service's state file.
func TestStateBelongsToTheFile(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"HOME": "/home/a", "LOCALAPPDATA": "/l", "ProgramData": "/p"}[name]
	}
	system := systemPlaces(runtime.GOOS, env)
	if got, want := defaultState(filepath.Join(system.config, "sync.toml"), env), filepath.Join(system.state, "state.db"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	own := personPlaces(runtime.GOOS, env).state
	if got, want := defaultState("/somewhere/sync.toml", env), filepath.Join(own, "state.db"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestStateOfAWrongFile: a mistake elsewhere in sync.toml does not hide where the state file lies,
// and one about that is no reason to take another's.
func TestStateOfAWrongFile(t *testing.T) {
	dir := t.TempDir()
	path, env := filepath.Join(dir, "sync.toml"), homeAt(t.TempDir())
	own, usual := filepath.Join(dir, "own.db"), defaultState(path, env)
	unclosed := "[upload]\nlimit = \"5MB/s\n"
	for text, want := range map[string]string{
		"[state]\npath = \"own.db\"\n[upload]\nlimit = 5\n": own,
		"[state]\npath = \"own.db\"\n" + unclosed:           own,
		unclosed + "[state]\npath = 'own.db' # beside\n":    own,
		unclosed:                                            usual,
		"[state]\n#path = 'own.db'\n" + unclosed:            usual,
		"[state]\npath = \"own.db\n":                        "",
		"[state]\npath = \"own.db\"\npath = \"other.db\"\n": "",
		"[state]\npath = 5\n" + unclosed:                    "",
		"state.path = \"own.db\"\n" + unclosed:              "",
		"state = { path = \"own.db\" }\n" + unclosed:        "",
		"[[[state]]\npath = \"own.db\"\n" + unclosed:        "",
	} {
		write(t, path, text, 0o600)
		if got := StatePath(path, env); got != want {
			t.Errorf("%s\ngot %q, want %q", text, got, want)
		}
	}
}

// The same sync.toml in another letter case has the same state file and password, where the system
// takes both for one path.
func TestLetterCaseOfTheFile(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"HOME": filepath.FromSlash("/home/a"), "ProgramData": `C:\ProgramData`}[name]
	}
	path := SystemPath(env)
	other := filepath.Join(strings.ToUpper(filepath.Dir(path)), fileName)
	same := runtime.GOOS == "windows" || runtime.GOOS == "darwin"
	if got := defaultState(other, env) == defaultState(path, env); got != same {
		t.Errorf("%s has the state file of %s: %t", other, path, got)
	}
	if got := handed(other, env) != ""; got != same {
		t.Errorf("%s is the system's: %t", other, got)
	}
}
