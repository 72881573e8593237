package alttext

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// folder writes sidecars into a fresh directory and returns it as Read wants it. A test sets what is
// different in its folder.
func folder(t testing.TB, sidecars map[string]string, frames ...string) Folder {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	f := Folder{
		Frames: frames,
		Open:   func(name string) (io.ReadCloser, error) { return root.Open(name) },
		Locale: "en",
		Title:  "Red Shoe",
		SKU:    "RS-1",
	}
	for name, text := range sidecars {
		if err := root.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f.Sidecars = append(f.Sidecars, name)
	}
	return f
}

// lines writes texts one per line, "frame locale: text (source)", sorted.
func lines(texts Texts) []string {
	var list []string
	for frame, byLocale := range texts {
		for locale, text := range byLocale {
			list = append(list, fmt.Sprintf("%s %s: %s (%s)", frame, locale, text.Value, place(text)))
		}
	}
	slices.Sort(list)
	return list
}

// wantRead fails unless a folder holds exactly these texts, and problems that begin like these.
func wantRead(t *testing.T, f Folder, want []string, problems ...string) {
	t.Helper()
	texts, found := Read(f)
	if diff := cmp.Diff(want, lines(texts)); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	for i, p := range found {
		if i >= len(problems) || !strings.HasPrefix(p.String(), problems[i]) {
			t.Errorf("problem %d: %s", i, p)
		}
	}
	for _, p := range problems[min(len(found), len(problems)):] {
		t.Errorf("not reported: %s", p)
	}
}

const (
	nsRDF  = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	nsIPTC = "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"

	packetHead = `<?xpacket begin="` + "\ufeff" + `" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="` + nsRDF + `"><rdf:Description rdf:about="" xmlns:i="` + nsIPTC + `">`
	packetTail = `</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`
)

// packet is an XMP packet with texts in the order "de", "Schuh", …
func packet(texts ...string) string {
	var items strings.Builder
	for pair := range slices.Chunk(texts, 2) {
		fmt.Fprintf(&items, "<rdf:li xml:lang=%q>%s</rdf:li>", pair[0], pair[1])
	}
	return packetHead + "<i:AltTextAccessibility><rdf:Alt>" + items.String() + "</rdf:Alt></i:AltTextAccessibility>" + packetTail
}

// TestPrecedence takes the best source away again and again: the next one must come forth.
func TestPrecedence(t *testing.T) {
	f := folder(t, map[string]string{
		"s.jpg.en.txt": "text, name and locale",
		"s.en.txt":     "text, stem and locale",
		"s.jpg.txt":    "text, name",
		"s.txt":        "text, stem",
		"alt.csv":      "file,alt\n*,table\ns.jpg,\"table, name\"\n",
		"s.jpg.xmp":    packet("en", "xmp, name"),
		"s.xmp":        packet("en", "xmp, stem"),
		"alt.en.txt":   "folder, locale",
		"alt.txt":      "folder",
	}, "s.jpg")
	f.Embedded = map[string]*Packet{"s.jpg": ParsePacket([]byte(packet("en", "embedded")))}
	f.Product = map[string]map[string]string{"en": {"s.jpg": "product", "*": "product, all"}}

	remove := func(name string) {
		f.Sidecars = slices.DeleteFunc(f.Sidecars, func(s string) bool { return s == name })
	}
	steps := []struct {
		want   string
		remove func()
	}{
		{"product (product.toml)", func() { delete(f.Product["en"], "s.jpg") }},
		{"product, all (product.toml)", func() { f.Product = nil }},
		{"text, name and locale (s.jpg.en.txt)", func() { remove("s.jpg.en.txt") }},
		{"text, stem and locale (s.en.txt)", func() { remove("s.en.txt") }},
		{"text, name (s.jpg.txt)", func() { remove("s.jpg.txt") }},
		{"text, stem (s.txt)", func() { remove("s.txt") }},
		{"table, name (alt.csv:3)", func() { remove("alt.csv") }},
		{"xmp, name (s.jpg.xmp:2)", func() { remove("s.jpg.xmp") }},
		{"xmp, stem (s.xmp:2)", func() { remove("s.xmp") }},
		{"embedded (s.jpg)", func() { f.Embedded = nil }},
		{"folder, locale (alt.en.txt)", func() { remove("alt.en.txt") }},
		{"folder (alt.txt)", func() { remove("alt.txt") }},
	}
	for _, step := range steps {
		wantRead(t, f, []string{"s.jpg en: " + step.want})
		step.remove()
	}
	wantRead(t, f, nil)
}

