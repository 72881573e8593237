// Package image makes an OCI image of the program for one architecture. It holds the program, the
// certificates of the public authorities as Mozilla trusts them, the time zones of Go, and nothing
// else. The same input gives the same bytes.
//
// The file is an OCI layout in a tar, which podman, skopeo and containerd read, and holds the
// manifest.json by which `docker load` of any age finds the same blobs.
package image

import (
	"errors"
	"os"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Options are what goes into an image.
type Options struct {
	Out     string    // the file to write
	Arch    string    // of the program, as Go names it
	Version string    // of the program
	Program string    // its file
	Zones   string    // zoneinfo.zip of Go
	Texts   []string  // files to hand on
	Time    time.Time // of everything in the image
}

// Build writes an image.
func Build(o Options) error {
	image, err := newImage(o)
	if err != nil {
		return err
	}
	f, err := os.Create(o.Out)
	if err != nil {
		return err
	}
	return errors.Join(writeImage(f, image, o), f.Close())
}

// newImage has a layer that changes seldom, and one with the program.
func newImage(o Options) (v1.Image, error) {
	ground, err := groundFiles(o)
	if err != nil {
		return nil, err
	}
	program, err := programFiles(o)
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	for _, files := range [][]file{ground, program} {
		layer, err := newLayer(files, o.Time)
		if err != nil {
			return nil, err
		}
		history := v1.History{Created: v1.Time{Time: o.Time}, CreatedBy: "packaging/build/image"}
		addendum := mutate.Addendum{Layer: layer, MediaType: types.OCILayer, History: history}
		if image, err = mutate.Append(image, addendum); err != nil {
			return nil, err
		}
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created, config.Config = "linux", o.Arch, v1.Time{Time: o.Time}, settings(o)
	return mutate.ConfigFile(image, config)
}

// settings are how a container runs by default. Its user has no rights, and no name.
func settings(o Options) v1.Config {
	return v1.Config{
		User: "65532:65532", WorkingDir: "/", Env: []string{"PATH=/usr/bin"},
		Entrypoint: []string{"/usr/bin/spinsync"}, Cmd: []string{"run"},
		Volumes: map[string]struct{}{"/var/lib/spinsync": {}}, ExposedPorts: map[string]struct{}{"8360/tcp": {}},
		// The times are those of docs/compose.yaml.
		Healthcheck: &v1.HealthConfig{
			Test:     []string{"CMD", "/usr/bin/spinsync", "status", "--health"},
			Interval: time.Minute, Timeout: 40 * time.Second, StartPeriod: time.Minute, Retries: 3,
		},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "spinsync",
			"org.opencontainers.image.version":     o.Version,
			"org.opencontainers.image.licenses":    "MIT",
			"org.opencontainers.image.description": "from photo folders to published 360 degree views",
			"org.opencontainers.image.created":     o.Time.Format(time.RFC3339),
		},
	}
}

// repository is what the image is called once it is loaded.
const repository = "spinsync"

// tags follow the name. None of them takes a plus sign.
func tags(version string) []string { return []string{strings.ReplaceAll(version, "+", "-"), "latest"} }
