package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The direction of imports keeps each part readable on its own: three leaves that know nothing of
// each other, one package that joins them, and one main that wires. A package may import those
// listed for it and nothing else of this module. The name of a package for tests alone ends in
// test, and "NAME/..." stands for a package with all below it.
var mayImport = map[string][]string{
	"apiclient":                {},
	"apiclient/sandbox":        {"apiclient", "apiclient/sandbox/media", "apiclient/sandbox/viewer"},
	"apiclient/certificate":    {},
	"apiclient/sandbox/media":  {"watcher/frame"},
	"apiclient/sandbox/viewer": {},
	"apiclient/servicetest":    {"apiclient", "apiclient/sandbox"},
	"watcher":                  {"watcher/clock", "watcher/events", "watcher/names", "watcher/nofollow", "watcher/volume"},
	"watcher/clock":            {},
	"watcher/events":           {},
	"watcher/frame":            {},
	"watcher/names":            {},
	"watcher/nofollow":         {},
	"watcher/volume":           {},
	"syncstate":                {},
	"daemon/connections":       {},
	"daemon/metrics":           {},
	"daemon/layout":            {},
	"daemon/manifest":          {},
	"daemon/alttext":           {},
	"daemon/config":            {"apiclient", "daemon/alttext", "daemon/layout", "daemon/manifest"},
	"daemon/status":            {"daemon/config", "syncstate", "watcher"},
	"daemon/outcome":           {"apiclient", "daemon/status", "watcher"},
	"daemon/products":          {"daemon/config", "watcher", "watcher/volume"},
	"daemon/hosting":           {"apiclient", "daemon/outcome", "daemon/status", "syncstate", "watcher/clock"},
	"daemon/plan": {
		"daemon/alttext", "daemon/config", "daemon/layout", "daemon/manifest", "daemon/outcome", "daemon/products",
		"daemon/status", "syncstate", "watcher", "watcher/frame", "watcher/volume",
	},
	"daemon/view": {"apiclient", "daemon/manifest", "daemon/outcome", "daemon/plan", "daemon/status", "syncstate"},
	"daemon/reading": {
		"daemon/alttext", "daemon/config", "daemon/outcome", "daemon/plan", "daemon/products", "daemon/status",
		"syncstate", "watcher", "watcher/clock", "watcher/frame", "watcher/volume",
	},
	"daemon/renamed": {
		"daemon/outcome", "daemon/plan", "daemon/reading", "daemon/status", "syncstate", "watcher",
	},
	"daemon/sending": {
		"apiclient", "daemon/hosting", "daemon/outcome", "daemon/plan", "daemon/reading", "daemon/schedule",
		"daemon/status", "syncstate", "watcher",
	},
	"daemon/publish": {
		"apiclient", "daemon/config", "daemon/hosting", "daemon/metrics", "daemon/outcome", "daemon/plan",
		"daemon/reading", "daemon/renamed", "daemon/schedule", "daemon/sending", "daemon/status", "daemon/view",
		"syncstate", "watcher", "watcher/volume",
	},
	"daemon": {
		"apiclient", "daemon/config", "daemon/hosting", "daemon/metrics", "daemon/outcome", "daemon/plan", "daemon/products",
		"daemon/publish", "daemon/reading", "daemon/renamed", "daemon/schedule", "daemon/status",
		"syncstate", "watcher", "watcher/clock", "watcher/names", "watcher/volume",
	},
	"daemon/schedule": {"daemon/config", "syncstate"},
	"daemon/inspect":  {"watcher/frame"},
	"daemon/control":  {"daemon", "daemon/connections", "daemon/status", "syncstate"},
	// Of apiclient the page uses only IsLoopback and the values that daemon hands out.
	"daemon/dashboard": {
		"daemon", "daemon/connections", "daemon/dashboard/qrcode", "daemon/dashboard/thumb", "daemon/metrics", "daemon/status", "syncstate",
		"apiclient",
	},
	"daemon/dashboard/qrcode": {},
	"daemon/dashboard/thumb":  {"syncstate", "watcher/frame"},
	"daemon/notify":           {"daemon", "daemon/status", "syncstate", "apiclient"}, // of apiclient only Secret

	// The commands: terminal and cli serve all of them, and only main knows all of them.
	"cmd/spinsync/terminal":       {"daemon/config"},
	"cmd/spinsync/cli":            {"apiclient", "syncstate", "daemon/...", "cmd/spinsync/terminal"},
	"cmd/spinsync/rootlock":       {"watcher/volume"},
	"cmd/spinsync/service":        {"packaging/unit"},
	"cmd/spinsync/demo/turntable": {},
	"packaging/unit":              {},
	"cmd/spinsync/remote":         rooms("apiclient", "watcher/frame", "daemon/config", "daemon/outcome", "daemon/status"),
	"cmd/spinsync/backend":        rooms("syncstate", "watcher/...", "daemon/..."),
	"cmd/spinsync/show":           rooms("syncstate", "daemon/...", "cmd/spinsync/backend"),
	"cmd/spinsync/engine": rooms(
		"apiclient", "apiclient/certificate", "syncstate", "daemon/...", "watcher", "cmd/spinsync/check",
		"cmd/spinsync/rootlock",
		"cmd/spinsync/service"),
	"cmd/spinsync/check": rooms(
		"apiclient", "syncstate", "watcher/...", "daemon/...",
		"cmd/spinsync/backend", "cmd/spinsync/rootlock"),
	"cmd/spinsync/setup": rooms(
		"apiclient", "daemon/...", "cmd/spinsync/backend", "cmd/spinsync/check", "cmd/spinsync/service"),
	"cmd/spinsync/inspect": rooms(
		"daemon/config", "daemon/inspect", "daemon/manifest", "daemon/status",
		"watcher/frame", "watcher/names", "watcher/nofollow"),
	"cmd/spinsync/diagnose": rooms(
		"apiclient", "syncstate", "daemon/...", "cmd/spinsync/backend", "cmd/spinsync/check", "cmd/spinsync/show"),
	"cmd/spinsync/demo": rooms(
		"apiclient/...", "syncstate", "daemon/...",
		"cmd/spinsync/demo/turntable", "cmd/spinsync/engine", "cmd/spinsync/show"),
}

