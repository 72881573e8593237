package daemon

import (
	"testing"

	"spinsync/daemon/layout"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
)

// TestNameByThePath: a folder without a product has the name in an export that its path gives. A
// recorded name stays, and a path that does not fit the layout gives none.
func TestNameByThePath(t *testing.T) {
	pattern, err := layout.Parse("{project}/{manufacturer}/{sku}")
	if err != nil {
		t.Fatal(err)
	}
	type names [4]string // SKU, title, manufacturer, project
	for name, test := range map[string]struct{ has, want status.ExportedProduct }{
		"unnamed": {
			status.ExportedProduct{Folder: "Summer/Acme/SKU-1"},
			status.ExportedProduct{SKU: "SKU-1", Title: "SKU-1", Manufacturer: "Acme", Project: status.ExportedProject{Title: "Summer"}},
		},
		"named": {
			status.ExportedProduct{Folder: "Summer/Acme/SKU-1", SKU: "4711", Title: "Shoe", Project: status.ExportedProject{Title: "Winter"}},
			status.ExportedProduct{SKU: "4711", Title: "Shoe", Project: status.ExportedProject{Title: "Winter"}},
		},
		"elsewhere": {status.ExportedProduct{Folder: "Summer/SKU-1"}, status.ExportedProduct{}},
	} {
		nameBy(&test.has, plan.Rules{Layout: pattern})
		got := names{test.has.SKU, test.has.Title, test.has.Manufacturer, test.has.Project.Title}
		if want := (names{test.want.SKU, test.want.Title, test.want.Manufacturer, test.want.Project.Title}); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
