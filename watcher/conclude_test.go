package watcher

import (
	"log/slog"
	"testing"
	"time"

	"spinsync/watcher/names"
)

// TestFolderThatCameBehindAReading: a known folder that the reading of the tree did not meet, and of
// which an event told meanwhile, is not taken for gone: the look that the event calls for stands.
func TestFolderThatCameBehindAReading(t *testing.T) {
	const shoe = "SKU-1"
	start := time.Now()
	for name, test := range map[string]struct {
		hint time.Duration // after the start of the reading
		lost int
	}{
		"told of meanwhile": {time.Second, 0},
		"told of before":    {-time.Second, 1},
	} {
		rules, err := names.New([]string{"*.jpg"}, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		tree := newTree(Root{Path: t.TempDir(), Depth: 1, Settle: time.Second, Known: map[string]Idle{shoe: {}}}, rules, slog.New(slog.DiscardHandler))
		tree.hinted(shoe, "", start.Add(test.hint))
		if lost := tree.lost(t.Context(), &reading{number: 1, start: start}); len(lost) != test.lost {
			t.Errorf("%s: %d folders are lost", name, len(lost))
		}
	}
}
