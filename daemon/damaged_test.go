package daemon_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// spoil flips a bit in what is recorded of the frames that a folder has published.
func (w *world) spoil(folder string) {
	w.t.Helper()
	db, err := bolt.Open(w.state, 0o600, &bolt.Options{Timeout: time.Second})
	if err != nil {
		w.t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		account := tx.Bucket([]byte("accounts")).Bucket([]byte(w.url + "\x00" + daemontest.Username))
		published, key := account.Bucket([]byte("published")), []byte(w.root+"\x00"+folder)
		value := bytes.Clone(published.Get(key))
		value[len(value)/2] ^= 1
		return published.Put(key, value)
	})
	if err := errors.Join(err, db.Close()); err != nil {
		w.t.Fatal(err)
	}
}

// salvage does what `spinsync rebuild` begins with.
func (w *world) salvage() {
	w.t.Helper()
	w.inStore(func(store *syncstate.Store) error {
		kept, err := store.Salvage()
		if kept == "" {
			w.t.Error("no copy was kept")
		}
		return err
	})
}

// states makes a pass and tells what became of each folder.
func (w *world) states() (map[string]status.ProductStatus, error) {
	w.t.Helper()
	d, end := w.daemon()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	verdict := d.Sync(ctx)
	if err := d.Export(func(status.ExportedProduct) error { return nil }); !errors.Is(err, syncstate.ErrDamaged) {
		w.t.Errorf("export: %v", err)
	}
	states := map[string]status.ProductStatus{}
	for _, p := range d.Status().Products {
		states[p.Folder] = p
	}
	end()
	w.told(states)
	return states, verdict
}

// told makes sure that the state file tells the same without a daemon.
func (w *world) told(states map[string]status.ProductStatus) {
	w.t.Helper()
	store, err := syncstate.OpenReadOnly(w.state, w.account())
	if err != nil {
		w.t.Fatal(err)
	}
	defer store.Close()
	recorded, err := daemon.RecordedStatus(w.config(), store)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, p := range recorded.Products {
		if now := states[p.Folder]; p.State != now.State || p.Reason != now.Reason {
			w.t.Errorf("%s: the state file says %s (%s), the daemon said %s (%s)", p.Folder, p.State, p.Reason, now.State, now.Reason)
		}
	}
}

// A folder whose record is damaged waits for a person, who has it made anew from the service; the
// others are published meanwhile. It keeps its product.
func TestDamagedRecordSetsOneFolderAside(t *testing.T) {
	w := newWorld(t, `quiet = "20ms"`)
	w.shoot("1", "Summer/A/1.jpg", "Summer/B/1.jpg")
	before := w.published()
	w.spoil("Summer/A")
	w.shoot("2", "Summer/A/1.jpg", "Summer/C/1.jpg")
	states, err := w.states()
	if !errors.Is(err, daemon.ErrUnpublished) {
		t.Errorf("the pass: %v", err)
	}
	if a := states["Summer/A"]; a.State != status.Attention || !strings.Contains(a.Reason, "spinsync rebuild") || a.Product != before["Summer/A"].UUID {
		t.Errorf("A: %+v", a)
	}
	for _, folder := range []string{"Summer/B", "Summer/C"} {
		if states[folder].State != status.Published {
			t.Errorf("%s: %+v", folder, states[folder])
		}
	}

	w.salvage()
	found, err := w.rebuild()
	if a := found["Summer/A"]; err != nil || a.Product != before["Summer/A"].UUID || a.Published || !strings.Contains(a.Reason, "another content") {
		t.Errorf("rebuild: %+v, %v", a, err)
	}
	after := w.published()
	if a := after["Summer/A"]; a.UUID != before["Summer/A"].UUID || a.Revision <= before["Summer/A"].Revision {
		t.Errorf("A, before and after: %+v, %+v", before["Summer/A"], a)
	}
	if got, want := w.titles(), []string{"A", "B", "C"}; !slices.Equal(got, want) {
		t.Errorf("the service has %q, want %q", got, want)
	}
}

// What the service holds of the folder is recorded without an upload.
func TestDamagedRecordOfAnUnchangedFolder(t *testing.T) {
	w := newWorld(t, `quiet = "20ms"`)
	w.shoot("1", "Summer/A/1.jpg", "Summer/A/2.jpg")
	before := w.published()["Summer/A"]
	w.spoil("Summer/A")
	w.salvage()
	found, err := w.rebuild()
	if a := found["Summer/A"]; err != nil || !a.Published || a.Product != before.UUID {
		t.Errorf("rebuild: %+v, %v", a, err)
	}
	if after := w.published()["Summer/A"]; after.Revision != before.Revision {
		t.Errorf("it was uploaded again, as revision %d after %d", after.Revision, before.Revision)
	}
}

// What was under way before the damage ends with the rebuild: the texts on the service count as
// those of others.
func TestDamagedRecordClaimsNoTexts(t *testing.T) {
	w := newWorld(t, `quiet = "20ms"`)
	w.shoot("1", "Summer/A/1.jpg")
	w.published()
	texts := map[int64]map[string]string{1: {"en": "A shoe"}}
	w.amend("Summer/A", func(r *syncstate.Record) { r.AskedFor, r.AltIntent, r.AltLate = "before", texts, texts })
	w.spoil("Summer/A")
	w.salvage()
	if found, err := w.rebuild(); err != nil || !found["Summer/A"].Published {
		t.Fatalf("rebuild: %+v, %v", found, err)
	}
	w.amend("Summer/A", func(r *syncstate.Record) {
		if r.AskedFor != "" || len(r.AltIntent) > 0 || len(r.AltLate) > 0 {
			t.Errorf("left are the listing hash %q and the texts %v and %v", r.AskedFor, r.AltIntent, r.AltLate)
		}
	})
}

// amend changes a folder's record while no daemon runs.
func (w *world) amend(folder string, change func(*syncstate.Record)) {
	w.t.Helper()
	w.inStore(func(store *syncstate.Store) error {
		return store.Update(w.key(folder), func(r *syncstate.Record) error { change(r); return nil })
	})
}

// A folder that may be the damaged one under another name is not published beside it.
func TestDamagedRecordOfARenamedFolder(t *testing.T) {
	w := newWorld(t, `quiet = "20ms"`)
	w.shoot("1", "Summer/A/1.jpg")
	w.published()
	w.spoil("Summer/A")
	w.moveTo("Summer/A", "Summer/B")
	w.while(func(d *daemon.Daemon, until await) {
		until(func(products []status.ProductStatus) bool {
			return slices.ContainsFunc(products, func(p status.ProductStatus) bool {
				return p.Folder == "Summer/B" && p.State == status.Retrying && strings.Contains(p.Reason, "Summer/A")
			})
		})
	})
	if got, want := w.titles(), []string{"A"}; !slices.Equal(got, want) {
		t.Errorf("the service has %q, want %q", got, want)
	}
}
