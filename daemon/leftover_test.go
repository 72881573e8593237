package daemon_test

import (
	"testing"

	"spinsync/daemon"
	"spinsync/daemon/status"
)

// TestLeftoverTemporaryFiles: what a program left behind an hour ago holds up no folder, also when
// spinsync starts beside it. A counted set does not wait for a program's own temporary file either.
func TestLeftoverTemporaryFiles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, toml, leftover string }{
		{"counted, a frame of an hour ago", "frames = 2", "2.jpg.part"},
		{"not counted, a frame of an hour ago", shortQuiet, "3.jpg.part"},
		{"not counted, a program's own file of an hour ago", shortQuiet, "ps1234.tmp"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, test.toml)
			leftover := "Summer/SKU-1/" + test.leftover
			w.write(leftover, "half a photo")
			w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
			w.age(leftover)
			w.runUntil(func(p []status.ProductStatus) bool { return count(p, status.Published) == 1 })
		})
	}
	t.Run("counted, a program's own file of this moment", func(t *testing.T) {
		w := newWorld(t, "frames = 2\nquiet = \"1h\"")
		w.write("Summer/SKU-1/ps1234.tmp", "")
		w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		w.runUntil(func(p []status.ProductStatus) bool { return count(p, status.Published) == 1 })
	})
}

// TestTemporaryFileOfAFrame: a counted set waits for the program that writes one of its frames once
// more.
func TestTemporaryFileOfAFrame(t *testing.T) {
	w := newWorld(t, "frames = 2\nquiet = \"1h\"")
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	w.write("Summer/SKU-1/2.jpg.part", "half a photo")
	w.while(func(_ *daemon.Daemon, until await) {
		until(func(p []status.ProductStatus) bool { return len(p) == 1 && p[0].Frames.Settled == 2 })
		remove(t, w.path("Summer/SKU-1/2.jpg.part"))
		until(func(p []status.ProductStatus) bool { return count(p, status.Published) == 1 })
	})
}
