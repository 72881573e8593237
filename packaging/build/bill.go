package main

import (
	"debug/buildinfo"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/licensecheck"
	"github.com/google/uuid"
)

// bill is a bill of materials in the form of CycloneDX 1.5.
type bill struct {
	Format       string      `json:"bomFormat"`
	SpecVersion  string      `json:"specVersion"`
	SerialNumber string      `json:"serialNumber"`
	Version      int         `json:"version"`
	Metadata     billMeta    `json:"metadata"`
	Components   []component `json:"components"`
}

type billMeta struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	URL        string     `json:"purl"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licenses   []licence  `json:"licenses,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A licence is one choice of CycloneDX, by its name in the list of SPDX.
type licence struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

// patents is licensecheck's name for the grant that comes with Go's licence. SPDX has no licence of
// that name.
const patents = "GooglePatentsFile"

// licencesOf names the licences in the texts; THIRD-PARTY.txt holds all of them.
func licencesOf(terms []string) []licence {
	var found []licence
	for _, text := range terms {
		for _, match := range licensecheck.Scan([]byte(text)).Match {
			var l licence
			l.License.ID = match.ID
			if match.ID != patents && !slices.Contains(found, l) {
				found = append(found, l)
			}
		}
	}
	return found
}

// makeBill lists the modules of one program, as the program itself records them.
func (r *release) makeBill(t target) error {
	info, err := buildinfo.ReadFile(r.binary(t))
	if err != nil {
		return err
	}
	b := r.billOf(t, info)
	sum, err := digest(r.binary(t))
	if err != nil {
		return err
	}
	b.Metadata.Component.Hashes = []hash{{"SHA-256", sum}}
	data, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.dist, r.dir(t)+".cdx.json"), append(data, '\n'), 0o644)
}

func (r *release) billOf(t target, info *buildinfo.BuildInfo) bill {
	program := newComponent("application", "spinsync", r.version)
	for _, s := range info.Settings {
		program.Properties = append(program.Properties, property{"go:build:" + s.Key, s.Value})
	}
	var components []component
	for _, m := range linked(info) {
		c := newComponent("library", m.path, m.version)
		if m.sum != "" {
			c.Properties = []property{{"go:sum", m.sum}}
		}
		c.Licenses = licencesOf(r.terms[m.path])
		components = append(components, c)
	}
	return bill{
		Format: "CycloneDX", SpecVersion: "1.5", Version: 1,
		SerialNumber: "urn:uuid:" + uuid.NewSHA1(installerSpace, []byte(r.dir(t))).String(),
		Metadata:     billMeta{r.time.UTC().Format(time.RFC3339), program},
		Components:   components,
	}
}

func newComponent(kind, name, version string) component {
	address := "pkg:golang/" + name + "@" + url.QueryEscape(version)
	return component{Type: kind, Ref: address, Name: name, Version: version, URL: address}
}
