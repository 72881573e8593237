package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"spinsync/daemon/alttext"
	"spinsync/daemon/manifest"
)

// Product is the content of a product.toml.
type Product struct {
	Title, SKU, Manufacturer, Year string // in NFC; empty when not given

	Frames *int           // of a full turn, 0 for unknown; nil when not given
	Order  manifest.Order // empty when not given

	// Alt has the alt texts as written, by normalised locale and then by file
	// name; the name "*" stands for every frame.
	Alt map[string]map[string]string
}

// ParseProduct reads the text of a product.toml. The error is Mistakes.
func ParseProduct(data []byte) (Product, error) {
	d := newDocument(data)
	if d.root == nil {
		return Product{}, d.mistakes
	}
	t := d.root
	p := Product{
		Title:        read(t, "title", "", text(title)),
		SKU:          read(t, "sku", "", text(title)),
		Manufacturer: read(t, "manufacturer", "", text(title)),
		Year:         read(t, "year", "", parseYear),
		Frames:       read(t, "frames", nil, parseFrames),
		Order:        read(t, "order", "", text(manifest.ParseOrder)),
		Alt:          readAlt(t.table("alt")),
	}
	if err := d.finish(); err != nil {
		return Product{}, err
	}
	return p, nil
}

func parseFrames(value any) (*int, error) {
	n, err := whole(0, maxFrames)(value)
	return &n, err
}

func parseYear(value any) (string, error) {
	switch value := value.(type) {
	case string:
		return title(value)
	case int64:
		if value >= 0 && value <= 9999 {
			return strconv.FormatInt(value, 10), nil
		}
	}
	return "", fmt.Errorf("want a year such as 2027, got %s", kindOf(value))
}

func readAlt(t *table) map[string]map[string]string {
	alt := map[string]map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(t.values)) {
		texts := readTexts(t.table(key))
		locale, err := alttext.NormalizeLocale(key)
		switch {
		case err != nil:
			t.mistake(key, "%s; a table of texts is named as in [alt.en]", err)
		case alt[locale] != nil:
			t.mistake(key, "the locale %s has a table already; put all its texts there", locale)
		default:
			alt[locale] = texts
		}
	}
	return alt
}

func readTexts(t *table) map[string]string {
	texts := map[string]string{}
	for name := range t.values {
		texts[name] = read(t, name, "", text(func(s string) (string, error) { return s, nil }))
	}
	return texts
}
