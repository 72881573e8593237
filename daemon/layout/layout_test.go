package layout

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestMatch(t *testing.T) {
	tests := []struct {
		pattern, folder string
		want            Fields
	}{
		{"{project}/{sku}", "Summer/SKU-1", Fields{Project: "Summer", SKU: "SKU-1"}},
		{"{sku}", "SKU-1", Fields{SKU: "SKU-1"}},
		{"{project}/{sku} - {title}", "Summer/A-1 - Red - left", Fields{Project: "Summer", SKU: "A-1", Title: "Red - left"}},
		{"{sku} - {title}", " - A - Red", Fields{SKU: "- A", Title: "Red"}},
		{"{sku}-{title}-{year}", "a--b-2027", Fields{SKU: "a", Title: "-b", Year: "2027"}},
		{"{sku} {title}", "  A   Red  ", Fields{SKU: "A", Title: "Red"}},
		{"{year}_{manufacturer}/*/sku {sku} (final)", "2027_ACME/any thing/sku 7 (final)", Fields{Year: "2027", Manufacturer: "ACME", SKU: "7"}},
		{"in/{title}", "in/Schuh größer", Fields{Title: "Schuh größer"}},
		{"Möbel {sku}", norm.NFD.String("Möbel Ä1"), Fields{SKU: "Ä1"}},
		{"({sku})", "((7))", Fields{SKU: "(7)"}},
	}
	for _, tt := range tests {
		got, err := mustParse(t, tt.pattern).Match(tt.folder)
		if err != nil {
			t.Errorf("%q: %v", tt.pattern, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q on %q (-want +got):\n%s", tt.pattern, tt.folder, diff)
		}
	}
}

func TestMatchNamesTheSegment(t *testing.T) {
	tests := []struct{ pattern, folder, want string }{
		{"{project}/{sku}", "Summer", `its path has 1 segments, layout "{project}/{sku}" has 2`},
		{"{project}/{sku}", "Summer/a/b", `its path has 3 segments, layout "{project}/{sku}" has 2`},
		{"{project}/{sku} - {title}", "Summer/A1", `segment 2: "A1" does not fit "{sku} - {title}"; rename the folder, or correct layout in [[watch]]`},
		{"{sku} - {title}", "A1 -  ", `segment 1: "A1 -  " does not fit "{sku} - {title}"; rename the folder, or correct layout in [[watch]]`},
		{"in/{sku}", "out/A1", `segment 1: "out" does not fit "in"; rename the folder, or correct layout in [[watch]]`},
		{"*/{sku}", "/A1", `segment 1: the name is empty`},
		{"{sku}", " ", `segment 1: " " does not fit "{sku}"; rename the folder, or correct layout in [[watch]]`},
		{"({sku})", "(7", `segment 1: "(7" does not fit "({sku})"; rename the folder, or correct layout in [[watch]]`},
		{"{sku}", "A\xff", `segment 1: "A\xff" is not valid UTF-8; rename the folder`},
	}
	for _, tt := range tests {
		fields, err := mustParse(t, tt.pattern).Match(tt.folder)
		if err == nil {
			t.Errorf("%q on %q: got %+v, want an error", tt.pattern, tt.folder, fields)
			continue
		}
		if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestParseNamesPlaceAndRemedy(t *testing.T) {
	tests := []struct{ pattern, want string }{
		{"", `the pattern is empty; write for instance "{project}/{sku}"`},
		{"{project}/{skuu}", "segment 2: unknown field {skuu}; the fields are {project}, {sku}, {title}, {manufacturer} and {year}"},
		{"{SKU}", "segment 1: unknown field {SKU}; the fields are {project}, {sku}, {title}, {manufacturer} and {year}"},
		{"{project}/{sku", `segment 2: a "{" has no "}" after it`},
		{"{sku - {title}", `segment 1: a "{" has no "}" after it`},
		{"{project}/sku}", `segment 2: a "}" has no "{" before it`},
		{"{sku}{title}", "segment 1: it is unclear where {sku} ends and {title} begins; put text between them"},
		{"{project}/{project} {sku}", "segment 2: {project} is in the pattern twice; keep one of them"},
		{"{sku} - {sku}", "segment 1: {sku} is in the pattern twice; keep one of them"},
		{"{project}/{year}", "no field names the product; add {sku} or {title}"},
		{"x", "no field names the product; add {sku} or {title}"},
		{"/srv/{sku}", `the pattern is an absolute path; it starts below the watched folder, for instance "{project}/{sku}"`},
		{"C:/shoots/{sku}", `the pattern is an absolute path; it starts below the watched folder, for instance "{project}/{sku}"`},
		{`{project}\{sku}`, `segments are separated by "/" on every system, not by "\"`},
		{"{project}//{sku}", `segment 2: it is empty; write one "/" between segments and none at the end`},
		{"{project}/{sku}/", `segment 3: it is empty; write one "/" between segments and none at the end`},
		{"../{sku}", `segment 1: ".." is no folder below the watched one; leave it out`},
		{"./{sku}", `segment 1: "." is no folder below the watched one; leave it out`},
		{"{project} / {sku}", "segment 1: it begins or ends with white space; remove it"},
		{"{sku}*", `segment 1: "*" skips a whole segment and cannot stand beside other text`},
		{"{sku}\n", "the pattern holds a control character; no folder name does"},
		{"{sku}\xff", "the pattern is not valid UTF-8"},
	}
	for _, tt := range tests {
		_, err := Parse(tt.pattern)
		if err == nil {
			t.Errorf("%q: no error", tt.pattern)
			continue
		}
		_, got, _ := strings.Cut(err.Error(), `": `)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q: %s", tt.pattern, diff)
		}
	}
}

func TestDepthAndProject(t *testing.T) {
	tests := []struct {
		pattern string
		depth   int
		project bool
	}{
		{"{sku}", 1, false},
		{"{project}/{sku}", 2, true},
		{"*/in/{project} {title}", 3, true},
	}
	for _, tt := range tests {
		l := mustParse(t, tt.pattern)
		if l.Depth() != tt.depth || l.HasProject() != tt.project || l.String() != tt.pattern {
			t.Errorf("%q: depth %d, project %v, text %q", tt.pattern, l.Depth(), l.HasProject(), l)
		}
	}
}

func TestComplete(t *testing.T) {
	tests := []struct{ in, want Fields }{
		{Fields{SKU: "7"}, Fields{SKU: "7", Title: "7"}},
		{Fields{Title: "Shoe"}, Fields{SKU: "Shoe", Title: "Shoe"}},
		{Fields{SKU: "7", Title: "Shoe", Year: "2027"}, Fields{SKU: "7", Title: "Shoe", Year: "2027"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, tt.in.Complete()); diff != "" {
			t.Error(diff)
		}
	}
}

// The search for literals from the left must find what a search of all splits,
// shortest first, finds.
func TestMatchAgreesWithRegularExpression(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		literal := rapid.StringMatching(`[- a]{1,2}`)
		edge := rapid.StringMatching(`(-|a|-a)?`)
		pattern := edge.Draw(t, "prefix") + "{sku}" + literal.Draw(t, "first") + "{title}" +
			literal.Draw(t, "second") + "{year}" + edge.Draw(t, "suffix")
		l, err := Parse(pattern)
		if err != nil {
			t.Fatal(err)
		}
		name := rapid.StringMatching(`[- ab]{1,12}`).Draw(t, "name")
		want := expression(pattern).FindStringSubmatch(name)
		got, err := l.Match(name)
		if (err == nil) != (want != nil) {
			t.Fatalf("%q on %q: %v, want %q", pattern, name, err, want)
		}
		if err == nil && !slices.Equal(want[1:], []string{got.SKU, got.Title, got.Year}) {
			t.Fatalf("%q on %q: got %+v, want %q", pattern, name, got, want)
		}
	})
}

func expression(pattern string) *regexp.Regexp {
	field := regexp.MustCompile(`\\\{[a-z]+\\\}`)
	return regexp.MustCompile("^" + field.ReplaceAllString(regexp.QuoteMeta(pattern), ` *([^ ](?:.*?[^ ])??) *?`) + "$")
}

func FuzzMatch(f *testing.F) {
	f.Add("{project}/{sku} - {title}", "Summer/A-1 - Red")
	f.Add("*/{year}_{manufacturer}_{title}", "x/2027_ACME_Shoe")
	f.Add("a{sku}b", "a\xffb")
	f.Add("{sku", "a")
	f.Add("é {title}", "e\u0301 \u0301")
	f.Fuzz(func(t *testing.T, pattern, folder string) {
		l, err := Parse(pattern)
		if err != nil {
			return
		}
		if l.Depth() != strings.Count(pattern, "/")+1 {
			t.Fatalf("%q: depth %d", pattern, l.Depth())
		}
		fields, err := l.Match(folder)
		if err != nil {
			return
		}
		for _, name := range []string{"project", "sku", "title", "manufacturer", "year"} {
			value := *fields.field(name)
			if l.has(name) != (value != "") || value != strings.TrimSpace(value) || !norm.NFC.IsNormalString(value) {
				t.Errorf("%q on %q: %s is %q", pattern, folder, name, value)
			}
		}
	})
}

func mustParse(t *testing.T, pattern string) Layout {
	t.Helper()
	l, err := Parse(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
