package daemon_test

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestPassDeletesWhatIsGone: a pass sees for itself that several folders are gone, and asks a
// person about them. The next pass keeps the question, and another deletes the view that the person
// names.
func TestPassDeletesWhatIsGone(t *testing.T) {
	daemontest.Story(t, shortQuiet+`on_remove = "delete"`, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/named/1.jpg", "Summer/other/1.jpg", "Summer/stays/1.jpg")
		w.Published()
		w.Remove("Summer/named")
		w.Remove("Summer/other")
		for range 2 {
			products, err := w.Sync()
			if got := products["Summer/named"].State; got != status.Attention || !errors.Is(err, daemon.ErrUnpublished) {
				t.Fatalf("after a pass it is %s: %v", got, err)
			}
		}
		w.InStore(func(store *syncstate.Store) error {
			return daemon.DoRecorded(store, daemon.Retry, w.Key("Summer/named"))
		})
		_, _ = w.Sync() // the other one still waits
		if got, want := w.Titles(), []string{"other", "stays"}; !slices.Equal(got, want) {
			t.Errorf("on the service: %q, want %q", got, want)
		}
	})
}

// TestLaterRemovalIsNotAskedAbout: a question about folders that went together holds up none that goes
// alone, later on. Neither does a folder that was never published.
func TestLaterRemovalIsNotAskedAbout(t *testing.T) {
	daemontest.Story(t, shortQuiet+`on_remove = "delete"`, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/one/1.jpg", "Summer/two/1.jpg", "Summer/later/1.jpg", "Summer/stays/1.jpg")
		w.Shoot("b", "Summer/early/1.jpg.part")
		_, _ = w.Sync()
		w.While(func(_ *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Published, 4))
			w.Remove("Summer/early")
			w.Remove("Summer/one")
			w.Remove("Summer/two")
			until(daemontest.In(status.Attention, 2))
			time.Sleep(time.Hour)
			w.Remove("Summer/later")
			until(func(products []status.ProductStatus) bool {
				return !slices.ContainsFunc(products, func(p status.ProductStatus) bool { return p.Folder == "Summer/later" })
			})
		})
		if got, want := w.Titles(), []string{"one", "stays", "two"}; !slices.Equal(got, want) {
			t.Errorf("on the service: %q, want %q", got, want)
		}
	})
}

// TestFolderThatWentBeforeItsComparison: after the state file was lost, a folder may have a view until it
// was compared. One that goes with it is asked about.
func TestFolderThatWentBeforeItsComparison(t *testing.T) {
	daemontest.Story(t, shortQuiet+`on_remove = "delete"`, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/one/1.jpg", "Summer/two/1.jpg", "Summer/stays/1.jpg")
		w.Published()
		daemontest.Must(t, os.Remove(w.State))
		w.Shoot("b", "Summer/two/2.jpg.part")
		w.While(func(_ *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Published, 2))
			w.Remove("Summer/one")
			w.Remove("Summer/two")
			until(daemontest.In(status.Attention, 1))
		})
		if got, want := w.Titles(), []string{"one", "stays", "two"}; !slices.Equal(got, want) {
			t.Errorf("on the service: %q, want %q", got, want)
		}
	})
}

// TestForgottenFolderIsNotReadAbout: nothing remembers a folder whose view went with it, so that
// later reads do not tell of it again.
func TestForgottenFolderIsNotReadAbout(t *testing.T) {
	daemontest.Story(t, shortQuiet+`on_remove = "delete"`, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/gone/1.jpg", "Summer/stays/1.jpg")
		w.Published()
		w.Remove("Summer/gone")
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(func(products []status.ProductStatus) bool { return len(products) == 1 })
			if err := d.Pass(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := d.Status().Roots[0].Folders; n != 1 {
				t.Errorf("the watcher remembers %d folders", n)
			}
		})
	})
}

// TestFolderGoneWithItsViewIsForgotten: of a folder that is gone, and whose view somebody else
// deleted, nothing is left.
func TestFolderGoneWithItsViewIsForgotten(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/gone/1.jpg", "Summer/stays/1.jpg")
		gone := w.Published()["Summer/gone"].UUID
		daemontest.Must(t, w.Client().DeleteProduct(t.Context(), gone))
		w.Remove("Summer/gone")
		if products := w.Published(); len(products) != 1 {
			t.Errorf("the folders are %+v", products)
		}
		if r := w.Record("Summer/gone"); !reflect.DeepEqual(r, syncstate.Record{}) {
			t.Errorf("the record is %+v", r)
		}
	})
}

