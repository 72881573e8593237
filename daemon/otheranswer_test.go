package daemon_test

import (
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// ofItsOwnTitle answers creates with a title that no search recognises.
func ofItsOwnTitle(op string) func(*sandbox.Call) sandbox.Fault {
	return daemontest.Always(op, sandbox.Fault{Status: 200, Body: `{"uuid":"1","title":"Sh0e","path":"1","policy":"p","signature":"s",
		"hostname":"127.0.0.1:1","access_key_id":"k","acl":"private"}`})
}

// TestTitleThatTheServiceMade: where the answer to a create is about another title, the project or
// product is not made again, neither by the next folder of the project nor by a retry.
func TestTitleThatTheServiceMade(t *testing.T) {
	for _, op := range []string{sandbox.CreateProject, sandbox.CreateProduct} {
		t.Run(op, func(t *testing.T) {
			daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
				w.Shoot("a", "Summer/SKU-1/1.jpg")
				if op == sandbox.CreateProject {
					w.Shoot("b", "Summer/SKU-2/1.jpg")
				}
				w.Calls.Spoil(ofItsOwnTitle(op))
				w.While(func(d *daemon.Daemon, _ daemontest.Await) {
					time.Sleep(time.Hour)
					daemontest.Must(t, d.Do(daemon.Retry, syncstate.Folder{}))
					time.Sleep(time.Hour)
					for _, p := range d.Status().Products {
						if !p.Cause.Is(status.OtherAnswer) {
							t.Errorf("%s is %s: %s", p.Folder, p.State, p.Reason)
						}
					}
				})
				if asked := countOp(w.Calls.Since(), op); asked != 1 {
					t.Errorf("it was asked for %d times", asked)
				}
			})
		})
	}
}

// TestTitleThatAPersonTookOver: a person gives the folder the title that the service made of its
// own. No search for the old one holds it up.
func TestTitleThatAPersonTookOver(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		w.Calls.Spoil(ofItsOwnTitle(sandbox.CreateProduct))
		w.RunUntil(daemontest.In(status.Attention, 1))
		w.Calls.Spoil(nil)
		w.Write("Summer/SKU-1/product.toml", "title = \"Sh0e\"\n")
		w.RunUntil(daemontest.In(status.Published, 1))
	})
}
