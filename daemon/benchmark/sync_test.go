//go:build !windows

package main

import (
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"spinsync/daemon"
	"spinsync/daemon/benchmark/bed"
	"spinsync/daemon/daemontest"
)

// BenchmarkSync publishes whole trees with an empty state file to a service and an upload host that
// answer at once, over plain HTTP on loopback. Two cores do the work of all three.
func BenchmarkSync(b *testing.B) {
	for name, tree := range map[string]bed.Tree{
		"large": {Products: 4, Files: 36, Size: 4 << 20},
		"small": {Products: 50, Files: 40, Size: 64 << 10},
		"tiny":  {Products: 200, Files: 4, Size: 1 << 10},
	} {
		b.Run(name, func(b *testing.B) {
			root := filepath.Join(b.TempDir(), "shoots")
			if err := tree.Write(root); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(tree.Bytes())
			for b.Loop() {
				publishTree(b, root)
			}
		})
	}
}

func publishTree(b *testing.B, root string) {
	store := httptest.NewServer(new(bed.Store))
	defer store.Close()
	service := httptest.NewServer(bed.New(bed.Options{Store: store.URL}).Handler())
	defer service.Close()
	c := daemontest.Load(b, b.TempDir(), `
[service]
base_url = "`+service.URL+`"
username = "studio"
password = "secret"
[state]
path = "state.db"
[poll]
first = "20ms"
[[watch]]
path = '`+root+`'
layout = "{project}/{sku}"
settle = "20ms"
quiet = "20ms"
`)
	d, end := daemontest.Open(b, daemon.Options{Config: c, Log: slog.New(slog.DiscardHandler)})
	defer end()
	if err := d.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
}
