package daemon_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// insertCard mounts an empty drive without an id of its own on the root, in place of the one before.
func insertCard(w *daemontest.World) {
	w.T.Helper()
	if unix.Unmount(w.Root, unix.MNT_DETACH) != nil {
		w.T.Cleanup(func() { _ = unix.Unmount(w.Root, unix.MNT_DETACH) })
	}
	if err := unix.Mount("none", w.Root, "tmpfs", 0, ""); err != nil {
		if os.Getenv("CI") == "true" {
			w.T.Fatal(err)
		}
		w.T.Skip(err)
	}
}

// Another card of the same kind takes the place of the first: the view of a folder on the first stays,
// however often the program starts.
func TestViewsOfAnotherCard(t *testing.T) {
	daemontest.Story(t, shortQuiet+"on_remove = \"delete\"\n", func(t *testing.T, w *daemontest.World) {
		insertCard(w)
		w.Shoot("a", "Summer/one/1.jpg", "Summer/one/2.jpg")
		w.RunUntil(daemontest.In(status.Published, 1))
		insertCard(w)
		w.Shoot("b", "Summer/two/1.jpg", "Summer/two/2.jpg")
		w.RunUntil(daemontest.In(status.Published, 2))
		w.While(func(*daemon.Daemon, daemontest.Await) { time.Sleep(10 * time.Minute) })
		if titles := w.Titles(); !slices.Equal(titles, []string{"one", "two"}) {
			t.Errorf("on the service: %q", titles)
		}
	})
}

// A folder with the photos of one that waits for its drive in another root is a matter for a person.
func TestCopyOfAFolderOnAnotherCard(t *testing.T) {
	daemontest.Story(t, shortQuiet+otherRoot, func(t *testing.T, w *daemontest.World) {
		w.Mkdir("../elsewhere")
		insertCard(w)
		w.Shoot("a", "Summer/one/1.jpg", "Summer/one/2.jpg")
		w.RunUntil(daemontest.In(status.Published, 1))
		insertCard(w)
		w.Shoot("a", "../elsewhere/Summer/one/1.jpg", "../elsewhere/Summer/one/2.jpg")
		w.Shoot("b", "Summer/two/1.jpg", "Summer/two/2.jpg")
		w.RunUntil(daemontest.In(status.Attention, 1))
	})
}

// A pass does not wait for a folder whose upload was begun from another card.
func TestPassWithAnotherCard(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		insertCard(w)
		w.Shoot("a", "Summer/one/1.jpg", "Summer/one/2.jpg")
		breakOff(w)
		insertCard(w)
		w.Shoot("b", "Summer/two/1.jpg", "Summer/two/2.jpg")
		wantShortPass(w, "of its own", ownPass)
		wantShortPass(w, "beside a daemon", passBeside(w))
		if titles := w.Titles(); !slices.Contains(titles, "two") {
			t.Errorf("on the service: %q", titles)
		}
	})
}

// Nor does one beside a daemon that has seen the card before.
func TestPassOnceTheCardIsSwapped(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		insertCard(w)
		w.Shoot("a", "Summer/one/1.jpg", "Summer/one/2.jpg")
		w.Calls.Spoil(daemontest.Always(sandbox.Upload, sandbox.Fault{Status: http.StatusServiceUnavailable}))
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Retrying, 1))
			daemontest.Must(t, unix.Unmount(w.Root, unix.MNT_DETACH))
			time.Sleep(time.Minute)
			insertCard(w)
			w.Shoot("b", "Summer/two/1.jpg", "Summer/two/2.jpg")
			w.Calls.Spoil(nil)
			until(daemontest.In(status.Published, 1))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := d.Pass(ctx); !errors.Is(err, daemon.ErrUnpublished) {
				t.Errorf("the pass ends with %v; the status is %+v", err, d.Status().Products)
			}
		})
	})
}
