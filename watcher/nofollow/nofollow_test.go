package nofollow

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// A path counts by the bytes that its directories list. Where a drive finds a name by another
// spelling too, the listing decides.
func TestSpelled(t *testing.T) {
	root, err := os.MkdirTemp("", "spelled")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(root)
	for _, dir := range []string{"Summer/SKU-1", "Winter/caf\u00e9", "123/456"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	asListed := func(name string) string { return name }
	for _, below := range []string{".", "Summer/SKU-1", "Winter/caf\u00e9", "123/456"} {
		if err := Spelled(root, below, asListed); err != nil {
			t.Errorf("%s: %v", below, err)
		}
	}
	for _, below := range []string{"sUMMER/SKU-1", "Summer/sku-1", "Winter/cafe\u0301"} {
		if err := Spelled(root, below, asListed); !IsGone(err) {
			t.Errorf("%s: %v", below, err)
		}
	}
}

// Where the caller knows names composed, a directory that is listed decomposed counts by that name.
func TestSpelledComposed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a name has one form there")
	}
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "cafe\u0301"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Spelled(root, "caf\u00e9", norm.NFC.String); err != nil {
		t.Error(err)
	}
	if err := Spelled(root, "caf\u00e9", func(listed string) string { return listed }); !IsGone(err) {
		t.Errorf("as it is listed: %v", err)
	}
}
