package dashboard

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		bytesText(999): "999 B", bytesText(1500): "2 kB", bytesText(12_340_000): "12.3 MB", bytesText(5e9): "5.0 GB",
		span(300 * time.Millisecond): "under 1 s", span(42 * time.Second): "42 s", span(72 * time.Second): "1 min 12 s", span(3 * time.Hour): "3 h 00 min",
		counted(1, "view", "views"): "1 view", counted(1234567, "view", "views"): "1\u202f234\u202f567 views",
		sentence("élan"): "Élan", sentence(""): "", sentence("`x` helps"): "`x` helps",
		sentence("alt.csv:1: no such frame"): "alt.csv:1: no such frame", sentence("frame_01.jpg is empty"): "frame_01.jpg is empty",
		originOf("https://media.example/a/b"): "https://media.example", originOf("javascript:alert(1)"): "", originOf("https://a;script-src/"): "", originOf("https://a b/"): "",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestCommandsInReasonsAreMarked(t *testing.T) {
	want := []fragment{{"mend it, then ", false}, {"spinsync retry", true}}
	if diff := cmp.Diff(want, fragments("mend it, then `spinsync retry`")); diff != "" {
		t.Error(diff)
	}
}
