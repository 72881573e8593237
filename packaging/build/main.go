// Command build makes everything that is handed out, into dist/: archives for every system, deb,
// rpm and MSI, container images, manifests for Homebrew, Scoop and winget, bills of materials and
// checksums. The same commit and the same Go, which it prints, give the same bytes on every
// machine: times are those of the commit, or of SOURCE_DATE_EPOCH.
//
//	go run -C packaging/build .
//
// It is a module of its own, so that what it needs stays out of the program's go.mod. It needs Go,
// the network once for its modules and nfpm, wixl for the MSI, and ssh-keygen for the signature
// that -sign asks for. It publishes nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/sync/errgroup"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var o options
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	flags.StringVar(&o.dist, "o", "dist", "put everything into this directory, whose earlier build is removed")
	flags.StringVar(&o.url, "url", "https://example.com/spinsync",
		"where the files of the directory will be found, for the manifests")
	flags.StringVar(&o.homepage, "homepage", "https://example.com/spinsync", "the project's page, for the packages")
	flags.StringVar(&o.maintainer, "maintainer", "The spinsync authors <spinsync@example.com>",
		"who makes the packages")
	flags.StringVar(&o.key, "sign", "",
		"sign the checksums with this private key of ssh, or with the agent's key of this public one")
	targets := flags.String("targets", strings.Join(allTargets, ","), "the systems to build for")
	if err := flags.Parse(args); err != nil {
		return err
	}
	o.targets = strings.Split(*targets, ",")
	if err := enterSources(); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "spinsync-build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	return build(ctx, o, work)
}

// options are the flags.
type options struct {
	dist, url, homepage, maintainer, key string
	targets                              []string
}

var allTargets = []string{
	"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64",
}

// enterSources goes to the directory with the program's sources, from which all paths of this
// program start.
func enterSources() error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	for filepath.Dir(dir) != dir {
		if _, err := os.Stat(filepath.Join(dir, "cmd", "spinsync")); err == nil {
			return os.Chdir(dir)
		}
		dir = filepath.Dir(dir)
	}
	return errors.New("not among the sources of spinsync; run it from there")
}

// build goes from the sources to dist, one kind of file after the other.
func build(ctx context.Context, o options, work string) error {
	if err := freshDirectory(o.dist); err != nil {
		return err
	}
	r, err := newRelease(ctx, o, work)
	if err != nil {
		return err
	}
	if err := findInstallerTool(r.targets); err != nil {
		return err
	}
	fmt.Println("spinsync", r.version, "by", r.goVersion)
	for _, t := range r.targets {
		if err := r.compile(ctx, t); err != nil {
			return err
		}
	}
	if err := r.findModules(ctx); err != nil {
		return err
	}
	if err := r.makeTexts(ctx); err != nil {
		return err
	}
	if err := r.pack(ctx); err != nil {
		return err
	}
	if err := r.makeManifests(); err != nil {
		return err
	}
	if err := writeChecksums(o.dist); err != nil || o.key == "" {
		return err
	}
	return sign(ctx, o.dist, o.key)
}

// distName is what the files of a dist are called.
var distName = regexp.MustCompile(`^(spinsync[_.-].*|winget\.yaml|SHA256SUMS(\.sig)?)$`)

// freshDirectory makes a directory, or empties a directory that holds an earlier build and nothing
// else.
func freshDirectory(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || !distName.MatchString(e.Name()) {
			return fmt.Errorf("%s holds %s, which no build put there; name another directory with -o", path, e.Name())
		}
	}
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	return os.MkdirAll(path, 0o755)
}

// pack makes the packages of each target, several at a time.
func (r *release) pack(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(2)
	for _, t := range r.targets {
		g.Go(func() error { return r.makeArchives(t) })
		g.Go(func() error { return r.makeBill(t) })
		switch {
		case t.system == "linux":
			g.Go(func() error { return r.makeLinuxPackages(ctx, t) })
			g.Go(func() error { return r.makeImage(ctx, t) })
		case t == installerTarget:
			g.Go(func() error { return r.makeInstaller(ctx, t) })
		}
	}
	return g.Wait()
}
