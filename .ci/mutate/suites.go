package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// A suite is a package whose mutants are tried, and the packages whose tests should notice, in
// their order.
type suite struct {
	dir   string
	tests []string
}

const (
	simulation = "daemon/simulation"
	daemon     = "daemon"
	dashboard  = "daemon/dashboard"
)

// suitesOf are the packages that a daemon consists of, and those that guard it, show it and report
// on it.
func suitesOf(ctx context.Context, module string) (all []suite, err error) {
	main := "{{with .Module}}{{if .Main}}{{.Path}} {{$.ImportPath}}{{end}}{{end}}"
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-f", main,
		"./"+daemon, "./daemon/control", "./cmd/spinsync/rootlock", "./"+dashboard, "./daemon/notify")
	cmd.Dir = module
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the packages: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		path, pkg, _ := strings.Cut(strings.TrimSpace(line), " ")
		dir := strings.TrimPrefix(pkg, path+"/")
		all = append(all, suite{dir, testsOf(dir)})
	}
	return all, nil
}

// slow are the packages whose tests run one by one, and only where they reach the mutant.
var slow = []string{daemon, dashboard, "watcher", "syncstate", "apiclient"}

// testsOf are the packages whose tests notice what goes wrong in a package, the quick ones first.
func testsOf(dir string) []string {
	switch top, _, isRoom := strings.Cut(dir, "/"); {
	case dir == "daemon/control", top == "cmd":
		return []string{dir, "cmd/spinsync/backend", "cmd/spinsync/engine", "cmd/spinsync"}
	case dir == "daemon/notify":
		return []string{dir, "cmd/spinsync/engine"}
	case strings.HasPrefix(dir, dashboard):
		return []string{dir, dashboard, "cmd/spinsync/engine"}
	case dir == "watcher/frame":
		return []string{dir, "apiclient/sandbox/media", simulation, dashboard, daemon}
	case dir == "daemon/plan":
		return []string{dir, "daemon/publish", simulation, daemon}
	case dir == daemon:
		return []string{simulation, daemon, dashboard}
	case !isRoom:
		return []string{simulation, dir, daemon}
	case top != daemon:
		return []string{dir, simulation, top, daemon}
	}
	return []string{dir, simulation, daemon}
}

// seeds is how many days of the simulation each mutant lives through.
const seeds = 20

// argumentsOf are those of a package's tests.
func argumentsOf(tests string, seed uint64) []string {
	if tests != simulation {
		return nil
	}
	first := fmt.Sprint("-seed=", 1+seed%1_000_000)
	return []string{"-test.run=^TestSimulation$", first, fmt.Sprint("-seeds=", seeds), "-stride=1"}
}
