package image

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// A file of the image, which belongs to root. Its name has no slash in front; that of a directory
// has one behind it.
type file struct {
	name string
	mode int64
	data []byte
}

// groundFiles are the files that the program finds on any system: certificates, time zones, and
// places for its settings, its state and temporary files. The last two are open to any user the
// container is given, as a volume takes over their rights.
func groundFiles(o Options) ([]file, error) {
	files := []file{
		{"etc/spinsync/", 0o755, nil}, {"var/lib/spinsync/", 0o1777, nil}, {"tmp/", 0o1777, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, certificates()},
	}
	zones, err := zip.OpenReader(o.Zones)
	if err != nil {
		return nil, fmt.Errorf("time zones: %w", err)
	}
	defer zones.Close()
	for _, zone := range zones.File {
		if strings.HasSuffix(zone.Name, "/") {
			continue
		}
		data, err := readZone(zone)
		if err != nil {
			return nil, fmt.Errorf("time zone %s: %w", zone.Name, err)
		}
		files = append(files, file{"usr/share/zoneinfo/" + zone.Name, 0o644, data})
	}
	return files, nil
}

func readZone(zone *zip.File) ([]byte, error) {
	r, err := zone.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// certificates are the roots that Mozilla trusts without conditions, in PEM form, which has no place
// for conditions.
func certificates() []byte {
	var text bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})
		}
	}
	return text.Bytes()
}

// programFiles are the program, and the licences that ask to be handed on with it.
func programFiles(o Options) ([]file, error) {
	program, err := os.ReadFile(o.Program)
	if err != nil {
		return nil, err
	}
	files := []file{{"usr/bin/spinsync", 0o755, program}}
	for _, name := range o.Texts {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"usr/share/doc/spinsync/" + filepath.Base(name), 0o644, text})
	}
	return files, nil
}

// newLayer packs files with the directories above them, sorted by name.
func newLayer(files []file, modified time.Time) (v1.Layer, error) {
	var packed bytes.Buffer
	if err := writeTar(&packed, withParents(files), modified); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(packed.Bytes())), nil
	})
}

func writeTar(w io.Writer, files []file, modified time.Time) error {
	archive := tar.NewWriter(w)
	for _, f := range files {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode,
			Size: int64(len(f.data)), ModTime: modified, Format: tar.FormatUSTAR,
		}
		if strings.HasSuffix(f.name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(f.data); err != nil {
			return err
		}
	}
	return archive.Close()
}

func withParents(files []file) []file {
	named := map[string]file{}
	for _, f := range files {
		named[f.name] = f
		for dir := path.Dir(strings.TrimSuffix(f.name, "/")); dir != "."; dir = path.Dir(dir) {
			if _, ok := named[dir+"/"]; !ok {
				named[dir+"/"] = file{dir + "/", 0o755, nil}
			}
		}
	}
	all := make([]file, 0, len(named))
	for _, f := range named {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return all
}
