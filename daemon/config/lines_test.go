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

func TestLines(t *testing.T) {
	for text, want := range map[string]map[string]int{
		odd: {
			"a": 2, `"b c"`: 3, `"b c"."d.e"`: 3, "g": 6, "g.h": 6, "g.h.i": 7, "g.h.i[1]": 8, "g.h.i[1].j": 8, "g.h.i[1].k": 8,
			"g.h.i[2]": 9, "g.h.i[2][0]": 9, "g.h.i[2][0].m": 9, "g.h.n": 10,
			"p": 12, "p[0]": 12, "p[0].q": 13, "p[1]": 14, "p[1].q": 15, "p[1].r": 16, "p[1].r.st": 17,
		},
		"a = '''\nb = 1\n[c]\n'''\nb = 1\n[c]": {"a": 1, "b": 5, "c": 6},
		"w = [\n{},\n{b = 3},\n{a = 1, b = 2},\n{b = 4}]": {
			"w": 1, "w[1]": 3, "w[1].b": 3, "w[2]": 4, "w[2].a": 4, "w[2].b": 4, "w[3]": 5, "w[3].b": 5,
		},
		"[[x]]\n[x.a.b]\n[x.a]\n[[x]]\n[x.a]": {
			"x": 1, "x[0]": 1, "x[0].a": 2, "x[0].a.b": 2, "x[1]": 4, "x[1].a": 5,
		},
	} {
		d := newDocument([]byte(text))
		if diff := cmp.Diff(want, d.lines); diff != "" {
			t.Errorf("%s\n%v (-want +got):\n%s", text, d.mistakes, diff)
		}
	}
}

// Whatever the decoder accepts, every key of it has its line, and that line has the key.
func FuzzLines(f *testing.F) {
	f.Add(odd)
	f.Add("a.b.c = 1\n[[a.d]]\n[[a.d]]\n[a.d.e]\nf = [[{g = 1}], {h.i = 2}]\n")
	f.Add("a = '''''' \nb = \"\"\"\\\"\"\"\"\"\" \nc = \"\\\\\"\nd = ''''x'''''\n")
	f.Add("\ufeffa = {b = {c = {}}, d = []}\r\ne = -1.5e+3 # x\r\n")
	f.Add("a = [{b.c = 1}, {}, {b = {c = 2}}, {d = [1]}, {d = [2]}]\nb = 1979-05-27T07:32:00.5Z\n")
	f.Add("\x1c")
	f.Fuzz(func(t *testing.T, text string) {
		d := newDocument([]byte(text))
		if d.root == nil {
			return
		}
		meta, err := toml.Decode(text, &map[string]any{})
		lines, _ := keyLines(strings.TrimPrefix(text, "\ufeff"))
		if err != nil || len(lines) != len(meta.Keys()) {
			t.Fatalf("%q: %d lines for the keys %v, %v", text, len(lines), meta.Keys(), err)
		}
		for i, key := range meta.Keys() {
			line := strings.Split(text, "\n")[lines[i]-1]
			if last := key[len(key)-1]; !strings.Contains(line, last) && !strings.Contains(line, `\`) {
				t.Errorf("%q: %q is not on line %d", text, last, lines[i])
			}
		}
		checkLines(t, text, d.lines, "", d.root.values)
	})
}

func checkLines(t *testing.T, text string, lines map[string]int, path string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			below := join(path, key)
			if lines[below] == 0 {
				t.Errorf("%q: %s has no line", text, below)
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
	known := []string{"path", "layout", "project", "on_remove", "quiet", "a/SKU-1", "b/sku-1", "Summer/LKU-1", "Summer/trunc"}
	tests := map[string]string{
		"layuot": "layout", "Layout": "layout", "projekt": "project", "onremove": "on_remove", "qiuet": "quiet",
		"pat": "path", "": "", "x": "", "something": "", "account": "", "sku-1": "a/SKU-1 b/sku-1", "Summer/LKU-9": "Summer/LKU-1",
	}
	for word, want := range tests {
		if got := strings.Join(Nearest(word, known), " "); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

// A thousand mistakes are counted, and not all of them listed.
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
