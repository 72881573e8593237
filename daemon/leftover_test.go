package daemon_test

import (
	"testing"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
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
			daemontest.Story(t, test.toml, func(t *testing.T, w *daemontest.World) {
				leftover := "Summer/SKU-1/" + test.leftover
				w.Write(leftover, "half a photo")
				w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
				w.Age(leftover)
				w.RunUntil(daemontest.In(status.Published, 1))
			})
		})
	}
	t.Run("counted, a program's own file of this moment", func(t *testing.T) {
		daemontest.Story(t, "frames = 2\nquiet = \"1h\"", func(t *testing.T, w *daemontest.World) {
			w.Write("Summer/SKU-1/ps1234.tmp", "")
			w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
			w.RunUntil(daemontest.In(status.Published, 1))
		})
	})
}

// TestTemporaryFileOfAFrame: a counted set waits for the program that writes one of its frames once
// more.
func TestTemporaryFileOfAFrame(t *testing.T) {
	daemontest.Story(t, "frames = 2\nquiet = \"1h\"", func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		w.Write("Summer/SKU-1/2.jpg.part", "half a photo")
		w.While(func(_ *daemon.Daemon, until daemontest.Await) {
			until(func(p []status.ProductStatus) bool { return len(p) == 1 && p[0].Frames.Settled == 2 })
			w.Remove("Summer/SKU-1/2.jpg.part")
			until(daemontest.In(status.Published, 1))
		})
	})
}
