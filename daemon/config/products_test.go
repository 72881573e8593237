package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProductTable(t *testing.T) {
	for name, text := range map[string]string{
		"comma":     "sku,title,manufacturer,year,frames\nSKU-1,\"Shoe, red\",Acme,2027,36\n",
		"tab":       "sku\ttitle\tmanufacturer\tyear\tframes\nSKU-1\tShoe, red\tAcme\t2027\t36\n",
		"semicolon": "sku;title;manufacturer;year;frames\r\nSKU-1;Shoe, red;Acme;2027;36\r\n",
		"Excel":     "SEP=;\r\nsku;title;manufacturer;year;frames\r\nSKU-1;Shoe, red;Acme;2027;36\r\n",
		"mark":      "\ufeffSKU,Title,Manufacturer,Year,Frames\nSKU-1,\"Shoe, red\",Acme,2027,36",
		"others":    "ean;frames;title;year;manufacturer;sku;\n17;36; Shoe, red ;2027;Acme;SKU-1;\n;;;;;;\n",
		"twice":     "sku;title;manufacturer;year;frames\nSKU-1;Shoe, red;Acme;2027;36\nSKU-1;Shoe, red;Acme;2027;36\n",
		"many lines": "description;sku;title;manufacturer;year;frames\n\"one\ntwo\";SKU-0;;;;\n" +
			"\"a \"\"b\"\"\n\nc\";SKU-1;Shoe, red;Acme;2027;36\n",
	} {
		t.Run(name, func(t *testing.T) {
			table, err := ParseProductTable([]byte(text))
			if err != nil || len(table.Mistakes) > 0 {
				t.Fatal(err, table.Mistakes)
			}
			unused := map[string][]string{"others": {"ean"}, "many lines": {"description"}}[name]
			if !slices.Equal(table.Unused, unused) || !table.BySKU {
				t.Errorf("the columns %q are not read, want %q; by SKU: %t", table.Unused, unused, table.BySKU)
			}
			got, err := table.Find("Summer/any", "SKU-1")
			if err != nil {
				t.Fatal(err)
			}
			frames := 36
			if diff := cmp.Diff(Product{Title: "Shoe, red", Manufacturer: "Acme", Year: "2027", Frames: &frames}, got); diff != "" {
				t.Error(diff)
			}
			if other, err := table.Find("SKU-1", "SKU-2"); err != nil || !other.equal(Product{}) {
				t.Errorf("of a folder that is not in it: %+v, %v", other, err)
			}
		})
	}
}

func TestProductTableByFolder(t *testing.T) {
	table, err := ParseProductTable([]byte("folder,title\nSummer/SKU-1,Shoe\nSummer\\SKU-2\\,Boot\nScho\u0308n/a,Hat\n"))
	if err != nil {
		t.Fatal(err)
	}
	for folder, title := range map[string]string{"Summer/SKU-1": "Shoe", "Summer/SKU-2": "Boot", "Sch\u00f6n/a": "Hat", "SKU-1": ""} {
		if got, err := table.Find(folder, "Shoe"); err != nil || got.Title != title {
			t.Errorf("%s has the title %q, %v", folder, got.Title, err)
		}
	}
}

// TestProductTableMistakes: a mistake has its line, and is about the folder of its row alone.
func TestProductTableMistakes(t *testing.T) {
	const header = "sku,title,frames\n"
	for text, want := range map[string]string{
		header + "A,Shoe,many\nB,Boot,2":             `line 2: frames: "many" is no number of frames; write a whole number from 0 to 100000`,
		header + "A,Shoe,36.5\nB,Boot,2":             `line 2: frames: "36.5" is no number of frames; write a whole number from 0 to 100000`,
		header + "A,Shoe, red,36\nB,Boot,2":          `line 2: the line has 4 cells and the first line 3; write a text with a ',' in it between double quotes`,
		header + "A,36\nB,Boot,2":                    `line 2: the line has 2 cells and the first line 3; write a ',' for each empty cell too`,
		header + "A,Shoe 5\" wide,36\nB,Boot,2":      "line 2: a double quote is where none may be",
		header + "A,\"Shoe \"red\" x\",36\nB,Boot,2": "line 2: a double quote is where none may be",
		header + "A,Shoe\x07,36\nB,Boot,2":           "line 2: title: the text holds a line break or another control character",
		header + "A,Shoe,1\nB,Boot,2\nA,Boot,1":      "line 4: A is in line 2 too, with other values; remove one of the two",
		header + "B,Boot,2\n,Shoe,3":                 "line 3: the line names no folder or SKU",
	} {
		table, err := ParseProductTable([]byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if len(table.Mistakes) != 1 || !strings.HasPrefix(table.Mistakes.Error(), want) {
			t.Errorf("%q: reported %v", text, table.Mistakes)
		}
		if _, err := table.Find("", "A"); strings.Contains(text, "\nA,") && fmt.Sprint(err) != table.Mistakes.Error() {
			t.Errorf("%q: of the row: %v", text, err)
		}
		if got, err := table.Find("", "B"); err != nil || got.Title != "Boot" {
			t.Errorf("%q: of the other row: %+v, %v", text, got, err)
		}
	}
}

func TestProductTableWithoutContent(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "line 1: the header line is missing",
		"title,year\nShoe,2027\n":            `line 1: the first line has to name one of the columns "folder" and "sku"`,
		"sku,folder,title\nA,B,Shoe\n":       `line 1: the first line has to name one of the columns "folder" and "sku"`,
		"sku,title,title\nA,B,Shoe\n":        "line 1: the column title is here twice",
		"sku,title\nA,Shoe\nB,B\x00\x00\x00": "its end is empty (zeros)",
		"sku,title\nA,Sch\xf6n\n":            "line 2: this is not UTF-8 text; save the file as UTF-8",
		"\xff\xfes\x00k\x00u\x00":            "line 1: this is not UTF-8 text",
		"sku,title\nA,\"Shoe\nB,Boot\n":      "line 2: a text begins with a double quote and does not end",
		strings.Repeat("x", MaxTableSize+1):  "the file is larger than 16 MiB; shorten it",
	} {
		_, err := ParseProductTable([]byte(text))
		if !errors.As(err, new(Mistakes)) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

func TestProductsPath(t *testing.T) {
	for path, want := range map[string]string{"": "", "products.csv": "products.csv", "lists/./a.csv": "lists/a.csv"} {
		if got, err := parseProducts(path); err != nil || got != want {
			t.Errorf("%q: %q, %v", path, got, err)
		}
	}
	for _, path := range []string{"/etc/products.csv", "../products.csv", "a/../../b", "a\nb", "lists/"} {
		if got, err := parseProducts(path); err == nil {
			t.Errorf("%q is taken as %q", path, got)
		}
	}
}
