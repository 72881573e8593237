package plan_test

import (
	"testing"

	"spinsync/daemon/config"
	"spinsync/daemon/manifest"
	"spinsync/daemon/plan"
)

// A product.toml changes what it names, and leaves all else as sync.toml has it.
func TestRulesOfAProductFile(t *testing.T) {
	root := plan.Rules{Frames: 36, Order: manifest.Name}
	none, few := 0, 24
	for name, test := range map[string]struct {
		file   config.Product
		frames int
		order  manifest.Order
	}{
		"nothing":   {config.Product{}, 36, manifest.Name},
		"frames":    {config.Product{Frames: &few}, 24, manifest.Name},
		"no frames": {config.Product{Frames: &none}, 0, manifest.Name},
		"order":     {config.Product{Order: manifest.Captured}, 36, manifest.Captured},
	} {
		if got := root.WithProductFile(test.file); got.Frames != test.frames || got.Order != test.order {
			t.Errorf("%s: %d frames, by %s", name, got.Frames, got.Order)
		}
	}
}
