package daemon

import (
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/publish"
	"spinsync/daemon/status"
)

// TestStationThatTakesOverWaits: another station may have asked for anything until then.
func TestStationThatTakesOverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := plantest.Store(t)
		c, err := config.Parse(fmt.Appendf(nil, "[service]\nbase_url = \"http://127.0.0.1:8000\"\nusername = \"studio\"\npassword = \"x\"\n"+
			"[[watch]]\npath = '%s'\nlayout = \"{project}/{sku}\"\npoll = true\nname = \"shoots\"\n"+
			"[fleet]\netcd = [\"http://127.0.0.1:2379\"]\nstation = \"bert\"\n", t.TempDir()), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		client, err := apiclient.New(apiclient.Options{BaseURL: "http://127.0.0.1:8000", Username: "studio", Password: "x"})
		if err != nil {
			t.Fatal(err)
		}
		o := Options{
			Config: c, Client: client, Log: slog.New(slog.DiscardHandler), Store: store.Sharing(c.Trees(), nil),
			Fleet: &Fleet{Standby: true, Now: func() status.Fleet { return status.Fleet{} }, Views: publish.NewViews()},
		}
		if o.Before, err = New(o); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		o.Fleet.Standby = false
		d, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		if d.service.Began != time.Now() {
			t.Errorf("it may ask again what another station asked a moment ago, since it began at %v", d.service.Began)
		}
	})
}
