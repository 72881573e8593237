package alttext_test

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"spinsync/daemon/alttext"
	"spinsync/daemon/config"
)

// examples are the blocks of docs/alt-texts.md: a kind, the file's name, what is in it.
var examples = regexp.MustCompile("(?s)```[a-z]+ ([^\n]+)\n(.*?)```")

// Every example of the documentation is read without a complaint, and means what its page claims.
func TestExamplesOfTheDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/alt-texts.md")
	if err != nil {
		t.Fatal(err)
	}
	found := examples.FindAllStringSubmatch(string(page), -1)
	if len(found) < 9 {
		t.Fatalf("%d examples, want every form", len(found))
	}
	for _, example := range found {
		name, text := example[1], example[2]
		t.Run(name, func(t *testing.T) {
			folder := alttext.Folder{
				Frames:   []string{"frame_01.jpg", "frame_02.jpg"},
				Sidecars: []string{name},
				Open:     func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
				Locale:   "en", Title: "A red teapot", SKU: "POT-1",
			}
			if name == "product.toml" {
				product, err := config.ParseProduct([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				folder.Product, folder.Sidecars = product.Alt, nil
			}
			texts, problems := alttext.Read(folder)
			if len(problems) > 0 {
				t.Error(problems)
			}
			checkExample(t, name, text, texts)
		})
	}
}

// checkExample compares the texts with those of every example on the page.
func checkExample(t *testing.T, name, written string, texts alttext.Texts) {
	want := map[string]string{"en": "A red teapot from the front", "de": "Eine rote Teekanne von vorn"}
	if name == "alt.txt" {
		want["en"] = "A red teapot, photo 1 of 2"
	}
	sentences := 0
	for locale, text := range texts["frame_01.jpg"] {
		sentences++
		if text.Value != want[locale] {
			t.Errorf("%s: %q, want %q", locale, text.Value, want[locale])
		}
	}
	if german := strings.Contains(written, want["de"]); sentences == 0 || german != (texts["frame_01.jpg"]["de"].Value != "") {
		t.Errorf("of %q came %v", written, texts["frame_01.jpg"])
	}
	if strings.Contains(written, "{n}") && texts["frame_02.jpg"]["en"].Value != "A red teapot, photo 2 of 2" {
		t.Errorf("of %q came %v for the second photo", written, texts["frame_02.jpg"])
	}
}
