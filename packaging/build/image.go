package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"strconv"
)

// imageModule is a module of its own and run from its sources, so that the modules for making an
// image stay out of go.mod.
const imageModule = "packaging/image"

// makeImage makes the OCI image of a Linux program.
func (r *release) makeImage(ctx context.Context, t target) error {
	root, err := goEnv(ctx, "GOROOT")
	if err != nil {
		return err
	}
	out, err := filepath.Abs(filepath.Join(r.dist, r.dir(t)+".oci.tar"))
	if err != nil {
		return err
	}
	licence, err := filepath.Abs("LICENSE")
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, "go", "run", "-C", imageModule, "-trimpath", ".",
		"-o", out, "-arch", t.arch, "-version", r.version, "-time", strconv.FormatInt(r.time.Unix(), 10),
		"-program", r.binary(t), "-zones", filepath.Join(root, "lib", "time", "zoneinfo.zip"),
		"-text", licence, "-text", r.texts("THIRD-PARTY.txt"))
	return execute("image for "+t.String(), c, "GOFLAGS=", "CGO_ENABLED=0")
}
