package daemon_test

import (
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/servicetest"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestUploadThatAnotherAccountLeftOpen: an upload was being processed when another account came into
// sync.toml, which began one more upload to the view and left it. The status says so for ever. The folder
// goes live without a person.
func TestUploadThatAnotherAccountLeftOpen(t *testing.T) {
	odd := func(o *servicetest.Options) {
		o.Habits.Raise, o.Habits.Announced, o.Processing = "form", "uploading", time.Minute
	}
	daemontest.OddStory(t, shortQuiet, odd, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		w.Published()
		w.Shoot("b", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		w.RunUntil(daemontest.In(status.Processing, 1))
		if run := w.Record("Summer/SKU-1").Run; !run.IsBound() {
			t.Fatalf("the run is %+v", run)
		}
		time.Sleep(2 * time.Minute)
		_, err := w.Client().Reupload(t.Context(), w.Record("Summer/SKU-1").Product.UUID, apiclient.ProductUpdate{}, 2)
		daemontest.Must(t, err)
		other, err := syncstate.Open(w.State, syncstate.Account{BaseURL: w.URL, Username: "colleague"})
		daemontest.Must(t, err)
		daemontest.Must(t, other.Close())
		c := w.Config()
		c.Poll.Max = time.Minute
		d, end := w.OpenWith(daemon.Options{Config: c}, daemontest.Committing)
		defer end()
		defer daemontest.Start(t, d)()
		time.Sleep(20 * time.Minute)
		if p := d.Status().Products[0]; p.State != status.Published || p.Reason != "" {
			t.Errorf("it is %s: %s", p.State, p.Reason)
		}
	})
}
