package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon/alttext"
	"spinsync/daemon/manifest"
)

func TestParseProduct(t *testing.T) {
	none, turn := 0, 36
	tests := []struct {
		name, toml string
		want       Product
	}{
		{"empty", "", Product{}},
		{"all", `title = " Shoe "
sku = "A-1"
manufacturer = "ACME"
year = "2027/28"
frames = 36
order = "natural"
[alt.en]
"frame_01.jpg" = "front\nside"
"*" = "{title}, {n} of {total}"
[alt.de_CH]
"frame_01.jpg" = ""
`, Product{
			Title: "Shoe", SKU: "A-1", Manufacturer: "ACME", Year: "2027/28", Frames: &turn, Order: manifest.Natural,
			Alt: map[string]map[string]string{
				"en":    {"frame_01.jpg": "front\nside", "*": "{title}, {n} of {total}"},
				"de-CH": {"frame_01.jpg": ""},
			}}},
		{"year as a number, no count", "year = 2027\nframes = 0", Product{Year: "2027", Frames: &none}},
		{"NFC", "title = \"e\u0301\"", Product{Title: "é"}},
		{"Notepad", "\ufefftitle = \"a\"\r\n", Product{Title: "a"}},
	}
	for _, tt := range tests {
		got, err := ParseProduct([]byte(tt.toml))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if tt.want.Alt == nil {
			tt.want.Alt = map[string]map[string]string{}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestParseProductNamesMistakes(t *testing.T) {
	tests := []struct{ toml, want string }{
		{"tilte = \"a\"", "line 1: tilte: unknown key; did you mean title?"},
		{"ksu = \"a\"", "line 1: ksu: unknown key; did you mean sku?"},
		{"title = \"a\"\n\x00\x00", "its end is empty (zeros)"},
		{"title = \"a\\nb\"", "line 1: title: the text holds a line break"},
		{"sku = \"" + strings.Repeat("a", maxTitle+1) + "\"", "line 1: sku: the text has 1001 characters; shorten it to 1000"},
		{"year = 2027-01-02", "line 1: year: want a year such as 2027, got a date or time"},
		{"year = 20270", "line 1: year: want a year such as 2027, got a whole number"},
		{"year = -1", "line 1: year: want a year such as 2027, got a whole number"},
		{"\nframes = -1", "line 2: frames: -1 is out of range"},
		{"order = \"exif\"", "line 1: order: unknown order"},
		{"layout = \"{sku}\"", "line 1: layout: unknown key"},
		{"[alt]\n\"frame_01.jpg\" = \"front\"", `line 2: alt."frame_01.jpg": "frame_01.jpg" is no locale; write a language tag such as "de" or "en-US"; a table of texts is named as in [alt.en]`},
		{"[alt.en]\na = 1", "line 2: alt.en.a: want text in quotes, got a whole number"},
		{"alt.en = \"x\"", "line 1: alt.en: want a table, got text; write [alt.en]"},
		{"[alt.en-us]\n[alt.en_US]", "line 2: alt.en_US: the locale en-US has a table already"},
		{"title = 'Teapot'\nsku = A-1\n", "line 2: this cannot be read; write text between single quotes"},
		{"frames = 36\nframes = 24", "line 2: frames: the file has it already; remove one of the two"},
	}
	for _, tt := range tests {
		_, err := ParseProduct([]byte(tt.toml))
		if !strings.Contains(fmt.Sprint(err), tt.want) {
			t.Errorf("%q\ngot  %v\nwant %s", tt.toml, err, tt.want)
		}
	}
}

func FuzzParseProduct(f *testing.F) {
	f.Add([]byte("title = \"Shoe\"\nyear = 2027\nframes = 36\norder = \"captured\"\n[alt.de]\n\"frame_01.jpg\" = \"vorn\"\n\"*\" = '{n}'\n"))
	f.Add([]byte("alt = {en = {\"a.jpg\" = \"\"\"x\ny\"\"\"}}"))
	f.Add([]byte("[alt.en-US]\n[alt.en_us]\n[alt.\"\"]\n"))
	f.Add([]byte("year = \"\\u0000\"\nframes = 1e3"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ParseProduct(data)
		if err != nil {
			mistakesIn(t, err)
			return
		}
		for _, s := range []string{p.Title, p.SKU, p.Manufacturer, p.Year} {
			if again, err := title(s); again != s || err != nil {
				t.Errorf("%q: %q is no title: %v", data, s, err)
			}
		}
		for locale := range p.Alt {
			if again, err := alttext.NormalizeLocale(locale); again != locale || err != nil {
				t.Errorf("%q: %q is no locale: %v", data, locale, err)
			}
		}
	})
}
