package daemon_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// TestOthersUploadMeanwhile: when somebody else uploads to the view during a run, what is recorded
// as published is the folder, and the view shows it.
func TestOthersUploadMeanwhile(t *testing.T) {
	t.Parallel()
	for name, op := range map[string]string{"before the finish": sandbox.Upload, "after the finish": sandbox.ReadStatus} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			w.shoot("a", "Summer/SKU-1/1.jpg")
			product := w.published()["Summer/SKU-1"].UUID
			w.shoot("b", "Summer/SKU-1/1.jpg")
			reached := w.holdAt(op)
			w.while(func(_ *daemon.Daemon, until await) {
				<-reached
				w.calls.setSpoil(nil)
				w.upload(product, "1.jpg", daemontest.Photo("theirs"))
				until(func(products []status.ProductStatus) bool { return count(products, status.Published) == 1 })
			})
			if got, want := w.shown(product), sum(daemontest.Photo("bSummer/SKU-1/1.jpg")); got != want {
				t.Errorf("the view shows %s, the folder holds %s", got, want)
			}
		})
	}
}

// TestOtherImagesEachTime: a folder whose view shows other images whenever it is about to be
// finished is uploaded again a few times, with pauses, and then calls a person. Their retry begins
// anew.
func TestOtherImagesEachTime(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	w.published()
	id := 70
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		if c.Op != sandbox.ListImages {
			return sandbox.Fault{}
		}
		id++
		return sandbox.Fault{
			Status: 200, Header: map[string][]string{"Content-Type": {"application/json"}},
			Body: fmt.Sprintf(`[{"id":%d,"source":"1.jpg","media_ready":true,"media_url":"https://media.invalid/1.jpg"}]`, id),
		}
	}
	w.shoot("b", "Summer/SKU-1/1.jpg")
	w.while(func(d *daemon.Daemon, until await) {
		w.calls.since()
		paused := false
		asked := func(all []status.ProductStatus) bool {
			paused = paused || count(all, status.Retrying) == 1
			return count(all, status.Attention) == 1 && strings.Contains(all[0].Reason, "nobody else uploads to this view")
		}
		until(asked)
		if forms := countOp(w.calls.since(), sandbox.UpdateProduct); forms != 3 {
			t.Errorf("%d forms were asked for before a person was, want 3", forms)
		}
		if !paused {
			t.Error("it was uploaded again without a pause")
		}
		retry(t, d, w.key("Summer/SKU-1"))
		until(func(all []status.ProductStatus) bool { return !asked(all) })
		until(asked)
		if forms := countOp(w.calls.since(), sandbox.UpdateProduct); forms != 3 {
			t.Errorf("%d forms were asked for after a retry, want 3", forms)
		}
		w.calls.setSpoil(nil)
		retry(t, d, w.key("Summer/SKU-1"))
		until(func(all []status.ProductStatus) bool { return count(all, status.Published) == 1 })
	})
}

// holdAt refuses an operation, polls only behind a finish, and tells when it is reached.
func (w *world) holdAt(op string) (reached chan struct{}) {
	reached = make(chan struct{})
	reach := sync.OnceFunc(func() { close(reached) })
	due := op != sandbox.ReadStatus
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		due = due || c.Op == sandbox.FinishUpload
		if c.Op != op || !due {
			return sandbox.Fault{}
		}
		reach()
		return refused
	}
	return reached
}

// shown is the digest of the first file of a product's newest revision.
func (w *world) shown(product string) string {
	w.t.Helper()
	products, err := w.service.Products()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, p := range products {
		if p.UUID == product {
			return p.Revisions[len(p.Revisions)-1].Files[0].SHA256
		}
	}
	return ""
}

func sum(content string) string {
	digest := sha256.Sum256([]byte(content))
	return hex.EncodeToString(digest[:])
}

// TestOthersDeleteTheView: a view that somebody deleted during a run, or before a change of the
// folder, is made anew when a person says so, once.
func TestOthersDeleteTheView(t *testing.T) {
	t.Parallel()
	for name, op := range map[string]string{"while frames are sent": sandbox.Upload, "before the finish": sandbox.FinishUpload, "while it is processed": sandbox.ReadStatus} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			w.shoot("a", "Summer/SKU-1/1.jpg")
			product := w.published()["Summer/SKU-1"].UUID
			w.shoot("b", "Summer/SKU-1/1.jpg")
			creates := 0
			reached := w.holdAt(op)
			w.while(func(d *daemon.Daemon, until await) {
				<-reached
				w.calls.setSpoil(func(c *sandbox.Call) sandbox.Fault {
					if c.Op == sandbox.CreateProduct {
						creates++
					}
					return sandbox.Fault{}
				})
				if err := w.client().DeleteProduct(t.Context(), product); err != nil {
					t.Fatal(err)
				}
				until(func(products []status.ProductStatus) bool {
					return products[0].State == status.Attention && strings.Contains(products[0].Reason, "the product is gone")
				})
				if creates > 0 {
					t.Error("it was made anew without a word of a person's")
				}
				retry(t, d, w.key("Summer/SKU-1"))
				until(func(products []status.ProductStatus) bool {
					return products[0].State == status.Published && products[0].Product != product
				})
			})
			if creates != 1 || len(w.titles()) != 1 {
				t.Errorf("%d creates, on the service: %q", creates, w.titles())
			}
		})
	}
}

// TestViewDeletedByHand: with nobody to keep it for, the record of a view that is gone goes too; a
// folder that stands is made anew by a retry.
func TestViewDeletedByHand(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/gone/1.jpg", "Summer/stays/1.jpg")
	before := w.published()
	removeAll(t, w.path("Summer/gone"))
	w.while(func(d *daemon.Daemon, until await) {
		until(func(products []status.ProductStatus) bool { return count(products, status.Missing) == 1 })
		for _, p := range before {
			if err := w.client().DeleteProduct(t.Context(), p.UUID); err != nil {
				t.Fatal(err)
			}
		}
		retry(t, d, w.key("Summer/stays"))
		// The missing folder's view is also looked for without a word of a person's, so that it may
		// be forgotten by now.
		if err := d.Do(daemon.Retry, w.key("Summer/gone")); err != nil && !strings.Contains(err.Error(), "no such product folder") {
			t.Fatal(err)
		}
		until(func(products []status.ProductStatus) bool {
			return len(products) == 1 && products[0].State == status.Published && products[0].Product != before["Summer/stays"].UUID
		})
	})
	if got, want := w.titles(), []string{"stays"}; !slices.Equal(got, want) {
		t.Errorf("on the service: %q, want %q", got, want)
	}
}

// TestViewReplacedByHand: when somebody else uploaded to the product, the texts have no image to go
// to. A retry uploads the folder again.
func TestViewReplacedByHand(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	before := w.published()["Summer/SKU-1"]
	w.upload(before.UUID, "other.jpg", daemontest.Photo("theirs"))
	w.write("Summer/SKU-1/1.txt", "A shoe")
	w.while(func(d *daemon.Daemon, until await) {
		until(func(products []status.ProductStatus) bool { return products[0].State == status.Attention })
		retry(t, d, w.key("Summer/SKU-1"))
		until(func(products []status.ProductStatus) bool {
			return products[0].State == status.Published && products[0].Revision > before.Revision+1
		})
	})
	p := w.published()["Summer/SKU-1"]
	if diff := cmp.Diff(map[string]string{"en": "A shoe"}, p.Images[0].AltTexts); diff != "" {
		t.Error(diff)
	}
}
