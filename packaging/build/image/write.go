package image

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// writeImage writes an OCI layout and docker's own table of contents as one tar.
func writeImage(w io.Writer, image v1.Image, o Options) error {
	dir, err := os.MkdirTemp("", "spinsync-image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	place, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	for _, tag := range tags(o.Version) {
		if err := place.AppendImage(image, layout.WithAnnotations(map[string]string{
			"org.opencontainers.image.ref.name": tag,
			"io.containerd.image.name":          "docker.io/library/" + repository + ":" + tag,
		}), layout.WithPlatform(v1.Platform{OS: "linux", Architecture: o.Arch})); err != nil {
			return err
		}
	}
	contents, err := dockerContents(image, o)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), contents, 0o644); err != nil {
		return err
	}
	return packDirectory(w, dir, o)
}

// dockerContents is the manifest.json that `docker load` needs.
func dockerContents(image v1.Image, o Options) ([]byte, error) {
	manifest, err := image.Manifest()
	if err != nil {
		return nil, err
	}
	type contents struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	blob := func(d v1.Descriptor) string { return "blobs/" + d.Digest.Algorithm + "/" + d.Digest.Hex }
	c := contents{Config: blob(manifest.Config)}
	for _, tag := range tags(o.Version) {
		c.RepoTags = append(c.RepoTags, repository+":"+tag)
	}
	for _, layer := range manifest.Layers {
		c.Layers = append(c.Layers, blob(layer))
	}
	return json.Marshal([]contents{c})
}

// packDirectory packs the files of a directory, sorted by name.
func packDirectory(w io.Writer, dir string, o Options) error {
	var files []file
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		files = append(files, file{name, 0o644, data})
		return err
	})
	if err != nil {
		return err
	}
	return writeTar(w, files, o.Time)
}
