package daemon

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestSurveyOfWhatIsReadAlready: a watcher that was faster than whoever waits for its first read is
// not waited for again.
func TestSurveyOfWhatIsReadAlready(t *testing.T) {
	d := idleDaemon(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	watching.Go(func() { d.Files.Run(ctx) })
	<-d.Files.FirstRead()
	if err := d.observe(ctx); err != nil {
		t.Error(err)
	}
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

// TestPreviewOfAFolderThatIsGone: a folder that went away while nobody watched is told as missing,
// and the others are told too.
func TestPreviewOfAFolderThatIsGone(t *testing.T) {
	d := idleDaemon(t)
	root := d.config.Watch[0].Path
	for _, sku := range []string{"gone", "empty"} {
		key := syncstate.Folder{Root: root, Path: "Summer/" + sku}
		err := d.Records.Update(key, func(r *syncstate.Record) error {
			r.Product.UUID = sku
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		d.board.folders.all[key] = d.board.newFolder(key)
	}
	if err := os.MkdirAll(filepath.Join(root, "Summer", "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := d.Survey(t.Context())
	want := []status.Preview{
		{Root: root, Folder: "Summer/empty", Does: "wait", Detail: "no frames yet"},
		{Root: root, Folder: "Summer/gone", Does: "missing", Detail: "the folder is gone and was never published; bring it back, or delete its empty product with `spinsync forget --delete-view Summer/gone`"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("preview: %v\n%s", err, diff)
	}
}

// TestPreviewBelowAMissingRoot: the pass leaves a published folder as it is, and waits with the
// others.
func TestPreviewBelowAMissingRoot(t *testing.T) {
	d := idleDaemon(t)
	root := d.config.Watch[0].Path
	for sku, state := range map[string]status.State{"live": status.Published, "new": status.Collecting} {
		key := syncstate.Folder{Root: root, Path: "Summer/" + sku}
		d.board.folders.all[key] = d.board.newFolder(key)
		d.board.folders.all[key].status.State = state
	}
	if err := os.Remove(root); err != nil {
		t.Fatal(err)
	}
	got, err := d.Survey(t.Context())
	if err != nil || len(got) != 2 || got[0].Does != "nothing" || got[1].Does != "wait" {
		t.Errorf("%+v, %v", got, err)
	}
}
