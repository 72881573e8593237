package daemon

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
	watching.Go(func() { d.files.Watcher.Run(ctx) })
	<-d.files.Watcher.FirstRead()
	if err := d.observe(ctx); err != nil {
		t.Error(err)
	}
}

// TestPreviewOfAFolderThatIsGone: a folder that went away while nobody watched is listed as missing.
// The others are listed too: a pass ends the wait for the next try.
func TestPreviewOfAFolderThatIsGone(t *testing.T) {
	d := idleDaemon(t)
	root := d.config.Watch[0].Path
	for _, sku := range []string{"gone", "empty"} {
		key := syncstate.Folder{Root: root, Path: "Summer/" + sku}
		err := d.records.Update(key, func(r *syncstate.Record) error {
			r.Product.UUID = sku
			r.Trouble = &syncstate.Trouble{
				Kind: syncstate.Retried, At: time.Now().Add(-time.Minute), Cause: status.Because(status.Failed),
				Tries: syncstate.Tries{N: 1, Next: time.Now().Add(time.Minute)},
			}
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
