package view

import "testing"

// A source names its file as a path, URL-encoded or not.
func TestNameOfASource(t *testing.T) {
	for source, want := range map[string]string{
		"0001.jpg":               "0001.jpg",
		"uploads/7/0001.jpg":     "0001.jpg",
		"uploads/Sch%C3%B6n.jpg": "Sch\u00f6n.jpg",
		"Scho\u0308n.jpg":        "Sch\u00f6n.jpg",
		"100%.jpg":               "100%.jpg",
	} {
		if got := sourceName(source); got != want {
			t.Errorf("%q is %q, want %q", source, got, want)
		}
	}
}
