package main

import (
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"spinsync/packaging/unit"
)

// texts is the directory of the files that the program writes about itself.
func (r *release) texts(parts ...string) string {
	return filepath.Join(append([]string{r.work, "texts"}, parts...)...)
}

// makeTexts makes man pages, completions, the unit, and the terms of all that the program is made
// of.
func (r *release) makeTexts(ctx context.Context) error {
	for _, dir := range []string{"man", "completions"} {
		if err := os.MkdirAll(r.texts(dir), 0o755); err != nil {
			return err
		}
	}
	man := exec.CommandContext(ctx, "go", "run", "-tags=man", "./cmd/spinsync", "man", r.texts("man"))
	if err := execute("man pages", man, r.epoch()); err != nil {
		return err
	}
	example, err := os.ReadFile("sync.toml.example")
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.texts("man", "sync.toml.5"), []byte(settingsPage(string(example), r.time)), 0o644); err != nil {
		return err
	}
	for shell, name := range map[string]string{
		"bash": "spinsync.bash", "zsh": "_spinsync", "fish": "spinsync.fish", "powershell": "spinsync.ps1",
	} {
		script, err := exec.CommandContext(ctx, r.host(), "completion", shell).Output()
		if err != nil {
			return fmt.Errorf("completion for %s: %w", shell, err)
		}
		if err := os.WriteFile(r.texts("completions", name), script, 0o644); err != nil {
			return err
		}
	}
	text := unit.Service{Executable: "/usr/bin/spinsync", Config: "/etc/spinsync/sync.toml"}.Systemd()
	if err := os.WriteFile(r.texts("spinsync.service"), []byte(text), 0o644); err != nil {
		return err
	}
	return r.writeTerms()
}

// writeTerms writes the licences of the modules in the program, which ask to be handed on.
func (r *release) writeTerms() error {
	var b strings.Builder
	b.WriteString("spinsync contains the following works.\n")
	for _, m := range r.modules {
		fmt.Fprintf(&b, "\n%s\n%s %s\n", strings.Repeat("-", 72), m.path, m.version)
		for _, terms := range r.terms[m.path] {
			fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(terms))
		}
	}
	return os.WriteFile(r.texts("THIRD-PARTY.txt"), []byte(b.String()), 0o644)
}

// compressText writes a file as gzip, without name and time.
func compressText(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return f.Close()
}
