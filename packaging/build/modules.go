package main

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A module is linked into the program.
type module struct {
	path, version, sum string
	terms              []string // its licence, and what else it wants handed on
}

// findModules returns the modules of a program, Go's standard library the first.
func findModules(ctx context.Context, info *buildinfo.BuildInfo) ([]module, error) {
	modules := []module{{path: "std", version: strings.TrimPrefix(info.GoVersion, "go")}}
	root, err := goEnv(ctx, "GOROOT")
	if err != nil {
		return nil, err
	}
	if modules[0].terms, err = readTerms(root); err != nil {
		return nil, err
	}
	dirs, err := moduleDirs(ctx)
	if err != nil {
		return nil, err
	}
	for _, dep := range info.Deps {
		m := module{path: dep.Path, version: dep.Version, sum: dep.Sum}
		if m.terms, err = readTerms(dirs[dep.Path]); err != nil {
			return nil, err
		}
		if len(m.terms) == 0 {
			return nil, fmt.Errorf("module %s has no licence", m.path)
		}
		modules = append(modules, m)
	}
	return modules, nil
}

func goEnv(ctx context.Context, name string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", name).Output()
	return strings.TrimSpace(string(out)), err
}

// moduleDirs tells where the modules lie on this machine.
func moduleDirs(ctx context.Context) (map[string]string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-json=Path,Dir", "all").Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m: %w", err)
	}
	dirs := map[string]string{}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var m struct{ Path, Dir string }
		if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
			return dirs, nil
		} else if err != nil {
			return nil, err
		}
		dirs[m.Path] = m.Dir
	}
}

var termsName = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|notice|copyright|patents)([.-].*)?$`)

// readTerms reads the licences at the top of a module.
func readTerms(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var terms []string
	for _, e := range entries {
		if e.IsDir() || !termsName.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		terms = append(terms, string(text))
	}
	slices.Sort(terms)
	return terms, nil
}