func TestSourcesJoinPerLocale(t *testing.T) {
	f := folder(t, map[string]string{
		"a.jpg.de.txt": "Schuh",
		"a.jpg.xmp":    packet("x-default", "Shoe", "de", "hidden", "fr", "Chaussure"),
		"alt.it.txt":   "Scarpa {n} di {total}",
	}, "b.jpg", "a.jpg")
	wantRead(t, f, []string{
		"a.jpg de: Schuh (a.jpg.de.txt)",
		"a.jpg en: Shoe (a.jpg.xmp:2)",
		"a.jpg fr: Chaussure (a.jpg.xmp:2)",
		"a.jpg it: Scarpa 2 di 2 (alt.it.txt)",
		"b.jpg it: Scarpa 1 di 2 (alt.it.txt)",
	})
}

func TestWhoseTextFileItIs(t *testing.T) {
	tests := []struct {
		sidecar string
		frames  []string
		want    []string
	}{
		{"shoe.de.txt", []string{"shoe.jpg", "shoe.de.jpg"}, []string{"shoe.de.jpg en: x (shoe.de.txt)"}},
		{"shoe.de.txt", []string{"shoe.jpg"}, []string{"shoe.jpg de: x (shoe.de.txt)"}},
		{"shoe.de_DE@euro.txt", []string{"shoe.jpg"}, []string{"shoe.jpg de-DE: x (shoe.de_DE@euro.txt)"}},
		{"a.jpg.de.txt", []string{"a.jpg", "a.jpg.de.png"}, []string{"a.jpg de: x (a.jpg.de.txt)"}},
		{"SHOE.JPG.TXT", []string{"Shoe.jpg"}, []string{"Shoe.jpg en: x (SHOE.JPG.TXT)"}},
		{"scho\u0308n.txt", []string{"sch\u00f6n.jpg"}, []string{"sch\u00f6n.jpg en: x (scho\u0308n.txt)"}},
		{"both.txt", []string{"both.jpg", "both.png"}, []string{"both.jpg en: x (both.txt)", "both.png en: x (both.txt)"}},
		{"alt.txt", []string{"alt.jpg", "b.jpg"}, []string{"alt.jpg en: x (alt.txt)"}},
		{"alt.de.txt", []string{"alt.jpg", "b.jpg"}, []string{"alt.jpg de: x (alt.de.txt)"}},
		{"de.txt", []string{".jpg"}, nil},
		{"notes.txt", []string{"a.jpg"}, nil},
		{"a.txt.txt", []string{"a.jpg"}, []string{"a.jpg en: x (a.txt.txt)"}}, // as a system that hides extensions has it
		{"a.jpg.de.txt.txt", []string{"a.jpg"}, []string{"a.jpg de: x (a.jpg.de.txt.txt)"}},
		{"a.jpg.notalocale.txt", []string{"a.jpg"}, nil},
		{"alt.notalocale.txt", []string{"a.jpg"}, nil},
	}
	for _, test := range tests {
		texts, problems := Read(folder(t, map[string]string{test.sidecar: "x"}, test.frames...))
		if diff := cmp.Diff(test.want, lines(texts)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.sidecar, diff)
		}
		if reported := len(problems) == 1; reported != (test.want == nil) {
			t.Errorf("%s: problems %v", test.sidecar, problems)
		}
	}
}

func TestTemplates(t *testing.T) {
	f := folder(t, map[string]string{"alt.csv": "file,locale,alt\n*,fr,{sku} vue {n}/{total}\n"}, "b.jpg", "a.jpg")
	f.Product = map[string]map[string]string{
		"en": {"*": "{title}, view {n} of {total} {curly"},
		"de": {"*": "{titel} von vorn"},
	}
	f.Title = "Shoe {n}\r\n\"2\""
	wantRead(t, f, []string{
		`a.jpg en: Shoe {n} "2", view 2 of 2 {curly (product.toml)`,
		"a.jpg fr: RS-1 vue 2/2 (alt.csv:2)",
		`b.jpg en: Shoe {n} "2", view 1 of 2 {curly (product.toml)`,
		"b.jpg fr: RS-1 vue 1/2 (alt.csv:2)",
	}, "product.toml: {titel} is not known, and the text is left out; write {n}, {total}, {title} or {sku}")
}

