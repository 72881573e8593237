package main

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

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
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// makeBill lists what is linked into one program, as the program itself records it.
func (r *release) makeBill(t target) error {
	info, err := buildinfo.ReadFile(r.binary(t))
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(r.billOf(t, info), "", "  ")
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
	components := []component{newComponent("library", "std", info.GoVersion)}
	for _, dep := range info.Deps {
		c := newComponent("library", dep.Path, dep.Version)
		c.Properties = []property{{"go:sum", dep.Sum}}
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
	url := "pkg:golang/" + name + "@" + version
	return component{Type: kind, Ref: url, Name: name, Version: version, URL: url}
}
