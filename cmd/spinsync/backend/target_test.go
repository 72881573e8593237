package backend

import (
	"testing"

	"spinsync/daemon/status"
	"spinsync/watcher"
)

func TestMatchFolder(t *testing.T) {
	products := []status.ProductStatus{
		{Root: "/a", Folder: "Summer/SKU-1"}, {Root: "/a", Folder: "Summer/SKU-2"}, {Root: "/b", Folder: "Summer/SKU-2"}, {Root: "/b", Folder: "bad\xff"}, {Root: "/b", Folder: "Gr\xf6\xdfe"},
		{Root: "/", Folder: "Boots"}, {Root: "/a", Folder: "Cafe\u0301"}, {Root: "/a", Folder: "Bistro\u0302t"}, {Root: "/a", Folder: "Bistr\u00f4t"},
		{Root: "/a", Folder: "hat"}, {Root: "/a", Folder: "Hat"},
	}
	for name, want := range map[string]string{
		"Summer/SKU-1":    "/a/Summer/SKU-1",
		"Summer/SKU-1/":   "/a/Summer/SKU-1",
		"/b/Summer/SKU-2": "/b/Summer/SKU-2",
		"bad\ufffd":       "/b/bad\xff",
		"Gr\ufffd\ufffde": "/b/Gr\xf6\xdfe",
		"caf\u00e9":       "/a/Cafe\u0301",
		"summer/sku-1":    "/a/Summer/SKU-1",
		"/Boots":          "//Boots",
		"/a/Caf\u00e9":    "/a/Cafe\u0301",
		"Bistr\u00f4t":    "/a/Bistr\u00f4t",
		"Bistro\u0302t":   "/a/Bistro\u0302t",
		"Summer/SKU-2":    "several folders are called Summer/SKU-2; name one of /a/Summer/SKU-2, /b/Summer/SKU-2",
		"Hat":             "/a/Hat",
		"HAT":             "several folders are called HAT; name one of /a/hat, /a/Hat",
		"sumer/sku-1":     "unknown product folder sumer/sku-1; did you mean Summer/SKU-1 or Summer/SKU-2?",
		"SKU-1":           "unknown product folder SKU-1; did you mean Summer/SKU-1?",
		"Winter\x1b[2J":   `unknown product folder Winter\x1b[2J; spinsync status lists them`,
	} {
		folder, err := matchFolder(products, name)
		got := folder.String()
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestRootNamed(t *testing.T) {
	roots := []watcher.RootStatus{{Path: "/Shoots"}, {Path: "/shoots"}, {Path: "/Caf\u00e9"}}
	for name, want := range map[string]string{"/shoots": "/shoots", "/SHOOTS": "", "/cafe\u0301": "/Caf\u00e9", "/a": ""} {
		if got := rootNamed(roots, name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