func TestProductNames(t *testing.T) {
	f := folder(t, nil, "a.jpg")
	f.Product = map[string]map[string]string{
		"de_DE": {"A.JPG": "Schuh", "b.jpg": "Schuh"},
		"xx":    {"a.jpg": "what"},
	}
	wantRead(t, f, []string{"a.jpg de-DE: Schuh (product.toml)"},
		`product.toml: [alt.de_DE] names "b.jpg", which is no frame of this folder; correct the name`,
		`product.toml: "xx" is no locale`)
}

func TestTables(t *testing.T) {
	tests := map[string]struct {
		table    string
		want     []string
		problems []string
	}{
		"comma":      {"file,locale,alt\na.jpg,de,\"Schuh, rot\"\na.jpg,,Shoe\n", []string{"de: Schuh, rot (alt.csv:2)", "en: Shoe (alt.csv:3)"}, nil},
		"semicolon":  {"\ufeffFile;Alt;alt.DE\r\na.jpg;Shoe;Schuh\r\n", []string{"de: Schuh (alt.csv:2)", "en: Shoe (alt.csv:2)"}, nil},
		"tab":        {"file\talt.de\na\tSchuh\n", []string{"de: Schuh (alt.csv:2)"}, nil},
		"Excel":      {"sep=;\r\nfile;alt\r\na.jpg;Shoe, red\r\n", []string{"en: Shoe, red (alt.csv:3)"}, nil},
		"UTF-16":     {"\xff\xfef\x00i\x00l\x00e\x00,\x00a\x00l\x00t\x00\n\x00a\x00,\x00\xfc\x00", []string{"en: ü (alt.csv:2)"}, nil},
		"others":     {"sku,file,price,alt\n7,a.jpg,9.99,Shoe\n", []string{"en: Shoe (alt.csv:2)"}, nil},
		"two lines":  {"file,alt\na.jpg,\"Shoe\nfrom above\"\n", []string{"en: Shoe from above (alt.csv:2)"}, nil},
		"all":        {"file,alt\n*,Shoe {n}\na.jpg,Shoe\n", []string{"en: Shoe (alt.csv:3)"}, nil},
		"short row":  {"file,locale,alt\na.jpg\n\na.jpg,de,Schuh\n", []string{"de: Schuh (alt.csv:4)"}, nil},
		"blank":      {"file,alt\na.jpg,\" \t\"\n,\n", nil, nil},
		"empty":      {"", nil, nil},
		"no header":  {"a.jpg,Shoe\n", nil, []string{`alt.csv:1: the first line names no columns "file" and "alt"`}},
		"no file":    {"name,alt\na.jpg,Shoe\n", nil, []string{`alt.csv:1: the first line names no columns "file" and "alt"`}},
		"stray":      {"file,alt\nz.jpg,Shoe\n,Shoe\n", nil, []string{`alt.csv:2: "z.jpg" is no frame`, `alt.csv:3: "" is no frame`}},
		"locale":     {"file,locale,alt\na.jpg,xx,Shoe\na.jpg,de,Schuh\n", []string{"de: Schuh (alt.csv:3)"}, []string{`alt.csv:2: "xx" is no locale`}},
		"columns":    {"file,alt.xx,alt_de,alt.de\na.jpg,1,2,3\n", []string{"de: 3 (alt.csv:2)"}, []string{`alt.csv:1: "xx" is no locale`, "alt.csv:1: the column alt_de is not read"}},
		"bare quote": {"file,alt\na.jpg,17\" wide\na.jpg,17 inches wide\n", []string{"en: 17 inches wide (alt.csv:3)"}, []string{`alt.csv:2: bare " in non-quoted`}},
		"open quote": {"file,alt\na.jpg,Shoe\na.jpg,\"Boot\n", []string{"en: Shoe (alt.csv:2)"}, []string{`alt.csv:3: extraneous or missing "`}},
		"all twice":  {"file,alt\n*,Shoe\n*,Boot\n", []string{"en: Shoe (alt.csv:2)"}, []string{"alt.csv:3: says en of every frame once more; the text of alt.csv:2"}},
		"twice":      {"file,alt\na.jpg,Shoe\na.jpg,Boot\na.jpg,Shoe\n", []string{"en: Shoe (alt.csv:2)"}, []string{"alt.csv:3: says en of a.jpg once more; the text of alt.csv:2 counts, remove one"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for i := range test.want {
				test.want[i] = "a.jpg " + test.want[i]
			}
			wantRead(t, folder(t, map[string]string{"alt.csv": test.table}, "a.jpg"), test.want, test.problems...)
		})
	}
}

