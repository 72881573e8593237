package daemon_test

import (
	"testing"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/publish"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestWhatAStandbyShows: what was decided, and nothing that it showed itself while it was the active one.
func TestWhatAStandbyShows(t *testing.T) {
	const published, begun, fresh, unread = "Summer/SKU-1", "Summer/SKU-2", "Summer/SKU-3", "Summer/SKU-4"
	own := func(r *syncstate.Record) {
		status.SetState(r, status.Attention, &status.Cause{Kind: status.TooMany, Count: 12, Of: 11})
		r.Counts = syncstate.FrameCounts{Settled: 12, Expected: 11, Arrived: time.Now()}
		r.Trouble = &syncstate.Trouble{Kind: syncstate.NeedsPerson, Cause: r.Shown.Cause}
	}
	daemontest.Story(t, fleetTOML, func(t *testing.T, w *daemontest.World) {
		shot(t, w, func() {})
		at := w.Record(published).Published.At
		w.Amend(published, own)
		w.Amend(begun, func(r *syncstate.Record) {
			own(r)
			r.Run = &syncstate.Run{Phase: syncstate.FormWanted}
			r.Product.UUID = "p"
		})
		w.Shoot("c", fresh+"/1.jpg")
		w.Amend(unread, func(r *syncstate.Record) { r.Unread = map[string][]byte{"folders/": []byte("{")} })
		active := "bert"
		fleet := &daemon.Fleet{
			Standby: true, Now: func() status.Fleet { return status.Fleet{Station: "anna", Active: active} }, Views: publish.NewViews(),
		}
		d, end := w.OpenWith(daemon.Options{Fleet: fleet}, daemontest.Committing)
		defer end()
		defer daemontest.Start(t, d)()
		time.Sleep(time.Minute)
		want := []struct {
			state  status.State
			reason string
		}{{status.Published, ""}, {status.Uploading, "station bert works on it"}, {status.Collecting, "station bert works on it"},
			{status.Attention, status.Sentence(status.Because(status.Unread), func(verb string) string { return status.CommandFor(verb, unread) })}}
		shows := func(all []status.ProductStatus, about string) {
			t.Helper()
			if len(all) != len(want) {
				t.Fatalf("%s: %+v", about, all)
			}
			for i, p := range all {
				if p.State != want[i].state || p.Reason != want[i].reason || p.Since.IsZero() || p.NextTry != nil {
					t.Errorf("%s: %s is %s since %v: %q", about, p.Folder, p.State, p.Since, p.Reason)
				}
			}
			if p := all[0]; !p.Since.Equal(at) || p.Frames != (status.FrameCounts{Settled: 3, Uploaded: 3}) || !p.Complete {
				t.Errorf("%s: published at %v, shown since %v, with %+v, complete %v", about, at, p.Since, p.Frames, p.Complete)
			}
		}
		shows(d.Status().Products, "as it was opened")
		since := d.Status().Products[1].Since
		time.Sleep(time.Minute)
		d.Followed(nil)
		shows(d.Status().Products, "once it has followed")
		if now := d.Status().Products[1].Since; !now.Equal(since) {
			t.Errorf("uploading since %v, and then since %v", since, now)
		}
		var exported []string
		daemontest.Must(t, d.Export(func(p status.ExportedProduct) error {
			exported = append(exported, string(p.State)+" "+p.Reason)
			return nil
		}))
		if len(exported) != 3 || exported[0] != "published " || exported[1] != "uploading station bert works on it" {
			t.Errorf("the export has %q", exported)
		}
		active = ""
		want[1].reason, want[2].reason = "no station is known to work on it", "no station is known to work on it"
		shows(d.Status().Products, "without an active station")
	})
}

// TestSinceAfterATakeover: a view that another station has published is live since then, and has all its
// photos.
func TestSinceAfterATakeover(t *testing.T) {
	const folder = "Summer/SKU-1"
	daemontest.Story(t, fleetTOML, func(t *testing.T, w *daemontest.World) {
		shot(t, w, func() {})
		at := w.Record(folder).Published.At
		w.Amend(folder, func(r *syncstate.Record) { // as it comes from another station
			r.Shown, r.Counts, r.Trouble = syncstate.Shown{}, syncstate.FrameCounts{}, nil
		})
		time.Sleep(time.Hour)
		epoch(t, w, func(d *daemon.Daemon, _ daemontest.Await) {
			for range 2 {
				p := d.Status().Products[0]
				if p.State != status.Published || !p.Since.Equal(at) || p.Frames != (status.FrameCounts{Settled: 3, Uploaded: 3}) {
					t.Errorf("%s at %v, shown since %v with %+v", p.State, at, p.Since, p.Frames)
				}
				time.Sleep(10 * time.Minute)
			}
		})
	})
}

// TestAnotherStationIsShownToAll: each reader of the status, and of the export, is shown the active station of now,
// whoever has asked before.
func TestAnotherStationIsShownToAll(t *testing.T) {
	daemontest.Story(t, fleetTOML, func(t *testing.T, w *daemontest.World) {
		shot(t, w, func() {})
		active := "bert"
		fleet := &daemon.Fleet{
			Standby: true, Now: func() status.Fleet { return status.Fleet{Station: "anna", Active: active} }, Views: publish.NewViews(),
		}
		d, end := w.OpenWith(daemon.Options{Fleet: fleet}, daemontest.Committing)
		defer end()
		defer daemontest.Start(t, d)()
		time.Sleep(time.Minute)
		exports := func(station string) {
			t.Helper()
			daemontest.Must(t, d.Export(func(p status.ExportedProduct) error {
				if p.Station != station || p.Name != "shoots" {
					t.Errorf("the export has station %q and name %q", p.Station, p.Name)
				}
				return nil
			}))
		}
		exports("bert")
		before, _ := d.StatusSince(status.Status{})
		active = "carl"
		exports("carl")
		_ = d.Status() // of another reader
		if now, same := d.StatusSince(before); same || now.Products[0].Station != "carl" {
			t.Errorf("unchanged %t, and shown is %q", same, now.Products[0].Station)
		}
		if _, same := d.StatusSince(d.Status()); !same {
			t.Error("a status without a change is another one")
		}
	})
}

// TestFollowedDuringAReload: a standby shows what another station published while its own settings were read again.
func TestFollowedDuringAReload(t *testing.T) {
	daemontest.Story(t, fleetTOML, func(t *testing.T, w *daemontest.World) {
		shot(t, w, func() {})
		key := w.Key("Summer/SKU-1")
		published := w.Record(key.Path)
		w.InStore(func(store *syncstate.Store) error { return store.Delete(key) })
		fleet := &daemon.Fleet{
			Standby: true, Now: func() status.Fleet { return status.Fleet{Station: "anna", Active: "bert"} }, Views: publish.NewViews(),
		}
		d, end := w.OpenWith(daemon.Options{Fleet: fleet}, daemontest.Committing)
		defer end()
		live := daemon.NewLive(d)
		daemontest.Must(t, live.Replace(func(before *daemon.Daemon) (*daemon.Daemon, error) {
			next, err := w.Next(before)
			_ = daemon.StoreOf(before).Update(key, func(r *syncstate.Record) error { *r = published; return nil })
			live.Daemon().Followed([]syncstate.Folder{key})
			return next, err
		}))
		if p := live.Daemon().Status().Products; len(p) != 1 || p[0].State != status.Published {
			t.Errorf("shown is %+v", p)
		}
	})
}

// TestVerbAtAStandby: it names the station where it is to be given, and changes nothing.
func TestVerbAtAStandby(t *testing.T) {
	daemontest.Story(t, fleetTOML, func(t *testing.T, w *daemontest.World) {
		shot(t, w, func() {})
		key := w.Key("Summer/SKU-1")
		fleet := &daemon.Fleet{
			Standby: true, Now: func() status.Fleet { return status.Fleet{Station: "anna", Active: "bert"} }, Views: publish.NewViews(),
		}
		d, end := w.OpenWith(daemon.Options{Fleet: fleet}, daemontest.Committing)
		defer end()
		for _, verb := range []daemon.Verb{daemon.Retry, daemon.Pause, daemon.Resume, daemon.Prioritize, daemon.Forget} {
			if err := d.Do(verb, key); err == nil || err.Error() != "this computer stands by; give it at bert" {
				t.Errorf("verb %v: %v", verb, err)
			}
		}
		if now, err := daemon.StoreOf(d).Record(key); err != nil || now.Wishes != (syncstate.Wishes{}) {
			t.Errorf("%+v, %v", now.Wishes, err)
		}
	})
}

// TestStatusOfAStandbyAtRest: it lists its folders only once they have changed, also with some that the active station
// has still to publish.
func TestStatusOfAStandbyAtRest(t *testing.T) {
	daemontest.Story(t, fleetTOML, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		fleet := &daemon.Fleet{
			Standby: true, Now: func() status.Fleet { return status.Fleet{Station: "anna", Active: "bert"} }, Views: publish.NewViews(),
		}
		d, end := w.OpenWith(daemon.Options{Fleet: fleet}, daemontest.Committing)
		defer end()
		defer daemontest.Start(t, d)()
		time.Sleep(time.Minute)
		before := d.Status()
		if _, same := d.StatusSince(before); len(before.Products) != 1 || !same {
			t.Errorf("listed anew: %+v", before.Products)
		}
	})
}
