package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon/alttext"
	"spinsync/daemon/plan"
	"spinsync/syncstate"
)

type words = map[string]string

// TestWhichTextsAreSet: a text of the folder goes to the service, unless others removed or replaced
// it since it was set from here. A text that was not read is not withdrawn, and those of others
// stay. Ours are those that were set, until the folder withdraws them.
func TestWhichTextsAreSet(t *testing.T) {
	old, said := words{"en": "old"}, words{"en": "new"}
	both := words{"en": "old", "de": "alt"}
	for name, test := range map[string]struct {
		says          words // the folder
		partly        bool
		set, on, from words // set from here; on the service; carried from the image before
		want, ours    words // nil for no change
	}{
		"nothing":                   {nil, false, nil, nil, nil, nil, nil},
		"new":                       {said, false, nil, nil, nil, said, said},
		"as it is":                  {old, false, old, old, nil, nil, nil},
		"as others wrote it":        {old, false, nil, old, nil, nil, nil},
		"changed":                   {said, false, old, old, nil, said, said},
		"beside that of others":     {said, false, nil, words{"de": "neu"}, nil, words{"en": "new", "de": "neu"}, said},
		"withdrawn":                 {nil, false, old, old, nil, words{}, words{}},
		"one of two withdrawn":      {old, false, both, both, nil, old, old},
		"not read":                  {nil, true, old, old, nil, nil, nil},
		"not read, one of two":      {said, true, both, both, nil, words{"en": "new", "de": "alt"}, words{"en": "new", "de": "alt"}},
		"not read, and overwritten": {nil, true, old, words{"en": "theirs"}, nil, nil, nil},
		"not read, and taken away":  {nil, true, old, nil, nil, nil, nil},
		"taken away by others":      {old, false, old, nil, nil, nil, nil},
		"that, and another changes": {words{"en": "old", "de": "neu"}, false, both, words{"de": "alt"}, nil, words{"de": "neu"}, words{"en": "old", "de": "neu"}},
		"withdrawn after that":      {nil, false, old, nil, nil, words{}, words{}},
		"changed after that":        {said, false, old, nil, nil, said, said},
		"overwritten by others":     {old, false, old, words{"en": "theirs"}, nil, nil, nil},
		"and withdrawn after that":  {nil, false, old, words{"en": "theirs"}, nil, words{"en": "theirs"}, words{}},
		"carried":                   {nil, false, nil, nil, words{"de": "neu"}, words{"de": "neu"}, words{}},
		"carried above one of ours": {nil, false, words{"de": "alt"}, words{"de": "alt"}, words{"de": "neu"}, words{"de": "neu"}, words{}},
		"carried beside a new one":  {said, false, nil, words{"it": "nuovo"}, words{"de": "neu"}, words{"en": "new", "de": "neu", "it": "nuovo"}, said},
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
			want = []plan.AltChange{{Frame: 1, Want: test.want, Set: test.ours}}
		}
		if diff := cmp.Diff(want, texts.Changes(p)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
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