func TestXMP(t *testing.T) {
	tests := map[string]struct {
		packet  string
		want    []string
		problem string
	}{
		"languages":      {packet("x-default", "Shoe", "de-ch", "Schuh", "x-repair", "junk"), []string{"de-CH: Schuh", "en: Shoe"}, ""},
		"own and plain":  {packet("x-default", "Schuh", "en", "Shoe"), []string{"en: Shoe"}, ""},
		"escapes":        {packet("de", "Schuh &amp; &#xC4;<![CDATA[<b>]]><!-- -->\n\tneu"), []string{"de: Schuh & Ä<b>  neu"}, ""},
		"no language":    {strings.ReplaceAll(packet("de", "Shoe"), ` xml:lang="de"`, ""), []string{"en: Shoe"}, ""},
		"attribute":      {packetHead[:len(packetHead)-1] + ` i:AltTextAccessibility="Shoe">` + packetTail, []string{"en: Shoe"}, ""},
		"plain property": {packetHead + "<i:AltTextAccessibility> Shoe </i:AltTextAccessibility>" + packetTail, []string{"en: Shoe"}, ""},
		"list and more":  {strings.Replace(packet("de", "Schuh"), "<rdf:Alt>", "junk<rdf:Alt>", 1), []string{"de: Schuh"}, ""},
		"untyped exiv2":  {packetHead + "<i:AltTextAccessibility>lang=de-DE Roter Schuh</i:AltTextAccessibility>" + packetTail, []string{"de-DE: Roter Schuh"}, ""},
		"lang=nothing":   {packetHead + "<i:AltTextAccessibility>lang=xx Shoe</i:AltTextAccessibility>" + packetTail, []string{"en: lang=xx Shoe"}, ""},
		"other prefixes": {strings.NewReplacer("rdf:", "r:", ":rdf", ":r", "<i:", "<q:", "</i:", "</q:", ":i=", ":q=").Replace(packet("de", "Schuh")), []string{"de: Schuh"}, ""},
		"same prefix":    {strings.Replace(packet("de", "Schuh"), nsIPTC, "http://example.com/other/", 1), nil, ""},
		"caption only":   {strings.ReplaceAll(packet("de", "Schuh"), "AltTextAccessibility", "ExtDescrAccessibility"), nil, ""},
		"other picture":  {packetHead + `<i:Ingredient rdf:parseType="x"><rdf:Description i:AltTextAccessibility="Boot"/></i:Ingredient>` + packetTail, nil, ""},
		"UTF-16 header":  {`<?xml version="1.0" encoding="UTF-16"?>` + packet("de", "Schuh"), []string{"de: Schuh"}, ""},
		"padding":        {packet("de", "Schuh") + strings.Repeat(" ", 2000) + "\x00\x00", []string{"de: Schuh"}, ""},
		"nothing":        {packetHead + packetTail, nil, ""},
		"empty list":     {packet(), nil, ""},
		"cut":            {packet("de", "Schuh")[:400], nil, "a.xmp:2: is no readable XMP (XML syntax error"},
		"old":            {packet("xx", "Shoe"), nil, `a.xmp:2: "xx" is no locale`},
		"Latin-1":        {`<?xml version="1.0" encoding="ISO-8859-1"?>` + packet("de", "Schuh"), nil, "a.xmp:1: is no readable XMP"},
		"document type":  {`<!DOCTYPE x [<!ENTITY a "b">]>` + packet("de", "Schuh"), nil, "a.xmp:1: is no readable XMP (it has a document type"},
		"entity":         {packet("de", "&lol;"), nil, "a.xmp:2: is no readable XMP"},
		"deep":           {strings.Repeat("<a>", 100_000), nil, "a.xmp:1: is no readable XMP"},
		"deep inside":    {packetHead + strings.Repeat("<a>", 100_000), nil, "a.xmp:2: is no readable XMP"},
		"long":           {packetHead + strings.Repeat(" ", maxSidecar) + packetTail, nil, "a.xmp: is longer than 1 MiB"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			texts, problems := Read(folder(t, map[string]string{"a.xmp": test.packet}, "a.jpg"))
			var got []string
			for locale, text := range texts["a.jpg"] {
				got = append(got, locale+": "+text.Value)
			}
			slices.Sort(got)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("texts (-want +got):\n%s", diff)
			}
			reported := strings.Trim(fmt.Sprint(problems), "[]")
			if test.problem == "" && reported != "" || !strings.HasPrefix(reported, test.problem) {
				t.Errorf("reported %q, want %q", reported, test.problem)
			}
		})
	}
}

