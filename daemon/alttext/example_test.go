package alttext_test

import (
	"fmt"
	"io"
	"strings"

	"spinsync/daemon/alttext"
)

// A text for one frame goes before the template for every frame.
func ExampleRead() {
	sidecars := map[string]string{
		"alt.txt":            "{title}, view {n} of {total}",
		"shoe_02.jpg.de.txt": "Die Sohle",
	}
	texts, problems := alttext.Read(alttext.Folder{
		Frames:   []string{"shoe_01.jpg", "shoe_02.jpg"},
		Sidecars: []string{"alt.txt", "shoe_02.jpg.de.txt"},
		Open:     func(name string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(sidecars[name])), nil },
		Locale:   "en",
		Title:    "Red shoe",
	})
	fmt.Println(texts["shoe_01.jpg"]["en"].Value)
	fmt.Println(texts["shoe_02.jpg"]["de"].Value, "from", texts["shoe_02.jpg"]["de"].Source)
	fmt.Println(len(problems), "problems")
	// Output:
	// Red shoe, view 1 of 2
	// Die Sohle from shoe_02.jpg.de.txt
	// 0 problems
}

// What another person wrote on the service stays. What was set from here follows the folder.
func ExampleMerge() {
	last := map[string]string{"en": "Shoe", "fr": "Chaussure"}
	folder := map[string]string{"en": "Red shoe", "de": "Schuh"}
	service := map[string]string{"en": "Shoe", "fr": "Chaussure", "de": "Ein Schuh"}
	want, kept := alttext.Merge(last, folder, service)
	fmt.Println(want)
	fmt.Println("kept:", kept)
	// Output:
	// map[de:Ein Schuh en:Red shoe]
	// kept: [de]
}