// rooms are what a command may import: what all of them share, and some packages more.
func rooms(more ...string) []string { return append(more, "cmd/spinsync/cli", "cmd/spinsync/terminal") }

// allows reports whether a package is listed, or one above it as "NAME/...".
func allows(allowed []string, inside string) bool {
	return slices.ContainsFunc(allowed, func(name string) bool {
		tree, whole := strings.CutSuffix(name, "/...")
		return name == inside || whole && (tree == inside || strings.HasPrefix(inside, tree+"/"))
	})
}

// belongsTo keeps outside libraries where they can be replaced.
var belongsTo = map[string][]string{
	"github.com/fsnotify/fsnotify": {"watcher/events"},
	"go.etcd.io/bbolt":             {"syncstate", "apiclient/sandbox"},
	"github.com/kardianos/service": {"cmd/spinsync/service"},
	"github.com/BurntSushi/toml":   {"daemon/config"},

	"github.com/prometheus/client_golang/prometheus": {"daemon/metrics", "daemon/dashboard"},
}

// mayImportAll reports whether a package may import every other one: the one that wires them all,
// and those that are for tests.
func mayImportAll(path string) bool {
	return path == "cmd/spinsync" || path == "daemon/simulation" || strings.HasSuffix(path, "test")
}

func TestArchitecture(t *testing.T) {
	for path, imports := range importsOfModule(t) {
		allowed, listed := mayImport[path]
		if !listed && !mayImportAll(path) {
			t.Errorf("%s is not in mayImport; list what it may import", path)
		}
		for _, imported := range imports {
			if inside, ok := strings.CutPrefix(imported, "spinsync/"); ok {
				if (listed || !mayImportAll(path)) && !allows(allowed, inside) {
					t.Errorf("%s imports %s; the arrows of docs/CONTRIBUTING.md go the other way", path, inside)
				}
				if strings.HasSuffix(inside, "test") && !strings.HasSuffix(path, "test") {
					t.Errorf("%s imports %s; what is for tests is no part of the program", path, inside)
				}
				if strings.HasPrefix(inside, "cmd/") && !strings.HasPrefix(path, "cmd/") {
					t.Errorf("%s imports %s; nothing imports the command", path, inside)
				}
			}
			if home, bound := belongsTo[imported]; bound && !slices.Contains(home, path) {
				t.Errorf("%s imports %s, which belongs to %s", path, imported, home)
			}
		}
	}
}

// importsOfModule maps each package of this module, by its path below the module, to what it
// imports outside of tests.
func importsOfModule(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "spinsync/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	imports := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		imports[strings.TrimPrefix(fields[0], "spinsync/")] = fields[1:]
	}
	return imports
}

// Only the watcher decides what is gone below a root: an fs.ErrNotExist may mean that a server does
// not answer. The packages that ask for it know no file below a root, or only advise.
func TestArchitectureOfGone(t *testing.T) {
	for _, room := range []string{"watcher", "daemon", "daemon/plan", "daemon/reading", "daemon/renamed", "daemon/sending", "daemon/publish", "daemon/products"} {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(room), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(room, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(file, "_test.go") && bytes.Contains(text, []byte("ErrNotExist)")) {
				t.Errorf("%s asks for ErrNotExist; ask watcher.IsGone", file)
			}
		}
	}
}
