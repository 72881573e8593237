package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"spinsync/cmd/spinsync/backend"
	"spinsync/cmd/spinsync/cli"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A retry names the frame that holds its folder, as the daemon does: until that frame is whole the
// retry changes nothing.
func TestRetryNamesTheFrameThatHoldsItsFolder(t *testing.T) {
	key := syncstate.Folder{Root: "/shoots", Path: "Summer/SKU-1"}
	text, err := json.Marshal(status.Status{Products: []status.ProductStatus{
		{Root: key.Root, Folder: key.Path, State: status.Attention, Corrupt: "frame_03.jpg"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for named, want := range map[syncstate.Folder]string{
		key: "is tried again when frame_03.jpg is whole or removed",
		{}:  "is tried again",
	} {
		target := backend.Target{Folder: named}
		if err := json.Unmarshal(text, &target.Status); err != nil {
			t.Fatal(err)
		}
		if got := retried(target, named.Path); got != want {
			t.Errorf("a retry of %+v says that it %s", named, got)
		}
	}
}

// A retry as is says whether the frames that are there count, and when.
func TestRetryAsIsSaysWhichFramesItTakes(t *testing.T) {
	p := status.ProductStatus{Root: "/shoots", Folder: "Summer/SKU-1"}
	for state, want := range map[status.State]string{
		status.Attention: ", and takes the frames that are there", status.Collecting: ", and takes the frames that are there once it is quiet",
		status.Paused: "", status.Retrying: "; its number of frames is not in question",
	} {
		p.State, p.Frames = state, status.FrameCounts{Settled: 3, Expected: 4}
		target := backend.Target{Folder: p.Key(), Status: status.Status{Products: []status.ProductStatus{p}}}
		if got := asTheyAre(target); got != want {
			t.Errorf("%s: %q", state, got)
		}
		target.Folder = syncstate.Folder{}
		if got := asTheyAre(target); got != "" {
			t.Errorf("all: %q", got)
		}
	}
}

// A computer alone asks its question at once, also while another command has the state file.
func TestQuestionAtAComputerAlone(t *testing.T) {
	dir, never := t.TempDir(), errors.New("no")
	sync := filepath.Join(dir, "sync.toml")
	text := fmt.Sprintf("[service]\nbase_url = \"http://127.0.0.1:1\"\nusername = \"studio\"\n[[watch]]\npath = '%s'\n[state]\npath = 'state.db'\n", dir+"s")
	if err := os.WriteFile(sync, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := syncstate.Open(filepath.Join(dir, "state.db"), syncstate.Account{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	began := time.Now()
	forget := verb{
		call:    &cli.Call{Env: func(string) string { return "" }, ConfigPath: sync, Stderr: io.Discard},
		confirm: func(context.Context, []string) error { return never },
	}
	if err := forget.run(t.Context(), []string{"Summer/SKU-1"}); !errors.Is(err, never) || time.Since(began) > 4*time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}

// A retry of a watched folder says that the settings of this computer are the fleet's now, where they differed.
func TestRetrySaysThatSettingsAreTheFleets(t *testing.T) {
	fleet := &status.Fleet{Station: "anna", Differs: map[string]string{"/shoots": "frames"}}
	for named, want := range map[syncstate.Folder]string{
		{Root: "/shoots"}:                "has the settings of this computer now, for the whole fleet",
		{Root: "/other"}:                 "is tried again",
		{}:                               "is tried again",
		{Root: "/shoots", Path: "SKU-1"}: "is tried again",
	} {
		if got := retried(backend.Target{Folder: named, Status: status.Status{Fleet: fleet}}, named.Root); got != want {
			t.Errorf("a retry of %+v says that it %s", named, got)
		}
	}
}
