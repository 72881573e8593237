package daemon_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// TestFolderSwappedWhileItIsSent: of another folder that stands under the same name for a moment
// nothing is published, though all that can be told of its photos from outside is the same.
func TestFolderSwappedWhileItIsSent(t *testing.T) {
	w := newWorld(t, "frames = 2\n"+shortQuiet+"[upload]\nparallel = 1\n")
	w.settle = "1s"
	mine, others := w.path("Summer/SKU-1"), filepath.Join(t.TempDir(), "others")
	right, wrong := sameSize(daemontest.Photo("right"), daemontest.Photo("wrong"))
	w.shoot("a", "Summer/SKU-1/1.jpg")
	w.write("Summer/SKU-1/2.jpg", right)
	w.age("Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1")
	info, err := os.Stat(w.path("Summer/SKU-1/2.jpg"))
	do := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	do(err)
	do(os.Mkdir(others, 0o755))
	do(os.Link(w.path("Summer/SKU-1/1.jpg"), filepath.Join(others, "1.jpg"))) // or it would be noticed at the first one
	daemontest.Write(t, filepath.Join(others, "2.jpg"), wrong)
	do(os.Chtimes(filepath.Join(others, "2.jpg"), info.ModTime(), info.ModTime()))
	do(os.Chtimes(others, info.ModTime(), info.ModTime()))
	swap := func() {
		aside := others + "-aside"
		do(os.Rename(mine, aside))
		do(os.Rename(others, mine))
		do(os.Rename(aside, others))
	}
	var sent int
	w.calls.setSpoil(func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.Upload {
			if sent++; sent <= 2 {
				swap()
			}
		}
		return sandbox.Fault{}
	})
	w.runUntil(func(products []status.ProductStatus) bool {
		return len(products) == 1 && products[0].State == status.Published
	})
	products, err := w.service.Products()
	do(err)
	for _, r := range products[0].Revisions {
		for _, f := range r.Files {
			if f.SHA256 == sum(wrong) {
				t.Errorf("revision %d has the other folder's %s", r.Number, f.Name)
			}
		}
	}
}

// sameSize puts zeros behind the shorter photo.
func sameSize(a, b string) (string, string) {
	size := max(len(a), len(b))
	return a + strings.Repeat("\x00", size-len(a)), b + strings.Repeat("\x00", size-len(b))
}