func TestEmbeddedPacketThatIsBroken(t *testing.T) {
	f := folder(t, map[string]string{"alt.txt": "Shoe"}, "a.jpg", "b.jpg")
	f.Embedded = map[string]*Packet{"a.jpg": ParsePacket([]byte("<x")), "b.jpg": ParsePacket([]byte(packet("en", "Boot")))}
	wantRead(t, f, []string{"a.jpg en: Shoe (alt.txt)", "b.jpg en: Boot (b.jpg)"},
		"a.jpg: its embedded XMP cannot be read")
}

func TestPacketsOfOtherPictures(t *testing.T) {
	f := folder(t, map[string]string{
		"a.CR2.xmp":  packetHead + packetTail,
		"b.CR2.xmp":  "<broken",
		"c.CR2.xmp":  packet("de", "Schuh"),
		"a_01.jpg":   "",
		"a_01.xmp":   packet("de", "Schuh"),
		"readme.md":  "",
		"z.de.txt":   "Schuh",
		"prices.csv": "",
	}, "a.jpg", "a_01.jpg")
	wantRead(t, f, []string{"a_01.jpg de: Schuh (a_01.xmp:2)"},
		"prices.csv: is not read",
		"z.de.txt: names no frame of this folder")
}

func TestTextFiles(t *testing.T) {
	long := strings.Repeat("ä", advisedLength+1)
	tests := map[string]struct {
		file    string
		want    string
		problem string
	}{
		"plain":       {"Red shoe\r\n", "Red shoe", ""},
		"lines":       {"\ufeff Red\r\nshoe\n\tfrom\rabove \n\n", "Red shoe  from above", ""},
		"decomposed":  {"Scho\u0308n", "Sch\u00f6n", ""},
		"controls":    {"Red\x07 \x1b[31mshoe", "Red [31mshoe", ""},
		"UTF-16":      {"\xfe\xff\x00S\x00h\x00\xf6\xd8\x3d\xdc\x5f", "Shö👟", ""},
		"blank":       {"\ufeff \r\n", "", ""},
		"empty":       {"", "", ""},
		"Latin-1":     {"Sch\xf6n", "", "a.txt: is not UTF-8 text; save it as UTF-8"},
		"no mark":     {"S\x00h\x00\xf6\x00", "", "a.txt: is not UTF-8 text"},
		"half UTF-16": {"\xff\xfeS", "", "a.txt: is not UTF-8 text"},
		"long":        {long, long, "a.txt: the text has 251 characters; shorten it to 250"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			texts, problems := Read(folder(t, map[string]string{"a.txt": test.file}, "a.jpg"))
			if got := texts["a.jpg"]["en"].Value; got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			reported := strings.Trim(fmt.Sprint(problems), "[]")
			if test.problem == "" && reported != "" || !strings.HasPrefix(reported, test.problem) {
				t.Errorf("reported %q, want %q", reported, test.problem)
			}
		})
	}
}

