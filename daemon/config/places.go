package config

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
)

const fileName = "sync.toml"

// places are the directories of a person, or of the whole system.
type places struct {
	config, state string
}

// DefaultPaths returns the places where a sync.toml may be when none is named,
// in this order: that of the person, that of the system, and the one in the
// working directory, whose path is relative.
func DefaultPaths(env func(string) string) []string {
	return defaultPaths(personPlaces(runtime.GOOS, env), systemPlaces(runtime.GOOS, env))
}

func defaultPaths(person, system places) []string {
	own, shared := filepath.Join(person.config, fileName), filepath.Join(system.config, fileName)
	if own == fileName { // the environment has no home directory
		return []string{own, shared}
	}
	return []string{own, shared, fileName}
}

// DefaultPath returns the first of DefaultPaths at which there is a file. When
// there is none it returns the place where a person's belongs.
func DefaultPath(env func(string) string) string { return firstFile(DefaultPaths(env)) }

func firstFile(paths []string) string {
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return paths[0]
}

// SystemPath returns where the sync.toml of the whole system belongs.
func SystemPath(env func(string) string) string {
	return filepath.Join(systemPlaces(runtime.GOOS, env).config, fileName)
}

// handed returns the file that the system's service is handed its password from, by its sync.toml;
// empty for the sync.toml of anybody else.
func handed(path string, env func(string) string) string {
	if folded(path) != folded(SystemPath(env)) {
		return ""
	}
	return filepath.Join(filepath.Dir(path), "password")
}

// defaultState returns where the state file belongs to the sync.toml at path;
// empty when the environment has no home directory. It goes by that file and
// not by who runs, so that a service and a person at the same machine who read
// one sync.toml find one state file.
func defaultState(path string, env func(string) string) string {
	p := personPlaces(runtime.GOOS, env)
	if system := systemPlaces(runtime.GOOS, env); folded(filepath.Dir(path)) == folded(system.config) {
		p = system
	}
	if p.state == "" {
		return ""
	}
	return filepath.Join(p.state, "state.db")
}

func personPlaces(goos string, env func(string) string) places {
	switch goos {
	case "windows":
		return both(below(env("LOCALAPPDATA")))
	case "darwin":
		return both(below(env("HOME"), "Library", "Application Support"))
	}
	return places{
		config: cmp.Or(below(xdg(env("XDG_CONFIG_HOME"))), below(env("HOME"), ".config")),
		state:  cmp.Or(below(xdg(env("XDG_STATE_HOME"))), below(env("HOME"), ".local", "state")),
	}
}

func systemPlaces(goos string, env func(string) string) places {
	switch goos {
	case "windows":
		return both(below(env("ProgramData")))
	case "darwin":
		return both(below("/Library/Application Support"))
	}
	return places{config: below("/etc"), state: below("/var/lib")}
}

func both(dir string) places { return places{config: dir, state: dir} }

// below returns spinsync's own directory; empty when base is.
func below(base string, parts ...string) string {
	if base == "" {
		return ""
	}
	return filepath.Join(base, filepath.Join(parts...), "spinsync")
}

// xdg ignores a relative path, as the XDG specification wants it.
func xdg(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	return dir
}
