package image

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"go.yaml.in/yaml/v3"
)

// made builds an image of a program that is no program, which lies somewhere else each time.
func made(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "spinsync")
	if err := os.WriteFile(program, []byte("program"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Out: filepath.Join(dir, "image.tar"), Arch: "arm64", Version: "1.2.3+dirty", Time: time.Unix(1700000000, 0).UTC(),
		Zones:   filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"),
		Program: program, Texts: []string{filepath.Join("..", "..", "..", "LICENSE")},
	}
	if err := Build(o); err != nil {
		t.Fatal(err)
	}
	return o.Out
}

// TestSameInputGivesTheSameBytes builds twice and compares.
func TestSameInputGivesTheSameBytes(t *testing.T) {
	first, err := os.ReadFile(made(t))
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(made(t))
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("a second build differs (%v)", err)
	}
}

// TestBothTablesOfContents: docker's manifest.json and the OCI index lead to one and the same whole
// image.
func TestBothTablesOfContents(t *testing.T) {
	path := made(t)
	docker, err := tarball.ImageFromPath(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	index, err := layout.ImageIndexFromPath(unpacked(t, path))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(validate.Image(docker), validate.Index(index)); err != nil {
		t.Error(err)
	}
	contents, err := index.IndexManifest()
	const ref = "org.opencontainers.image.ref.name"
	if err != nil || len(contents.Manifests) != 2 || contents.Manifests[0].Annotations[ref] != "1.2.3-dirty" {
		t.Fatalf("the index is %+v, %v", contents, err)
	}
	oci, err := index.Image(contents.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	one, err := docker.ConfigName()
	other, failed := oci.ConfigName()
	if one != other || err != nil || failed != nil {
		t.Errorf("docker would load %s, others %s (%v, %v)", one, other, err, failed)
	}
	config, err := oci.ConfigFile()
	if err != nil || config.Architecture != "arm64" || config.Config.User != "65532:65532" || config.Config.Healthcheck == nil {
		t.Errorf("the settings are %+v, %v", config, err)
	}
}

func unpacked(t *testing.T, path string) string {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for name, entry := range entries(t, f) {
		target := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, entry.data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// entry is the header of a file in a tar.
type entry struct {
	*tar.Header
	data []byte
}

func entries(t *testing.T, r io.Reader) map[string]entry {
	t.Helper()
	all := map[string]entry{}
	for archive := tar.NewReader(r); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(header.Name, "/")] = entry{header, data}
	}
}

// TestComposeFitsTheImage: docs/compose.yaml has the health check of the image, and mounts where
// the program reads and writes.
func TestComposeFitsTheImage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var compose struct {
		Services map[string]struct {
			User, Image string
			Volumes     []string
			Healthcheck struct {
				Test              []string
				Interval, Timeout time.Duration
				StartPeriod       time.Duration `yaml:"start_period"`
			}
		}
	}
	if err := yaml.Unmarshal(text, &compose); err != nil {
		t.Fatal(err)
	}
	service, own := compose.Services["spinsync"], settings(Options{}).Healthcheck
	check := service.Healthcheck
	if !slices.Equal(check.Test, own.Test) || check.Interval != own.Interval || check.Timeout != own.Timeout ||
		check.StartPeriod != own.StartPeriod {
		t.Errorf("compose.yaml checks by %+v, the image by %+v", check, own)
	}
	image, err := tarball.ImageFromPath(made(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	files := filesOf(t, image)
	for _, volume := range service.Volumes[:2] {
		if place := strings.Split(volume, ":")[1]; files[strings.TrimPrefix(place, "/")].Header == nil {
			t.Errorf("the image has no %s", place)
		}
	}
	if service.Image != repository+":latest" || service.User == "" {
		t.Errorf("compose.yaml runs %q as %q", service.Image, service.User)
	}
}

// TestNothingElseIsInIt: the program, its licences, certificates that verify, zones that are read,
// and places for volumes that any user may write to.
func TestNothingElseIsInIt(t *testing.T) {
	image, err := tarball.ImageFromPath(made(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	files := filesOf(t, image)
	for name, f := range files {
		if f.Typeflag == tar.TypeReg &&
			!strings.HasPrefix(name, "usr/share/zoneinfo/") && !strings.HasPrefix(name, "usr/share/doc/spinsync/") &&
			name != "usr/bin/spinsync" && name != "etc/ssl/certs/ca-certificates.crt" {
			t.Errorf("%s is in it", name)
		}
		if f.Uid != 0 || f.Gid != 0 || !f.ModTime.Equal(time.Unix(1700000000, 0)) {
			t.Errorf("%s belongs to %d:%d and is of %s", name, f.Uid, f.Gid, f.ModTime)
		}
	}
	for name, mode := range map[string]int64{
		"usr/bin/spinsync": 0o755, "etc/spinsync": 0o755, "var/lib/spinsync": 0o1777, "tmp": 0o1777, "usr": 0o755,
	} {
		if f, ok := files[name]; !ok || f.Mode != mode {
			t.Errorf("%s is there: %t, with mode %o, want %o", name, ok, f.Mode, mode)
		}
	}
	if pool := x509.NewCertPool(); !pool.AppendCertsFromPEM(files["etc/ssl/certs/ca-certificates.crt"].data) {
		t.Error("there are no certificates")
	}
	zone, err := time.LoadLocationFromTZData("Europe/Berlin", files["usr/share/zoneinfo/Europe/Berlin"].data)
	if err != nil || time.Unix(1700000000, 0).In(zone).Format("15:04 MST") != "23:13 CET" {
		t.Errorf("the zone of Berlin is %v, %v", zone, err)
	}
}

func filesOf(t *testing.T, image v1.Image) map[string]entry {
	t.Helper()
	flat := mutate.Extract(image)
	defer flat.Close()
	return entries(t, flat)
}
