package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/cmd/spinsync/backend"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/show"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// TestWatchedStatusInAPipe: where pages follow each other, another one comes when something has
// changed, and not because an age did.
func TestWatchedStatusInAPipe(t *testing.T) {
	dir := t.TempDir()
	sync := filepath.Join(dir, "sync.toml")
	account := syncstate.Account{BaseURL: "http://localhost:1", Username: "studio"}
	text := fmt.Sprintf("[service]\nbase_url = %q\nusername = %q\n[state]\npath = \"state.db\"\n[[watch]]\npath = \"shoots\"\n",
		account.BaseURL, account.Username)
	if err := os.WriteFile(sync, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := syncstate.Folder{Root: filepath.Join(dir, "shoots"), Path: "Summer/SKU-1"}
	synctest.Test(t, func(t *testing.T) {
		becomes := func(state status.State) {
			store, err := syncstate.Open(filepath.Join(dir, "state.db"), account)
			if err == nil {
				err = errors.Join(store.Update(folder, func(r *syncstate.Record) error {
					r.Shown.State, r.Shown.Since = string(state), time.Now()
					return nil
				}), store.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		becomes(status.Queued)
		var out bytes.Buffer
		a := &cli.Call{Env: func(string) string { return "" }, ConfigPath: sync, Stdout: &out}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		go func() {
			time.Sleep(30*time.Second + time.Millisecond)
			becomes(status.Published)
		}()
		watching := statusView{&backend.Reader{Call: a}, a.Stdout, show.Status}
		if err := watching.watch(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		first, second, _ := strings.Cut(out.String(), "no daemon ")
		if pages := strings.Count(out.String(), "no daemon "); first != "" || pages != 2 || !strings.Contains(second, "published") {
			t.Errorf("%d pages, want 2:\n%s", pages, &out)
		}
	})
}

// TestFactsOfAStatus: that a root was read again is no news, and that a daemon runs is.
func TestFactsOfAStatus(t *testing.T) {
	started := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	facts := func(started, read time.Time) string {
		text, err := factsOf(status.Status{Started: started, Roots: []watcher.RootStatus{{Path: "/srv/a", Online: true, LastRead: read}}})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	before := facts(started, started)
	if after := facts(started, started.Add(time.Hour)); after != before {
		t.Errorf("after another reading it is %s, before it was %s", after, before)
	}
	if facts(time.Time{}, started) == before {
		t.Error("it is the same without a daemon")
	}
}
