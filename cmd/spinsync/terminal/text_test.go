package terminal

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever a folder is called, the table stays one line a row, aligned, and without anything a
// terminal obeys.
func TestTable(t *testing.T) {
	var b bytes.Buffer
	err := Table(&b, [][]string{
		{"STATE", "FOLDER", "REASON"},
		{"published", "夏/靴", "ok"},
		{"queued", "a\nb\x1b[31m", "\u202egnp.exe"},
		{"paused", "bad\xffname", ""},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `STATE      FOLDER          REASON
published  夏/靴           ok
queued     a\x0ab\x1b[31m  \u{202e}gnp.exe
paused     bad\xffname
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func FuzzPrintable(f *testing.F) {
	for _, s := range []string{"Summer/SKU-1", "\x1b]0;title\a", "\u202e\u2028\ufffd", "a\xff\xc3(", "👩‍👩‍👧"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		shown := Printable(s)
		if Printable(shown) != shown {
			t.Errorf("%q is shown as %q, which is not printable itself", s, shown)
		}
		if width := 7; len([]rune(CutWidth(shown, width))) > len([]rune(shown))+1 {
			t.Errorf("%q was cut to something longer", shown)
		}
	})
}

// A page that is too high for the terminal loses rows of its table, and not the lines below it.
func TestPageOnATerminal(t *testing.T) {
	clear := "\x1b[H\x1b[2J"
	page := "HEAD\n1\n2\n3\n4\n\n4 product folders\npaused\n"
	for height, want := range map[int]string{
		9: page,
		8: "HEAD\n1\n2\n…\n\n4 product folders\npaused\n",
		6: "HEAD\n…\n\n4 product folders\npaused\n",
		5: "HEAD\n1\n2\n3\n",
		1: "HEAD\n",
	} {
		if got := fit(page, 80, height); got != clear+want {
			t.Errorf("%d lines: %q, want %q", height, got, clear+want)
		}
	}
	if got := fit("{\n  \"products\": []\n}\n", 12, 3); got != clear+"{\n  \"products…\n" {
		t.Errorf("without an empty line: %q", got)
	}
}

// Where lines have an end, one long name does not widen the rows of all others, and what does not
// fit stands below its row, whole.
func TestTableOnATerminal(t *testing.T) {
	rows := [][]string{
		{"STATE", "FOLDER", "REASON"},
		{"attention", "SKU-1", "3 of 4 frames: too few; `spinsync retry SKU-1`"},
		{"paused", "SKU-2", "rests"},
		{"published", "茶碗と急須と茶托の五点セット", ""},
	}
	for columns, want := range map[int]string{
		0: "STATE      FOLDER                        REASON\n" +
			"attention  SKU-1                         3 of 4 frames: too few; `spinsync retry SKU-1`\n" +
			"paused     SKU-2                         rests\n" +
			"published  茶碗と急須と茶托の五点セット\n",
		40: "STATE      FOLDER                REASON\n" +
			"attention  SKU-1\n    3 of 4 frames: too few; `spinsync retry SKU-1`\n" +
			"paused     SKU-2                 rests\n" +
			"published  茶碗と急須と茶托の五点セット\n",
	} {
		shown := Sheet{Columns: columns}
		if err := Table(&shown, rows); err != nil || shown.String() != want {
			t.Errorf("%d columns: %v\n%s\nwant\n%s", columns, err, &shown, want)
		}
	}
}
