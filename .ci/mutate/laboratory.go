package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A verdict is the end of a trial, with the test that killed the mutant.
type verdict struct{ end, by string }

const (
	killed    = "killed by"
	survived  = "SURVIVED"
	explained = "survived, explained"
	senseless = "does not compile"
	unsure    = "not judged:"
)

// longestTest ends a test that hangs because of a mutant. It is far more than any test takes.
const longestTest = 4 * time.Minute

// A laboratory tries mutants of a module.
type laboratory struct {
	module, dir string // dir is for what is built
	seed        uint64
}

// try runs the fitting tests on a mutant until one fails.
func (l *laboratory) try(ctx context.Context, m mutant) verdict {
	dir, err := l.write(m)
	if err != nil {
		return verdict{unsure, err.Error()}
	}
	defer os.RemoveAll(dir)
	for _, tests := range append([]string{m.suite.dir}, m.suite.also...) {
		program := filepath.Join(dir, path.Base(tests)+".test")
		overlay := "-overlay=" + filepath.Join(dir, "overlay.json")
		built := l.run(ctx, "", "go", "test", "-c", "-vet=off", overlay, "-o="+program, "./"+tests)
		if built != "" && ctx.Err() == nil {
			return verdict{end: senseless}
		}
		failed := ""
		if _, err := os.Stat(program); err == nil { // else the package has no test
			failed = l.test(ctx, tests, program)
		}
		alike := failed != "" && l.fails(ctx, tests, failed)
		switch {
		case ctx.Err() != nil:
			return verdict{unsure, ctx.Err().Error()}
		case alike:
			return verdict{unsure, failed + " fails without the mutant too"}
		case failed != "":
			return verdict{killed, tests + " " + failed}
		}
	}
	return verdict{end: survived}
}

// write writes the mutant, and what tells the compiler to take it in place of the true file.
func (l *laboratory) write(m mutant) (dir string, err error) {
	original := filepath.Join(l.module, filepath.FromSlash(m.file))
	text, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp(l.dir, ""); err != nil {
		return "", err
	}
	mutated := filepath.Join(dir, "mutant.go")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {original: mutated}})
	return dir, errors.Join(err, os.WriteFile(mutated, m.applied(text), 0o600),
		os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
}

// test runs the tests of a package, and returns what fails first; empty for nothing.
func (l *laboratory) test(ctx context.Context, tests, program string) string {
	args := []string{"-test.short", "-test.failfast", fmt.Sprint("-test.timeout=", longestTest)}
	return l.run(ctx, tests, program, append(args, argumentsOf(tests, l.seed)...)...)
}

// fails reports whether a test that killed a mutant fails without one too.
func (l *laboratory) fails(ctx context.Context, tests, test string) bool {
	if !strings.HasPrefix(test, "Test") {
		return false // a panic or a hang
	}
	args := []string{"test", "-vet=off", "-short", "./" + tests, "-run=^" + test + "$"}
	return l.run(ctx, "", "go", append(args, argumentsOf(tests, l.seed)...)...) != ""
}

var failure = regexp.MustCompile(`(?m)^--- FAIL: (\w+)|^(panic: .*)|^(fatal error: .*)`)

// run runs a command in a directory of the module, and returns what failed; empty for nothing.
func (l *laboratory) run(ctx context.Context, dir, name string, args ...string) string {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.WaitDelay = filepath.Join(l.module, filepath.FromSlash(dir)), time.Second
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	if found := failure.FindSubmatch(out); found != nil {
		return string(bytes.Join(found[1:], nil))
	}
	return err.Error()
}
