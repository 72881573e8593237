package nofollow

import (
	"os"
	"path/filepath"
	"testing"
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
	for _, below := range []string{".", "Summer/SKU-1", "Winter/caf\u00e9", "123/456"} {
		if err := Spelled(root, below); err != nil {
			t.Errorf("%s: %v", below, err)
		}
	}
	for _, below := range []string{"sUMMER/SKU-1", "Summer/sku-1", "Winter/cafe\u0301"} {
		if err := Spelled(root, below); !IsGone(err) {
			t.Errorf("%s: %v", below, err)
		}
	}
}
