package demo

import (
	"strings"
	"testing"

	"spinsync/daemon/status"
)

// A demo that ends with the first view, and removes it, prints no address at which nothing is.
func TestNoAddressOfAViewThatIsGone(t *testing.T) {
	var said strings.Builder
	if err := (&play{once: true, say: &said}).showView(t.Context(), status.ProductStatus{}); err != nil || said.Len() > 0 {
		t.Errorf("%q, %v", &said, err)
	}
}
