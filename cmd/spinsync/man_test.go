//go:build man

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spinsync/cmd/spinsync/cli"
)

// TestEveryCommandHasAManPage, and no hidden one.
func TestEveryCommandHasAManPage(t *testing.T) {
	dir := t.TempDir()
	if err := writeManPages(rootCommand(&cli.Call{Env: os.Getenv}, nil), dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"spinsync", "spinsync-run", "spinsync-service-install", "spinsync-remote-products-list"} {
		page, err := os.ReadFile(filepath.Join(dir, name+".1"))
		if err != nil || !strings.Contains(string(page), ".TH ") {
			t.Errorf("page of %s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "spinsync-service-probe.1")); err == nil {
		t.Error("a hidden command has a page")
	}
	page, err := os.ReadFile(filepath.Join(dir, "spinsync-plan.1"))
	if err != nil || !strings.Contains(string(page), ".EX\ncreate      make a product") {
		t.Errorf("the table of spinsync plan is not kept as it stands: %v", err)
	}
}
