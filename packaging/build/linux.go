package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// nfpm is pinned and run from its sources, so that its many modules stay out of go.mod.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2"

// makeLinuxPackages makes the deb and the rpm.
func (r *release) makeLinuxPackages(ctx context.Context, t target) error {
	files := filepath.Join(r.work, "package_"+t.arch)
	if err := r.layOut(files, t); err != nil {
		return err
	}
	for _, kind := range []string{"deb", "rpm"} {
		c := exec.CommandContext(ctx, "go", "run", "-trimpath", nfpm, "package", "--config", "packaging/nfpm.yaml",
			"--packager", kind, "--target", r.dist)
		err := execute(kind+" for "+t.String(), c, "GOFLAGS=", "CGO_ENABLED=0",
			"ARCH="+t.arch, "VERSION="+r.version, "FILES="+files, "MAINTAINER="+r.maintainer,
			"HOMEPAGE="+r.homepage, r.epoch())
		if err != nil {
			return err
		}
	}
	return nil
}

// layOut puts what the packages take together, the texts compressed as they want them.
func (r *release) layOut(files string, t target) error {
	if err := os.CopyFS(files, os.DirFS(r.texts())); err != nil {
		return err
	}
	if err := os.Link(r.binary(t), filepath.Join(files, "spinsync")); err != nil {
		return err
	}
	pages, err := filepath.Glob(filepath.Join(files, "man", "*"))
	if err != nil {
		return err
	}
	for _, page := range pages {
		if err := compressText(page, page+".gz"); err != nil {
			return err
		}
	}
	if err := r.setTimes(files); err != nil {
		return err
	}
	return r.writeChangelog(files)
}

// setTimes gives all files the release's time, which nfpm takes over.
func (r *release) setTimes(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, r.time, r.time)
	})
}

// writeChangelog writes the one entry that Debian wants in its own form; people read CHANGELOG.md.
func (r *release) writeChangelog(files string) error {
	text := fmt.Sprintf("spinsync (%s-1) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n",
		strings.Replace(r.version, "-", "~", 1), r.maintainer, r.time.UTC().Format("Mon, 02 Jan 2006 15:04:05 -0700"))
	plain := filepath.Join(files, "changelog")
	if err := os.WriteFile(plain, []byte(text), 0o644); err != nil {
		return err
	}
	return compressText(plain, plain+".gz")
}
