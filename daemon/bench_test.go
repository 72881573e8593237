package daemon_test

import (
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spinsync/apiclient"
	"spinsync/daemon"
	"spinsync/daemon/benchmark/bed"
	"spinsync/daemon/config"
	"spinsync/syncstate"
)

// BenchmarkSync publishes whole trees with an empty state file to a service and an upload host that answer at once, over
// plain HTTP on loopback. Two cores do the work of all three.
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
	service := httptest.NewServer(bed.New(bed.Options{Store: strings.TrimPrefix(store.URL, "http://")}).Handler())
	defer service.Close()
	state := filepath.Join(b.TempDir(), "state.db")
	c := readConfig(b, `
[service]
base_url = "`+service.URL+`"
username = "studio"
password = "secret"
[state]
path = '`+state+`'
[poll]
first = "20ms"
[[watch]]
path = '`+root+`'
layout = "{project}/{sku}"
settle = "20ms"
quiet = "20ms"
`)
	records, err := syncstate.Open(state, syncstate.Account{BaseURL: c.Service.BaseURL, Username: c.Service.Username})
	if err != nil {
		b.Fatal(err)
	}
	defer records.Close()
	client, err := apiclient.New(apiclient.Options{BaseURL: c.Service.BaseURL, Username: c.Service.Username, Password: c.Service.Password})
	if err != nil {
		b.Fatal(err)
	}
	defer client.CloseIdle()
	d, err := daemon.New(daemon.Options{Config: c, Store: records, Client: client, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	if err := d.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func readConfig(b *testing.B, text string) *config.Config {
	path := filepath.Join(b.TempDir(), "sync.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	c, err := config.Load(path, os.Getenv)
	if err != nil {
		b.Fatal(err)
	}
	return c
}
