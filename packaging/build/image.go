package main

import (
	"context"
	"fmt"
	"path/filepath"

	"spinsync/packaging/build/image"
)

// makeImage makes the OCI image of a Linux program.
func (r *release) makeImage(ctx context.Context, t target) error {
	root, err := goEnv(ctx, "GOROOT")
	if err != nil {
		return err
	}
	err = image.Build(image.Options{
		Out:     filepath.Join(r.dist, r.dir(t)+".oci.tar"),
		Arch:    t.arch,
		Version: r.version,
		Program: r.binary(t),
		Zones:   filepath.Join(root, "lib", "time", "zoneinfo.zip"),
		Texts:   []string{"LICENSE", r.texts("THIRD-PARTY.txt")},
		Time:    r.time,
	})
	if err != nil {
		return fmt.Errorf("image for %s: %w", t, err)
	}
	return nil
}
