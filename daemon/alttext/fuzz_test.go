package alttext

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// readOne reads a folder of two frames with one sidecar, and fails when a text that came out is not
// fit to be sent or a problem does not name its file.
func readOne(t *testing.T, name string, data []byte) {
	f := Folder{
		Frames:   []string{"a.jpg", "b.jpg"},
		Sidecars: []string{name},
		Open:     func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
		Locale:   "en",
		Title:    "Shoe\n{n}",
	}
	texts, problems := Read(f)
	for frame, byLocale := range texts {
		for locale, text := range byLocale {
			again, err := NormalizeLocale(locale)
			if err != nil || again != locale {
				t.Errorf("%s: locale %q: %q, %v", frame, locale, again, err)
			}
			if text.Value == "" || text.Value != clean(text.Value) || text.Source != name {
				t.Errorf("%s %s: %+v", frame, locale, text)
			}
		}
	}
	lines := bytes.Count(data, []byte("\n")) + 1
	for _, p := range problems {
		if p.File != name || p.Line < 0 || p.Line > lines || p.Message == "" {
			t.Errorf("problem %+v of a file with %d lines", p, lines)
		}
	}
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("file,locale,alt\na.jpg,de,\"Schuh, rot\"\n*,,Shoe {n}\n"))
	f.Add([]byte("\ufefffile;alt;alt.de\r\na;Shoe;Schuh\r\n"))
	f.Add([]byte("file\talt.xx\talt.de\nb.jpg\t1\t\"2"))
	f.Add([]byte("\xff\xfef\x00i\x00l\x00e\x00"))
	f.Fuzz(func(t *testing.T, data []byte) { readOne(t, "alt.csv", data) })
}

func FuzzXMP(f *testing.F) {
	f.Add([]byte(packet("x-default", "Shoe", "de", "Schuh &amp; mehr", "x-repair", "junk")))
	f.Add([]byte(packetHead + "<i:AltTextAccessibility>lang=de Schuh</i:AltTextAccessibility>" + packetTail))
	f.Add([]byte(packetHead[:len(packetHead)-1] + ` i:AltTextAccessibility="Shoe">` + packetTail))
	f.Add([]byte("<!DOCTYPE a><a>&b;</a>"))
	f.Fuzz(func(t *testing.T, data []byte) { readOne(t, "a.jpg.xmp", data) })
}

func FuzzTextFile(f *testing.F) {
	f.Add([]byte("\ufeff Red\r\nshoe {n}\t"))
	f.Add([]byte("\xfe\xff\x00S\xd8\x3d"))
	f.Add([]byte("Scho\u0308n \x00\x1b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		readOne(t, "a.de.txt", data)
		readOne(t, "alt.txt", data)
	})
}

// FuzzClean checks that a text is changed once and for good.
func FuzzClean(f *testing.F) {
	f.Add(" Red\r\n\tshoe\u2028")
	f.Add("e\x00\u0301 \ufeff\r\x00\n")
	f.Fuzz(func(t *testing.T, text string) {
		once := clean(text)
		if clean(once) != once {
			t.Errorf("%q becomes %q and then %q", text, once, clean(once))
		}
		if !utf8.ValidString(once) || !norm.NFC.IsNormalString(once) || strings.ContainsAny(once, "\n\r\t\x00") {
			t.Errorf("%q becomes %q", text, once)
		}
	})
}

func FuzzNormalizeLocale(f *testing.F) {
	for _, code := range []string{"en_US.UTF-8", "zh-hant-tw", "de-DE-u-co-phonebk", "x-default", "iw", ""} {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code string) {
		locale, err := NormalizeLocale(code)
		if err != nil {
			return
		}
		if again, err := NormalizeLocale(locale); err != nil || again != locale {
			t.Errorf("%q is %q, which is %q, %v", code, locale, again, err)
		}
	})
}

// FuzzNames feeds file names, which are as hostile as what the files hold.
func FuzzNames(f *testing.F) {
	f.Add("shoe.de.txt", "shoe.jpg")
	f.Add("shoe.jpg.de_DE@euro.TXT", "SHOE.JPG")
	f.Add("alt.txt", "alt.")
	f.Fuzz(func(t *testing.T, sidecar, frame string) {
		texts, problems := Read(Folder{
			Frames:   []string{frame},
			Sidecars: []string{sidecar},
			Open:     func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil },
			Locale:   "en",
		})
		if len(texts)+len(problems) > 1 {
			t.Errorf("%q beside %q: %v, %v", sidecar, frame, texts, problems)
		}
	})
}
