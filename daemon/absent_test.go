package daemon_test

import (
	"errors"
	"slices"
	"testing"

	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestPassDeletesWhatIsGone: a pass sees for itself that several folders are gone, and asks a
// person about them. The next pass keeps the question, and another deletes the view that the person
// names.
func TestPassDeletesWhatIsGone(t *testing.T) {
	w := newWorld(t, shortQuiet+`on_remove = "delete"`)
	w.shoot("a", "Summer/named/1.jpg", "Summer/other/1.jpg", "Summer/stays/1.jpg")
	w.published()
	removeAll(t, w.path("Summer/named"))
	removeAll(t, w.path("Summer/other"))
	for range 2 {
		products, err := w.sync()
		if got := products["Summer/named"].State; got != status.Attention || !errors.Is(err, daemon.ErrUnpublished) {
			t.Fatalf("after a pass it is %s: %v", got, err)
		}
	}
	w.inStore(func(store *syncstate.Store) error {
		return daemon.DoRecorded(store, daemon.Retry, w.key("Summer/named"))
	})
	_, _ = w.sync() // the other one still waits
	if got, want := w.titles(), []string{"other", "stays"}; !slices.Equal(got, want) {
		t.Errorf("on the service: %q, want %q", got, want)
	}
}

// TestForgottenFolderIsNotReadAbout: nothing remembers a folder whose view went with it, so that
// later reads do not tell of it again.
func TestForgottenFolderIsNotReadAbout(t *testing.T) {
	w := newWorld(t, shortQuiet+`on_remove = "delete"`)
	w.shoot("a", "Summer/gone/1.jpg", "Summer/stays/1.jpg")
	w.published()
	removeAll(t, w.path("Summer/gone"))
	w.while(func(d *daemon.Daemon, until await) {
		until(func(products []status.ProductStatus) bool { return len(products) == 1 })
		if err := d.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := d.Status().Roots[0].Folders; n != 1 {
			t.Errorf("the watcher remembers %d folders", n)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
