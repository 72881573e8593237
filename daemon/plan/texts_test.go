package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon/alttext"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/syncstate"
)

type words = map[string]string

// TestWhichTextsAreSet: a text of the folder goes to the service, unless the service lost it since
// it was set from here. A text that was not read is not withdrawn, and those of others stay.
func TestWhichTextsAreSet(t *testing.T) {
	for name, test := range map[string]struct {
		says          words // the folder
		partly        bool
		set, on, from words // set from here; on the service; carried from the image before
		want          words // nil for no change
	}{
		"nothing":                   {nil, false, nil, nil, nil, nil},
		"new":                       {words{"en": "new"}, false, nil, nil, nil, words{"en": "new"}},
		"as it is":                  {words{"en": "old"}, false, words{"en": "old"}, words{"en": "old"}, nil, nil},
		"changed":                   {words{"en": "new"}, false, words{"en": "old"}, words{"en": "old"}, nil, words{"en": "new"}},
		"beside that of others":     {words{"en": "new"}, false, nil, words{"de": "neu"}, nil, words{"en": "new", "de": "neu"}},
		"withdrawn":                 {nil, false, words{"en": "old"}, words{"en": "old"}, nil, words{}},
		"one of two withdrawn":      {words{"en": "old"}, false, words{"en": "old", "de": "alt"}, words{"en": "old", "de": "alt"}, nil, words{"en": "old"}},
		"not read":                  {nil, true, words{"en": "old"}, words{"en": "old"}, nil, nil},
		"not read, one of two":      {words{"en": "new"}, true, words{"en": "old", "de": "alt"}, words{"en": "old", "de": "alt"}, nil, words{"en": "new", "de": "alt"}},
		"not read, and overwritten": {nil, true, words{"en": "old"}, words{"en": "theirs"}, nil, nil},
		"not read, and taken away":  {nil, true, words{"en": "old"}, nil, nil, nil},
		"taken away by others":      {words{"en": "old"}, false, words{"en": "old"}, nil, nil, nil},
		"changed after that":        {words{"en": "new"}, false, words{"en": "old"}, nil, nil, words{"en": "new"}},
		"overwritten by others":     {words{"en": "old"}, false, words{"en": "old"}, words{"en": "theirs"}, nil, nil},
		"carried":                   {nil, false, nil, nil, words{"de": "neu"}, words{"de": "neu"}},
		"carried below a newer one": {nil, false, nil, words{"de": "neuer"}, words{"de": "neu"}, nil},
		"carried above one of ours": {nil, false, words{"de": "alt"}, words{"de": "alt"}, words{"de": "neu"}, words{"de": "neu"}},
		"carried beside a new one":  {words{"en": "new"}, false, nil, words{"it": "nuovo"}, words{"de": "neu"}, words{"en": "new", "de": "neu", "it": "nuovo"}},
	} {
		texts := plan.Texts{Partly: test.partly, Said: alttext.Texts{"2.jpg": {}}}
		for locale, text := range test.says {
			texts.Said["2.jpg"][locale] = alttext.Text{Value: text}
		}
		p := &syncstate.Published{Frames: []syncstate.Frame{
			{File: syncstate.File{Name: "1.jpg"}},
			{File: syncstate.File{Name: "2.jpg"}, AltSet: test.set, Alt: test.on, AltCarry: test.from},
		}}
		var want []plan.AltChange
		if test.want != nil {
			want = []plan.AltChange{{Frame: 1, Want: test.want}}
		}
		if diff := cmp.Diff(want, texts.Changes(p)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestTextsOnTheWay: the texts of others that a run carries go before those of the revision before.
func TestTextsOnTheWay(t *testing.T) {
	r := plantest.Published(plantest.AScene(3)).Record
	r.Published.Frames[0].AltCarry = words{"en": "first"}
	r.Published.Frames[1].AltCarry = words{"en": "second"}
	want := map[string]words{"frame_01.jpg": {"en": "first"}, "frame_02.jpg": {"en": "second"}}
	if diff := cmp.Diff(want, plan.TextsOnTheWay(r)); diff != "" {
		t.Error(diff)
	}
	r.Run = &syncstate.Run{Carry: map[string]words{"frame_02.jpg": {"en": "newer"}}}
	want["frame_02.jpg"] = words{"en": "newer"}
	if diff := cmp.Diff(want, plan.TextsOnTheWay(r)); diff != "" {
		t.Errorf("with a run: %s", diff)
	}
	if got := plan.TextsOnTheWay(syncstate.Record{}); len(got) > 0 {
		t.Errorf("of a folder that was never published: %v", got)
	}
}

func TestProblemsInShort(t *testing.T) {
	problem := alttext.Problem{File: "alt.csv", Line: 3, Message: "is no frame"}
	for n, want := range map[int]string{0: "", 1: problem.String(), 2: problem.String() + " (and 1 more)", 3: problem.String() + " (and 2 more)"} {
		problems := []alttext.Problem{problem, {}, {}}[:n]
		if got := plan.ProblemsInShort(problems); got != want {
			t.Errorf("%d problems: %q, want %q", n, got, want)
		}
	}
}
