package main

import (
	"encoding/json"
	"testing"

	"spinsync/cmd/spinsync/backend"
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
