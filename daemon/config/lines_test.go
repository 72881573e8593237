package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
)

const odd = `# a comment = 1
a = "x = [" # [b]
"b c".'d.e' = """
f = 1
""""" # still b c
[ g . h ]
i = [1, # [
  {j = 2, k = 'l]'},
  [ {m = 3} ] ]
n = '''
o'''
[[p]]
q = 2027-01-02 03:04:05Z
[[p]]
q = 1
[p.r]
"s\u0074" = true
[g]
`

func TestKeyLines(t *testing.T) {
	got, err := keyLines(odd)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{
		"a": 2, `"b c"`: 3, `"b c"."d.e"`: 3, "g": 18, "g.h": 6, "g.h.i": 7, "g.h.i[1].j": 8, "g.h.i[1].k": 8, "g.h.i[2][0].m": 9, "g.h.n": 10,
		"p": 12, "p[0]": 12, "p[0].q": 13, "p[1]": 14, "p[1].q": 15, "p[1].r": 16, "p[1].r.st": 17,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Whatever the decoder accepts, every key of it has a line.
func FuzzKeyLines(f *testing.F) {
	f.Add(odd)
	f.Add("a.b.c = 1\n[[a.d]]\n[[a.d]]\n[a.d.e]\nf = [[{g = 1}], {h.i = 2}]\n")
	f.Add("a = '''''' \nb = \"\"\"\\\"\"\"\"\"\" \nc = \"\\\\\"\nd = ''''x'''''\n")
	f.Add("\ufeffa = {b = {c = {}}, d = []}\r\ne = -1.5e+3 # x\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := keyLines(text)
		if err != nil {
			return
		}
		values := map[string]any{}
		if _, err := toml.Decode(text, &values); err == nil {
			checkLines(t, text, lines, "", values)
		}
	})
}

func checkLines(t *testing.T, text string, lines map[string]int, path string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			below := join(path, key)
			if n := lines[below]; n < 1 || n > strings.Count(text, "\n")+1 {
				t.Errorf("%q: %s is on line %d", text, below, n)
			}
			checkLines(t, text, lines, below, v)
		}
	case []map[string]any:
		for i, v := range value {
			checkLines(t, text, lines, index(path, i), v)
		}
	case []any:
		for i, v := range value {
			checkLines(t, text, lines, index(path, i), v)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"path", "layout", "project", "on_remove", "quiet", "a/SKU-1", "b/sku-1"}
	tests := map[string]string{
		"layuot": "layout", "Layout": "layout", "projekt": "project", "onremove": "on_remove", "qiuet": "quiet",
		"pat": "path", "": "", "x": "", "something": "", "account": "", "sku-1": "a/SKU-1 b/sku-1",
	}
	for word, want := range tests {
		if got := strings.Join(Nearest(word, known), " "); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

// A thousand mistakes are counted, and not all of them told.
func TestManyMistakes(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "k%d = 1\n", i)
	}
	_, err := Parse([]byte(text.String()), t.TempDir())
	if n := len(mistakesIn(t, err)); n < 1000 {
		t.Errorf("got %d mistakes", n)
	}
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 52 || !strings.HasPrefix(lines[51], "  and ") {
		t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
}