// TestFolderAtTheWrongDepthKeepsItsView: a folder that a person moved to where no product folder
// belongs is not gone. It goes on with its view once it lies right.
func TestFolderAtTheWrongDepthKeepsItsView(t *testing.T) {
	for _, wrong := range []string{"Summer/Shoes/SKU-1", "SKU-1"} {
		t.Run(wrong, func(t *testing.T) {
			daemontest.Story(t, shortQuiet+`on_remove = "delete"`, func(t *testing.T, w *daemontest.World) {
				w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/stays/1.jpg")
				before := w.Published()["Summer/SKU-1"]
				w.Move("Summer/SKU-1", wrong)
				w.RunUntil(func(products []status.ProductStatus) bool {
					return slices.ContainsFunc(products, func(p status.ProductStatus) bool { return p.Cause.Is(status.MayDeleteMisplaced) })
				})
				w.Move(wrong, "Shoes/SKU-1")
				products, _ := w.Sync() // Summer/Shoes may be there without a photo
				if after := products["Shoes/SKU-1"]; after.UUID != before.UUID || after.State != status.Published {
					t.Errorf("view %s became %+v", before.UUID, after)
				}
			})
		})
	}
}

// TestQuestionOutlivesItsCause: a question about a view stays when its cause is over, and names no other.
func TestQuestionOutlivesItsCause(t *testing.T) {
	daemontest.Story(t, shortQuiet+`on_remove = "delete"`, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/stays/1.jpg")
		w.Published()
		w.Move("Summer/SKU-1", "SKU-1")
		_, _ = w.Sync()
		w.Remove("SKU-1")
		products, _ := w.Sync()
		const want = "the folder is gone, or a link stands in its place, so its view is not deleted; "
		if p := products["Summer/SKU-1"]; p.State != status.Attention || !strings.HasPrefix(p.Reason, want) {
			t.Errorf("%s: %s", p.State, p.Reason)
		}
	})
}

// TestRemovalInDoubtAsksAtOnce: a view whose name another folder has is not deleted. A person is
// asked at once, and a sync does not wait for the next whole read.
func TestRemovalInDoubtAsksAtOnce(t *testing.T) {
	daemontest.Story(t, shortQuiet+"on_remove = \"delete\"\nrescan = \"2h\"", func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/stays/1.jpg")
		w.Shoot("b", "Autumn/SKU-1/1.jpg")
		w.Published()
		w.Remove("Summer/SKU-1")
		began := time.Now()
		products, _ := w.Sync()
		if p := products["Summer/SKU-1"]; p.State != status.Attention || time.Since(began) > 10*time.Minute {
			t.Errorf("after %s: %s: %s", time.Since(began), p.State, p.Reason)
		}
	})
}

// TestForgetWhoseViewCannotBeDeleted: a folder that is gone is shown so in every state, with a daemon
// and without one, so that it can be forgotten.
func TestForgetWhoseViewCannotBeDeleted(t *testing.T) {
	daemontest.Story(t, shortQuiet+`on_remove = "delete"`, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/gone/1.jpg", "Summer/stays/1.jpg")
		w.Published()
		w.Remove("Summer/gone")
		w.Calls.Spoil(daemontest.Always("4.10", sandbox.Fault{Status: 403, Body: `{"errors":["you may not delete products"]}`}))
		gone := func(all []status.ProductStatus) []bool { return []bool{all[0].Gone, all[1].Gone} }
		want := []bool{true, false}
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Attention, 1))
			if got := gone(d.Status().Products); !slices.Equal(got, want) {
				t.Errorf("gone are %v", got)
			}
		})
		w.InStore(func(store *syncstate.Store) error {
			recorded, err := daemon.RecordedStatus(w.Config(), store)
			if got := gone(recorded.Products); !slices.Equal(got, want) {
				t.Errorf("gone by the state file are %v", got)
			}
			return errors.Join(err, daemon.DoRecorded(store, daemon.Forget, w.Key("Summer/gone")))
		})
		if products := w.Published(); len(products) != 1 {
			t.Errorf("the folders are %+v", products)
		}
	})
}
