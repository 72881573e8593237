package status

import (
	"slices"
	"testing"

	"spinsync/watcher"
)

// Links in place of folders are counted, and the first one is named. Without links the text is
// empty.
func TestLinksInWords(t *testing.T) {
	s := Status{Roots: []watcher.RootStatus{
		{Path: "/a", Links: watcher.Links{Count: 1, First: "SKU-1"}}, {Path: "/b"}, {Path: "/c", Links: watcher.Links{Count: 3, First: "SKU-2"}},
	}}
	const remedy = "; spinsync follows no link: put the folder itself there, watch the directory that it leads to, or name it under ignore in sync.toml"
	want := []string{"the watched folder /a has a link, SKU-1" + remedy, "the watched folder /c has 3 links, such as SKU-2" + remedy}
	if got := s.Links(); !slices.Equal(got, want) {
		t.Errorf("it says %q", got)
	}
}
