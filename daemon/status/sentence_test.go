package status

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestEveryKindHasASentence, and no sentence is of a kind that is gone or leaves a placeholder
// open.
func TestEveryKindHasASentence(t *testing.T) {
	kinds := kindsInSource(t)
	for kind := range kinds {
		if phrases[kind] == "" {
			t.Errorf("no sentence for %q", kind)
		}
	}
	c := Cause{
		Name: "NAME", Other: "OTHER", Count: 3, Of: 4, For: time.Hour, Text: "TEXT", Remedy: "do " + RetryCommand,
		Parts: []Cause{{Kind: AllSent}},
	}
	for kind := range phrases {
		if !kinds[kind] {
			t.Errorf("a sentence for %q, which is no kind", kind)
		}
		c.Kind = kind
		if told := Sentence(&c, AnyFolder); strings.ContainsAny(told, "{}") || told == "" {
			t.Errorf("%s: %q", kind, told)
		}
	}
}

// kindsInSource are the constants of type Kind.
func kindsInSource(t *testing.T) map[Kind]bool {
	file, err := parser.ParseFile(token.NewFileSet(), "kinds.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[Kind]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if is && len(spec.Values) == 1 {
			if literal, is := spec.Values[0].(*ast.BasicLit); is {
				text, err := strconv.Unquote(literal.Value)
				if err != nil || kinds[Kind(text)] {
					t.Errorf("%s is no kind of its own: %v", literal.Value, err)
				}
				kinds[Kind(text)] = true
			}
		}
		return true
	})
	return kinds
}

func TestSentence(t *testing.T) {
	command := func(verb string) string { return "`spinsync " + verb + " SKU-1`" }
	for want, c := range map[string]*Cause{
		"": nil,
		"5 of 36 frames, waiting for the other frames":           {Kind: AwaitsRest, Count: 5, Of: 36},
		"1 frame, complete when quiet for 30s":                   {Kind: AwaitsQuiet, Count: 1, For: 30 * time.Second},
		"everything is paused; `spinsync resume` ends the pause": {Kind: AllPaused},
		"paused; 2 frames still on the way; `spinsync resume SKU-1` ends the pause": {
			Kind: FolderPaused, Parts: []Cause{{Kind: OnTheWay, Count: 2}}},
		"30 of 36 frames: too few; 6 photos are not usable: 1.heic (HEIC) and 5 more; add the missing frames, or publish the folder as it is with `spinsync retry --as-is SKU-1`": {
			Kind: TooFew, Count: 30, Of: 36, Parts: []Cause{{Kind: SomeNotTaken, Text: "6 photos are not usable: 1.heic (HEIC) and 5 more"}}},
		"it says no; correct the SKU, then `spinsync retry SKU-1`": {
			Kind: Refused, Text: "it says no", Remedy: "correct the SKU, then " + RetryCommand},
		"waiting for a.jpg (still changing), \"b\\n.jpg\" (cut off), c.jpg (not checked yet) and 2 more": List(Unsettled, []Cause{
			{Kind: StillChanging, Name: "a.jpg"}, {Kind: NotWhole, Name: "b\n.jpg", Text: "cut off"}, {Kind: NotChecked, Name: "c.jpg"}, {}, {},
		}),
		"waiting for a.jpg (still changing), c.jpg (not checked yet)": List(Unsettled, []Cause{
			{Kind: StillChanging, Name: "a.jpg"}, {Kind: NotChecked, Name: "c.jpg"},
		}),
	} {
		if got := Sentence(c, command); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestDuration: zeros behind a duration are left out, zeros inside stay.
func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{6 * time.Hour: "6h", 90 * time.Minute: "1h30m", 30 * time.Second: "30s", 10 * time.Minute: "10m"} {
		if got := Duration(d); got != want {
			t.Errorf("%v is told as %s, want %s", d, got, want)
		}
	}
}