// TestHostileTable checks that neither the work nor the list of problems grows with a senseless
// file.
func TestHostileTable(t *testing.T) {
	frames := make([]string, 1000)
	for i := range frames {
		frames[i] = fmt.Sprintf("%d.jpg", i)
	}
	table := "file,alt\n" + strings.Repeat("*,a\n*,b\nx,c\n", 20_000)
	texts, problems := Read(folder(t, map[string]string{"alt.csv": table}, frames...))
	if len(texts) != len(frames) || len(problems) != maxProblems {
		t.Errorf("%d texts, %d problems", len(texts), len(problems))
	}
	if last := problems[len(problems)-1]; !last.Unread || last.File != "alt.csv" {
		t.Errorf("the last problem is %+v", last)
	}
}

// TestUnreadIsNotWithdrawn holds what keeps a text on the service while its sidecar is locked or
// half written.
func TestUnreadIsNotWithdrawn(t *testing.T) {
	f := folder(t, map[string]string{
		"b.jpg.txt": "a\x00b",
		"c.jpg.xmp": "<x",
		"alt.csv":   "file,alt\na.jpg,\"Sho",
		"a.de.txt":  "\xff",
		"stray.txt": "nothing",
	}, "a.jpg", "b.jpg", "c.jpg")
	f.Sidecars = append(f.Sidecars, "b.txt")
	unread := map[string]bool{}
	_, problems := Read(f)
	for _, p := range problems {
		unread[p.File] = p.Unread
		if p.Passing != (p.File == "b.txt") { // which is not there; the others stay as they are until somebody changes them
			t.Errorf("%s may be readable later: %v", p.File, p.Passing)
		}
	}
	want := map[string]bool{"b.jpg.txt": true, "c.jpg.xmp": true, "alt.csv": true, "a.de.txt": true, "b.txt": true, "stray.txt": false}
	if diff := cmp.Diff(want, unread); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A slip of the pen leaves it open whose a text is, or in which language. The text that came from
// there before is not withdrawn.
func TestTypoIsNotWithdrawn(t *testing.T) {
	for name, test := range map[string]struct {
		table   string
		product map[string]map[string]string
	}{
		"a photo in alt.csv":      {table: "file,alt\na.jgp,Shoe"},
		"a language in alt.csv":   {table: "file,locale,alt\na.jpg,ger man,Schuh"},
		"a field in alt.csv":      {table: "file,alt\n*,{titel} from the front"},
		"a photo in product.toml": {product: map[string]map[string]string{"de": {"a.jgp": "Schuh"}}},
	} {
		f := folder(t, map[string]string{"alt.csv": test.table}, "a.jpg")
		f.Product = test.product
		if texts, problems := Read(f); len(texts) > 0 || len(problems) != 1 || !problems[0].Unread {
			t.Errorf("%s: texts %v, problems %+v", name, texts, problems)
		}
	}
}

func TestFolderWithoutLocale(t *testing.T) {
	f := folder(t, map[string]string{"a.txt": "Shoe", "a.de.txt": "Schuh"}, "a.jpg")
	f.Locale = ""
	wantRead(t, f, []string{"a.jpg de: Schuh (a.de.txt)"}, `a.txt: "" is no locale`)
}

func TestNormalizeLocale(t *testing.T) {
	tests := map[string]string{
		"en": "en", "EN": "en", "en_US": "en-US", "de-ch": "de-CH", "en_US.UTF-8": "en-US", "de_DE@euro": "de-DE",
		"zh-hant-tw": "zh-Hant-TW", "sr_latn_rs": "sr-Latn-RS", "es-419": "es-419",
		"iw": "iw", "mo": "mo", "fr": "fr", "ja": "ja", "de-CH-1996": "de-CH-1996",
	}
	for code, want := range tests {
		if got, err := NormalizeLocale(code); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", code, got, err, want)
		}
	}
	for _, code := range []string{"", "C", "C.UTF-8", "POSIX", "und", "und-DE", "root", "x-default", "x-repair", "xx", "jpg", "en-", "-", "..", "de de", "\xff"} {
		if got, err := NormalizeLocale(code); err == nil {
			t.Errorf("%q: got %q, want an error", code, got)
		}
	}
}
