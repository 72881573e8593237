package dashboard

import (
	"testing"

	"spinsync/daemon/status"
)

// TestTextInTheMatrix: each text is shown as it stands on the service, and another writer's is kept
// before the folder's.
func TestTextInTheMatrix(t *testing.T) {
	for text, want := range map[status.AltDetails]matrixCell{
		{}:                                {Mark: "no text", Tone: warn},
		{Local: "a pot", Source: "1.txt"}: {Text: "a pot", Source: "1.txt", Mark: "not published yet", Tone: busy},
		{Local: "a pot", Source: "1.txt", Service: "a pan", Ours: true}: {Text: "a pot", Source: "1.txt", Mark: "not published yet", Tone: busy, Other: "a pan"},
		{Local: "a pot", Source: "1.txt", Service: "a pot", Ours: true}: {Text: "a pot", Source: "1.txt", Mark: "published", Tone: good},
		{Local: "a pot", Source: "1.txt", Service: "a pan"}:             {Text: "a pan", Source: "written on the service", Mark: "kept before the folder's", Tone: quiet, Other: "a pot"},
		{Service: "a pan"}:             {Text: "a pan", Source: "written on the service", Mark: "published", Tone: good},
		{Service: "a pan", Ours: true}: {Text: "a pan", Mark: "withdrawn, still published", Tone: busy},
	} {
		if got := newCell(text); got != want {
			t.Errorf("%+v is shown as %+v, want %+v", text, got, want)
		}
	}
}
