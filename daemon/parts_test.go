package daemon

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/publish"
	"spinsync/daemon/schedule"
	"spinsync/syncstate"
)

// DaemonOf puts a daemon together from some of its parts, for the test of one decision.
func DaemonOf(p publish.Publisher) *Daemon {
	if p.Log = slog.New(slog.DiscardHandler); p.Records == nil {
		p.Records = publish.NewRecords(nil)
	}
	return assemble(nil, &p, newBoard(&p, new(schedule.Priorities)))
}

// idleDaemon watches an empty folder.
func idleDaemon(t *testing.T) *Daemon {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "sync.toml")
	text := "[service]\nbase_url = \"http://127.0.0.1:1\"\nusername = \"studio\"\n" +
		"[state]\npath = \"state.db\"\n[[watch]]\npath = '" + t.TempDir() + "'\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(path, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	account := syncstate.Account{BaseURL: c.Service.BaseURL, Username: c.Service.Username}
	store, err := syncstate.Open(c.State.Path, account)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	client, err := apiclient.New(apiclient.Options{BaseURL: account.BaseURL, Username: account.Username})
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(Options{Config: c, Store: store, Client: client, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// keyIn is a folder below the root of an idle daemon.
func keyIn(d *Daemon, path string) syncstate.Folder {
	return syncstate.Folder{Root: d.config.Watch[0].Path, Path: path}
}

// folderIn puts a folder with a record on the board of an idle daemon.
func folderIn(t *testing.T, d *Daemon, path string, record syncstate.Record) *folder {
	t.Helper()
	f := d.board.newFolder(keyIn(d, path))
	if err := d.records.Update(f.key, func(r *syncstate.Record) error { *r = record; return nil }); err != nil {
		t.Fatal(err)
	}
	d.board.folders.add(f)
	return f
}
