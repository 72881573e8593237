package daemon_test

import (
	"fmt"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// TestRefusalsThatPass: whatever refuses requests for half a minute, a maintenance or a proxy, no
// person need act once it is over.
func TestRefusalsThatPass(t *testing.T) {
	for _, code := range []int{403, 404, 410, 413, 423} {
		for _, op := range []string{sandbox.ListProjects, sandbox.ListProductsOfProject, sandbox.ReadStatus, sandbox.UpdateProduct} {
			t.Run(fmt.Sprint(code, " ", op), func(t *testing.T) {
				daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
					w.Shoot("a", "Summer/SKU-1/1.jpg")
					if op == sandbox.UpdateProduct {
						w.Published()
						w.Shoot("b", "Summer/SKU-1/1.jpg")
					}
					var first time.Time
					w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault {
						if c.Op != op {
							return sandbox.Fault{}
						}
						if first.IsZero() {
							first = time.Now()
						}
						if time.Since(first) > 30*time.Second {
							return sandbox.Fault{}
						}
						return sandbox.Fault{Status: code, Body: `{"errors":["no route"]}`}
					})
					w.While(func(_ *daemon.Daemon, until daemontest.Await) {
						time.Sleep(15 * time.Minute)
						until(daemontest.In(status.Published, 1))
					})
					if titles := w.Titles(); len(titles) != 1 {
						t.Errorf("on the service are %v", titles)
					}
				})
			})
		}
	}
}

// TestListThatStaysWrong: the status is right, the list is not. A person is called once, and not anew
// at each poll.
func TestListThatStaysWrong(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Calls.Spoil(daemontest.Always(sandbox.ListImages, sandbox.Fault{Status: 200, Body: `[{"id":1,"filename":"other.jpg"}]`}))
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Attention, 1))
			called := d.Status().Products[0].Since
			time.Sleep(24 * time.Hour)
			if p := d.Status().Products[0]; p.State != status.Attention || !p.Since.Equal(called) {
				t.Errorf("%s since %v, want attention since %v", p.State, p.Since, called)
			}
			w.Calls.Spoil(nil)
			until(daemontest.In(status.Published, 1))
		})
	})
}

// TestFirstUploadWaitsForItsTurn: a service that finished the product while it was empty has no
// images yet, which is no person's fault.
func TestFirstUploadWaitsForItsTurn(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Calls.Spoil(daemontest.Always(sandbox.ListImages, sandbox.Fault{Status: 200, Body: "[]"}))
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		c := w.Config()
		c.Poll.First, c.Poll.Max, c.Poll.GiveUp = time.Second, time.Minute, time.Hour
		d, end := w.OpenWith(daemon.Options{Config: c}, daemontest.Committing)
		defer end()
		defer daemontest.Start(t, d)()
		for _, then := range []struct {
			after time.Duration
			is    status.State
		}{{50 * time.Minute, status.Processing}, {30 * time.Minute, status.Attention}} {
			time.Sleep(then.after)
			if p := d.Status().Products[0]; p.State != then.is {
				t.Errorf("%v later it is %s, want %s: %s", then.after, p.State, then.is, p.Reason)
			}
		}
		w.Calls.Spoil(nil)
		time.Sleep(time.Hour)
		if p := d.Status().Products[0]; p.State != status.Published {
			t.Errorf("in the end it is %s: %s", p.State, p.Reason)
		}
	})
}
