package daemon_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
)

// TestOthersUploadMeanwhile: when somebody else uploads to the view during a run, what is recorded as published is the folder, and
// the view shows it.
func TestOthersUploadMeanwhile(t *testing.T) {
	for name, op := range map[string]string{"before the finish": "4.3", "after the finish": "4.14"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			w.shoot("a", "Summer/SKU-1/1.jpg")
			product := w.published()["Summer/SKU-1"].UUID
			w.shoot("b", "Summer/SKU-1/1.jpg")
			reached := make(chan struct{})
			once := sync.OnceFunc(func() { close(reached) })
			finished := op == "4.3"
			w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
				finished = finished || c.Op == "4.4"
				if c.Op != op || !finished {
					return sandbox.Fault{}
				}
				once()
				return refused
			}
			w.while(func(_ *daemon.Daemon, until await) {
				<-reached
				w.calls.turn <- struct{}{}
				w.calls.spoil = nil
				<-w.calls.turn
				w.upload(product, "1.jpg", daemontest.Photo("theirs"))
				until(func(products []daemon.ProductStatus) bool { return count(products, daemon.Published) == 1 })
			})
			if got, want := w.shown(product), sum(daemontest.Photo("bSummer/SKU-1/1.jpg")); got != want {
				t.Errorf("the view shows %s, the folder holds %s", got, want)
			}
		})
	}
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

// TestOthersDeleteTheView: a view that somebody deleted during a run, or before a change of the folder, is made anew when a
// person says so, once.
func TestOthersDeleteTheView(t *testing.T) {
	for name, op := range map[string]string{"while frames are sent": "4.3", "before the finish": "4.4", "while it is processed": "4.14"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			w.shoot("a", "Summer/SKU-1/1.jpg")
			product := w.published()["Summer/SKU-1"].UUID
			w.shoot("b", "Summer/SKU-1/1.jpg")
			reached := make(chan struct{})
			once := sync.OnceFunc(func() { close(reached) })
			finished, creates := op != "4.14", 0
			w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
				finished = finished || c.Op == "4.4"
				if c.Op != op || !finished {
					return sandbox.Fault{}
				}
				once()
				return refused
			}
			w.while(func(d *daemon.Daemon, until await) {
				<-reached
				w.calls.turn <- struct{}{}
				w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
					if c.Op == "4.2" {
						creates++
					}
					return sandbox.Fault{}
				}
				<-w.calls.turn
				if err := w.client().DeleteProduct(t.Context(), product); err != nil {
					t.Fatal(err)
				}
				until(func(products []daemon.ProductStatus) bool {
					return products[0].State == daemon.Attention && strings.Contains(products[0].Reason, "the product is gone")
				})
				if creates > 0 {
					t.Error("it was made anew without a word of a person's")
				}
				retry(t, d, w.key("Summer/SKU-1"))
				until(func(products []daemon.ProductStatus) bool {
					return products[0].State == daemon.Published && products[0].Product != product
				})
			})
			if creates != 1 || len(w.titles()) != 1 {
				t.Errorf("%d creates, on the service: %q", creates, w.titles())
			}
		})
	}
}
