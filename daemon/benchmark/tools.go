//go:build !windows

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// checkout is where spinsync's own module lies, seen from this one.
const checkout = "../.."

// build compiles spinsync and the measuring tools into the scratch directory.
func (b *bench) build(ctx context.Context) error {
	bin := filepath.Join(b.work, "bin") + string(filepath.Separator)
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(b.tools, "sink")); err != nil {
		return fmt.Errorf("the measuring tools are not at %s: %w; name their directory with -tools", b.tools, err)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	b.self = self
	if err := compile(ctx, checkout, bin, "./cmd/spinsync"); err != nil {
		return err
	}
	return compile(ctx, b.tools, bin, "./...")
}

func compile(ctx context.Context, dir, bin, what string) error {
	c := exec.CommandContext(ctx, "go", "build", "-o", bin, what)
	c.Dir, c.Stderr, c.Env = dir, os.Stderr, append(os.Environ(), "CGO_ENABLED=0")
	if err := c.Run(); err != nil {
		return fmt.Errorf("build %s in %s: %w", what, dir, err)
	}
	return nil
}

func (b *bench) tool(name string) string { return filepath.Join(b.work, "bin", name) }

// onPath reports whether a peer is installed.
func onPath(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}
