package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A release is one version of the program on its way to dist.
type release struct {
	options
	work      string
	version   string    // without the v in front
	goVersion string    // of the Go that compiles
	time      time.Time // of everything that has one
	targets   []target
	modules   []module            // that the programs are made of
	terms     map[string][]string // the licences of each, and what else it wants handed on
}

// A target is a system and an architecture, as Go names them.
type target struct{ system, arch string }

func (t target) String() string { return t.system + "/" + t.arch }

// executable is the program's file name.
func (t target) executable() string {
	if t.system == "windows" {
		return "spinsync.exe"
	}
	return "spinsync"
}

// newRelease builds the program for this machine and asks it for its version.
func newRelease(ctx context.Context, o options, work string) (*release, error) {
	r := &release{options: o, work: work}
	for _, name := range o.targets {
		system, arch, ok := strings.Cut(name, "/")
		if !ok {
			return nil, fmt.Errorf("target %q: it is written like linux/amd64", name)
		}
		r.targets = append(r.targets, target{system, arch})
	}
	if err := r.compile(ctx, target{runtime.GOOS, runtime.GOARCH}); err != nil {
		return nil, err
	}
	info, err := buildinfo.ReadFile(r.host())
	if err != nil {
		return nil, err
	}
	r.version, r.goVersion = versionOf(info.Main.Version), info.GoVersion
	if r.time, err = releaseTime(os.Getenv("SOURCE_DATE_EPOCH"), info); err != nil {
		return nil, err
	}
	return r, nil
}

// host is the program that this machine can run.
func (r *release) host() string { return r.binary(target{runtime.GOOS, runtime.GOARCH}) }

func (r *release) binary(t target) string {
	return filepath.Join(r.work, t.system+"_"+t.arch, t.executable())
}

// compilation are the settings that reach into the bytes of a program. All others are Go's own, of
// its version.
var compilation = []string{
	"CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off", "GOFLAGS=-trimpath", "GOWORK=off",
}

// compile builds the program once for a target.
func (r *release) compile(ctx context.Context, t target) error {
	if _, err := os.Stat(r.binary(t)); err == nil {
		return nil
	}
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=auto", "-ldflags=-s -w",
		"-o", r.binary(t), "./cmd/spinsync")
	return execute("build for "+t.String(), c, append(compilation, "GOOS="+t.system, "GOARCH="+t.arch)...)
}

// execute runs a program with more variables in its environment. The error holds what it printed.
func execute(what string, c *exec.Cmd, env ...string) error {
	c.Env = append(os.Environ(), env...)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", what, err, out)
	}
	return nil
}

// epoch is the variable from which other programs take the release's time.
func (r *release) epoch() string { return fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix()) }

// versionOf is what packages are named after. A build that does not know its commit is version 0.
func versionOf(recorded string) string {
	if recorded == "" || recorded == "(devel)" {
		return "0.0.0"
	}
	return strings.TrimPrefix(recorded, "v")
}

// releaseTime is SOURCE_DATE_EPOCH, else the time of the commit.
func releaseTime(epoch string, info *buildinfo.BuildInfo) (time.Time, error) {
	if epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
		}
		return time.Unix(seconds, 0).UTC(), nil
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			return time.Parse(time.RFC3339, s.Value)
		}
	}
	return time.Time{}, errors.New("the time of the commit is not known; set SOURCE_DATE_EPOCH")
}

// windowsVersion returns a version as the Windows Installer compares it, and the version after it:
// three numbers and nothing else. Builds between two releases count the days since 2020 instead.
func windowsVersion(version string, built time.Time) (this, next string) {
	numbers := regexp.MustCompile(`^(\d+)\.(\d+)\.(\d+)`).FindStringSubmatch(version)
	if numbers == nil {
		numbers = []string{"", "0", "0", "0"}
	}
	patch, _ := strconv.Atoi(numbers[3])
	if strings.HasPrefix(version, "0.0.0") {
		patch = int(built.Sub(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)).Hours() / 24)
	}
	minor := numbers[1] + "." + numbers[2] + "."
	return minor + strconv.Itoa(patch), minor + strconv.Itoa(patch+1)
}
