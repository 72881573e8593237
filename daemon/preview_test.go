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
	watching.Go(func() { d.files.Run(ctx) })
	<-d.files.FirstRead()
	if err := d.observe(ctx); err != nil {
		t.Error(err)
	}
}

// TestForetellFirstUpload: what is half sent for the first time is seen through; what replaces a
// view is told as a reupload.
func TestForetellFirstUpload(t *testing.T) {
	first := aScene(3).running(1, 3)
	adopted := aScene(3).running(1, 3)
	adopted.record.Run.Reupload = true
	for want, s := range map[string]scene{"finish": first, "reupload": adopted} {
		if does, detail := foretell(s, plan(s)); does != want {
			t.Errorf("told as %q (%s), want %q", does, detail, want)
		}
	}
}

// TestForetellWhatNobodyRead: beside a frame that certainly changed, those of another time and the
// same size are told as what they are.
func TestForetellWhatNobodyRead(t *testing.T) {
	for _, test := range []struct {
		touched int
		want    string
	}{
		{0, "3 frames, 1 of them new or changed, 0 removed"},
		{2, "3 frames, 1 of them new or changed and 2 perhaps, 0 removed"},
	} {
		s := aScene(3).published()
		s.snapshot.Frames[0].Size++
		s.readings["frame_01.jpg"] = reading{file: identity(s.snapshot.Frames[0]), whole: true}
		for i := range test.touched {
			f := &s.snapshot.Frames[i+1]
			f.ModTime = f.ModTime.Add(time.Minute)
			s.readings[f.Name] = reading{file: identity(*f), whole: true}
		}
		if does, detail := foretell(s, plan(s)); does != "reupload" || detail != test.want {
			t.Errorf("told as %s, %q, want %q", does, detail, test.want)
		}
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
		err := d.records.Update(key, func(r *syncstate.Record) error {
			r.Product.UUID = sku
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		d.board.folders[key] = d.board.newFolder(key)
	}
	if err := os.MkdirAll(filepath.Join(root, "Summer", "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := d.Survey(t.Context())
	want := []Preview{
		{Root: root, Folder: "Summer/empty", Does: "wait", Detail: "no frames yet"},
		{Root: root, Folder: "Summer/gone", Does: "missing", Detail: "the folder is gone before it was published; what the service has of it is kept"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("preview: %v\n%s", err, diff)
	}
}
