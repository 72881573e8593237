package plan

import (
	"testing"

	"spinsync/daemon/alttext"
	"spinsync/daemon/status"
)

// A published folder tells of sidecars that make no sense, beside what else it has to tell.
func TestBesidesTellsOfTexts(t *testing.T) {
	problems := []alttext.Problem{{File: "alt.csv", Line: 3, Message: "is no frame"}}
	told := Scene{}.Besides(&status.Cause{Kind: status.StuckProcessing}, problems)
	if told == nil || len(told.Parts) != 2 || told.Parts[1].Kind != status.TextProblems {
		t.Errorf("told %+v", told)
	}
	if told := (Scene{}).Besides(nil, nil); told != nil {
		t.Errorf("nothing is told as %+v", told)
	}
}
