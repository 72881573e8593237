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

// A module is linked into a program.
type module struct{ path, version, sum string }

// linked returns the modules of a program, Go's standard library the first, and those that replace
// others in their place.
func linked(info *buildinfo.BuildInfo) []module {
	modules := []module{{path: "std", version: strings.TrimPrefix(info.GoVersion, "go")}}
	for _, dep := range info.Deps {
		if dep.Replace != nil {
			dep = dep.Replace
		}
		modules = append(modules, module{dep.Path, dep.Version, dep.Sum})
	}
	return modules
}

// findModules fills in what the programs of all targets are made of, and its licences. Some systems
// need modules of their own.
func (r *release) findModules(ctx context.Context) error {
	root, err := goEnv(ctx, "GOROOT")
	if err != nil {
		return err
	}
	dirs, err := moduleDirs(ctx)
	if err != nil {
		return err
	}
	dirs["std"] = root
	r.terms = map[string][]string{}
	for _, t := range r.targets {
		info, err := buildinfo.ReadFile(r.binary(t))
		if err != nil {
			return err
		}
		for _, m := range linked(info) {
			if _, known := r.terms[m.path]; known {
				continue
			}
			terms, err := readTerms(dirs[m.path])
			if err != nil {
				return err
			}
			if len(licencesOf(terms)) == 0 {
				return fmt.Errorf("module %s has no licence that is known", m.path)
			}
			r.modules, r.terms[m.path] = append(r.modules, m), terms
		}
	}
	slices.SortFunc(r.modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return nil
}

func goEnv(ctx context.Context, name string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", name).Output()
	return strings.TrimSpace(string(out)), err
}

// moduleDirs finds where the modules lie on this machine.
func moduleDirs(ctx context.Context) (map[string]string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-json=Path,Dir,Replace", "all").Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m: %w", err)
	}
	dirs := map[string]string{}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var m struct {
			Path, Dir string
			Replace   *struct{ Path string }
		}
		if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
			return dirs, nil
		} else if err != nil {
			return nil, err
		}
		if m.Replace != nil {
			m.Path = m.Replace.Path
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
