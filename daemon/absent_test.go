package daemon_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestBackDuringTheDelete: a folder that comes back, and to rest, while the answer to the deletion
// of its view is awaited gets another view.
func TestBackDuringTheDelete(t *testing.T) {
	w := newWorld(t, shortQuiet+`on_remove = "delete"`)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/other/1.jpg")
	first := w.published()["Summer/SKU-1"].UUID
	removeAll(t, w.path("Summer/SKU-1"))
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		if c.Op != sandbox.DeleteProduct {
			return sandbox.Fault{}
		}
		w.shoot("a", "Summer/SKU-1/1.jpg")
		return sandbox.Fault{Hold: time.Second}
	}
	w.runUntil(func(products []status.ProductStatus) bool {
		return count(products, status.Published) == 2 && products[0].Product != first
	})
}

func TestFolderThatIsGone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		toml string
		want []string
	}{
		{`on_remove = "keep"`, []string{"gone", "stays"}},
		{`on_remove = "delete"`, []string{"stays"}},
	} {
		t.Run(test.toml, func(t *testing.T) {
			w := newWorld(t, shortQuiet+test.toml)
			w.shoot("a", "Summer/gone/1.jpg", "Summer/stays/1.jpg")
			w.published()
			removeAll(t, w.path("Summer/gone"))
			w.runUntil(func(products []status.ProductStatus) bool {
				return len(products) == len(test.want) && products[0].State != status.Published || len(products) == 1
			})
			if got := w.titles(); !slices.Equal(got, test.want) {
				t.Errorf("on the service: %q, want %q", got, test.want)
			}
		})
	}
}

// TestManyFoldersThatAreGone: of several folders that went at once no view is deleted but those
// that a person names, and one that was deleted by hand is forgotten.
func TestManyFoldersThatAreGone(t *testing.T) {
	w := newWorld(t, shortQuiet+`on_remove = "delete"`)
	w.shoot("a", "Summer/byhand/1.jpg", "Summer/named/1.jpg", "Summer/other/1.jpg", "Summer/stays/1.jpg")
	before := w.published()
	for _, name := range []string{"byhand", "named", "other"} {
		removeAll(t, w.path("Summer/"+name))
	}
	w.while(func(d *daemon.Daemon, until await) {
		asked := func(n int) func([]status.ProductStatus) bool {
			return func(products []status.ProductStatus) bool {
				return len(products) == n+1 && count(products, status.Attention) == n
			}
		}
		until(asked(3))
		if err := w.client().DeleteProduct(t.Context(), before["Summer/byhand"].UUID); err != nil {
			t.Fatal(err)
		}
		retry(t, d, syncstate.Folder{})
		until(asked(2))
		retry(t, d, w.key("Summer/named"))
		until(asked(1))
	})
	if got, want := w.titles(), []string{"other", "stays"}; !slices.Equal(got, want) {
		t.Errorf("on the service: %q, want %q", got, want)
	}
}

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
