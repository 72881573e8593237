package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// A manifest is what the templates of Homebrew, Scoop and winget see.
type manifest struct{ r *release }

func (m manifest) Version() string     { return m.r.version }
func (m manifest) Homepage() string    { return m.r.homepage }
func (m manifest) ProductCode() string { return "{" + m.r.productCode() + "}" }

// Dir is the directory at the top of an archive.
func (m manifest) Dir(system, arch string) string { return m.r.dir(target{system, arch}) }

// URL is where a file of dist will be found.
func (m manifest) URL(system, arch, ending string) string {
	return strings.TrimSuffix(m.r.url, "/") + "/" + m.Dir(system, arch) + "." + ending
}

// SHA256 is the digest of a file of dist.
func (m manifest) SHA256(system, arch, ending string) (string, error) {
	return digest(filepath.Join(m.r.dist, m.Dir(system, arch)+"."+ending))
}

// makeManifests fills in the templates. They name archives of every system, so that all of them
// have to be there.
func (r *release) makeManifests() error {
	if len(r.targets) != len(allTargets) {
		return nil
	}
	for _, name := range []string{"spinsync.rb", "spinsync.json", "winget.yaml"} {
		t, err := template.ParseFiles(filepath.Join("packaging", "templates", name))
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := t.Execute(&text, manifest{r}); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.dist, name), text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func digest(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// writeChecksums writes the digests of all files as sha256sum reads them.
func writeChecksums(dist string) error {
	entries, err := os.ReadDir(dist)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, e := range entries {
		sum, err := digest(filepath.Join(dist, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%s  %s\n", sum, e.Name())
	}
	return os.WriteFile(filepath.Join(dist, "SHA256SUMS"), []byte(lines.String()), 0o644)
}
