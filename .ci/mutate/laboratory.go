package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A verdict is the end of a trial, with the test that killed the mutant.
type verdict struct{ end, by string }

const (
	killed    = "killed by"
	survived  = "SURVIVED"
	explained = "survived, explained"
	unsure    = "not judged:"
	unclear   = ", but without the mutant too, or not again with it"
)

// A laboratory tries mutants of a module. They are built all at once; the environment turns one on.
type laboratory struct {
	module, dir string // for what is built
	seed        uint64
	most        int // mutants at once
	programs    map[string][]*program
}

// A program is a test, or all tests of a package that are quick together.
type program struct {
	tests, file, test string // test is empty for all
	properties        bool   // by rapid, which writes what fails into the tree unless a flag forbids it
	took              time.Duration
	reaches           map[int]bool // the mutants whose code it runs
}

// build builds the tests of all packages that mutants need, and runs each test without a mutant.
func (l *laboratory) build(ctx context.Context, jobs int, mutants []mutant) error {
	var all []*program
	l.programs = map[string][]*program{}
	for _, m := range mutants {
		for _, tests := range m.suite.tests {
			if _, ok := l.programs[tests]; ok {
				continue
			}
			programs, err := l.buildTests(ctx, tests)
			if err != nil {
				return err
			}
			l.programs[tests] = programs
			all = append(all, programs...)
		}
	}
	each(jobs, all, func(p *program) { l.rehearse(ctx, p) })
	return nil
}

func (l *laboratory) buildTests(ctx context.Context, tests string) (all []*program, err error) {
	file := filepath.Join(l.dir, strings.ReplaceAll(tests, "/", "-")+".test")
	cmd := l.command(ctx, "", "go", "test", "-c", "-vet=off", "-overlay="+l.overlay(), "-o="+file, "./"+tests)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the tests of %s: %w\n%s", tests, err, out)
	}
	code, err := os.ReadFile(file)
	if err != nil {
		return nil, nil // it has no test
	}
	list := []string{""}
	if slices.Contains(slow, tests) {
		out, err := l.command(ctx, tests, file, "-test.list=.").Output()
		if err != nil {
			return nil, fmt.Errorf("list the tests of %s: %w", tests, err)
		}
		list = strings.Fields(string(out))
	}
	for _, test := range list {
		all = append(all, &program{
			tests: tests, file: file, test: test, properties: bytes.Contains(code, []byte("rapid.nofailfile")),
		})
	}
	return all, nil
}

// rehearse runs a program without a mutant and notes what it reaches: nothing if it fails.
func (l *laboratory) rehearse(ctx context.Context, p *program) {
	notes := filepath.Join(l.dir, strings.ReplaceAll(p.tests, "/", "-")+"."+p.test)
	start := time.Now()
	if err := l.makeNotes(notes); err != nil {
		fmt.Printf("%s is left out: %v\n", p.tests, err)
		return
	}
	if failed := l.run(ctx, p, []string{p.test}, 2*time.Minute, "MUTANTS_REACHED="+notes); failed != "" {
		fmt.Printf("%s %s fails without a mutant and is left out\n", p.tests, failed)
		return
	}
	p.took, p.reaches = time.Since(start), map[int]bool{}
	text, _ := os.ReadFile(notes)
	for line := range strings.Lines(string(text)) {
		id, _ := strconv.Atoi(strings.TrimSpace(line))
		p.reaches[id] = true
	}
}

// makeNotes makes the file in which a test notes the mutants that it reaches. A test of access rights runs
// as another user, who writes there too.
func (l *laboratory) makeNotes(name string) error {
	return errors.Join(os.Chmod(l.dir, 0o711), os.WriteFile(name, nil, 0o600), os.Chmod(name, 0o666))
}

// try runs the fitting tests on a mutant until one fails.
func (l *laboratory) try(ctx context.Context, m mutant) verdict {
	for _, tests := range m.suite.tests {
		var names []string
		var last *program
		var took time.Duration
		for _, p := range l.programs[tests] {
			if p.reaches[m.id] {
				names, last = append(names, p.test), p
				took += p.took
			}
		}
		if len(names) == 0 {
			continue
		}
		limit := 15*time.Second + 4*took
		failed := l.run(ctx, last, names, limit, l.turnOn(m))
		switch {
		case failed == "":
			continue
		case l.guilty(ctx, last, names, failed, limit, m):
			return verdict{killed, tests + " " + failed}
		}
		return verdict{unsure, failed + unclear}
	}
	return verdict{end: survived}
}

func (l *laboratory) turnOn(m mutant) string { return fmt.Sprint("MUTANT=", m.id) }

// guilty reports whether a mutant is to blame: nothing fails without it, and the test fails again
// with it. A panic or a time-out that names no test is tried without it only.
func (l *laboratory) guilty(
	ctx context.Context, p *program, names []string, failed string, limit time.Duration, m mutant,
) bool {
	if !strings.HasPrefix(failed, "Test") {
		return l.run(ctx, p, names, limit) == ""
	}
	test := []string{failed}
	return l.run(ctx, p, test, limit) == "" && l.run(ctx, p, test, limit, l.turnOn(m)) != ""
}

var failure = regexp.MustCompile(`(?m)^--- FAIL: (\w+)|^(panic: .*)|^(fatal error: .*)`)

// run runs some tests of a program and returns what failed; empty for nothing.
func (l *laboratory) run(
	ctx context.Context, p *program, names []string, limit time.Duration, environment ...string,
) string {
	args := []string{"-test.short", "-test.failfast", "-test.parallel=8", fmt.Sprint("-test.timeout=", limit)}
	if args = append(args, argumentsOf(p.tests, l.seed)...); p.tests != simulation && names[0] != "" {
		args = append(args, "-test.run=^("+strings.Join(names, "|")+")$")
	}
	if p.properties {
		args = append(args, "-rapid.nofailfile")
	}
	cmd := l.command(ctx, p.tests, p.file, args...)
	cmd.Env = append(os.Environ(), environment...)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	if found := failure.FindSubmatch(out); found != nil {
		return string(bytes.Join(found[1:], nil))
	}
	return err.Error()
}

// command is a command in a directory of the module.
func (l *laboratory) command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.WaitDelay = filepath.Join(l.module, filepath.FromSlash(dir)), time.Second
	return cmd
}
