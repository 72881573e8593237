package publish

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// cleared is a board that forgets folders.
type cleared struct {
	held
	namesake string
}

func (cleared) Forget(syncstate.Folder) {}

func (c cleared) Namesake(syncstate.Folder, apiclient.Project, string, string) string {
	return c.namesake
}

// A view is deleted after a last look that finds no folder, if it is as it is recorded. A look that
// fails proves nothing. That the deletion was sent is recorded before it is, and the record stays
// until the service says that the view is gone.
func TestDeletionOfAView(t *testing.T) {
	for name, test := range map[string]struct {
		stands, hung     bool                    // the folder stands, the root does not answer
		earlier          bool                    // the view was deleted before
		other            func(*syncstate.Record) // makes the record another one than the view's
		lasts            bool                    // the difference was there long ago
		status           int                     // of the answer to the deletion; 0 = the service's own
		asked, forgotten bool
		doubted          bool
		namesake         string // a folder that stands and has its SKU and title
		emptied          bool   // the service lists no image
	}{
		"it has another SKU":                     {other: func(r *syncstate.Record) { r.Product.SKU = "SKU-9" }, lasts: true, doubted: true},
		"it has another title":                   {other: func(r *syncstate.Record) { r.Product.Title = "Pot" }, lasts: true, doubted: true},
		"it shows other photos":                  {other: func(r *syncstate.Record) { r.Published.Revision++ }, lasts: true, doubted: true},
		"it was never published, and has images": {other: func(r *syncstate.Record) { r.Published = nil }, lasts: true, doubted: true},
		"it shows no photo any more":             {emptied: true, lasts: true, doubted: true},
		"another folder has its name":            {namesake: "Autumn/SKU-1", doubted: true},
		"the list may be behind":                 {other: func(r *syncstate.Record) { r.Product.SKU = "SKU-9" }},
		"a person wishes it of the own accord": {other: func(r *syncstate.Record) {
			r.Product.SKU, r.Absence.Removal = "SKU-9", syncstate.RemovalWished
		}, lasts: true, doubted: true},
		"a person said so": {other: func(r *syncstate.Record) {
			r.Product.SKU, r.Absence.Removal = "SKU-9", syncstate.RemovalConfirmed
		}, asked: true, forgotten: true},
		"the folder is gone":   {asked: true, forgotten: true},
		"and so is the view":   {earlier: true, forgotten: true},
		"it stands":            {stands: true},
		"a look that fails":    {hung: true},
		"the service is busy":  {status: 503, asked: true},
		"the service says no":  {status: 403, asked: true},
		"an unfounded refusal": {status: 404, asked: true},
	} {
		t.Run(name, func(t *testing.T) {
			var p *Publisher
			key := syncstate.Folder{Root: t.TempDir(), Path: "SKU-1"}
			deletes, noted, listed := 0, false, false
			client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
				if c.Op == sandbox.ListImages && listed && test.emptied {
					return sandbox.Fault{Status: 200, Body: "[]", Header: map[string][]string{"Content-Type": {"application/json"}}}
				}
				if c.Op != sandbox.DeleteProduct {
					return sandbox.Fault{}
				}
				if deletes++; p != nil {
					r, err := p.Records.Store.Record(key)
					noted = err == nil && !r.Absence.DeleteSent.IsZero()
				}
				return sandbox.Fault{Status: test.status}
			})
			all, _, s := publisherOf(t, client, 1, func(commit func() error) error { return commit() })
			projects, err := client.Projects(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s.Record.Project.UUID = projects[0].UUID
			s.Record.Product.Title, s.Record.Product.SKU = "SKU-1", "SKU-1"
			if test.other != nil {
				test.other(&s.Record)
			}
			if test.earlier {
				if err := client.DeleteProduct(t.Context(), s.Record.Product.UUID); err != nil {
					t.Fatal(err)
				}
			}
			deletes, listed = 0, true
			p = all
			if test.stands {
				if err := os.Mkdir(filepath.Join(key.Root, key.Path), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if p.Neighbours, p.Files.Watcher = (cleared{namesake: test.namesake}), new(watcher.Watcher); !test.hung {
				p.Files.Watcher = watching(t, key.Root)
			}
			if err := p.Records.Update(key, func(r *syncstate.Record) error { *r = s.Record; return nil }); err != nil {
				t.Fatal(err)
			}
			rm := NewJob(p, key, nil).parts.remover
			rm.ask.said[s.Record.Product.UUID] = knowledge{at: time.Now().Add(-time.Hour), denied: hosting.Rungs + 1}
			if test.lasts {
				rm.ask.differs = sighting[string]{s.Record.Product.UUID, time.Now().Add(-time.Hour)}
			}
			err = rm.removeProduct(t.Context(), s)
			if asked := deletes > 0; (err == nil) != test.forgotten || test.doubted != (err == outcome.ErrChanged && !test.stands) || asked != test.asked || noted != asked {
				t.Errorf("%d deletions, recorded before %t, %v", deletes, noted, err)
			}
			if r, err := p.Records.Store.Record(key); err != nil || (r.Product.UUID == "") != test.forgotten || r.Doubted != test.doubted {
				t.Errorf("the record is %+v, %v", r, err)
			}
		})
	}
}

// A folder that came back after the deletion of its view was sent waits for as long as that may
// still arrive. Then a view that is there is the folder's. The status alone says that the view is gone, and
// not with its first word.
func TestDeletionThatMayArriveLate(t *testing.T) {
	for name, test := range map[string]struct {
		sent             time.Duration // before now
		gone             bool          // the view is
		first            bool          // the status had known it until now
		fails            bool          // the status request does
		waits, known, is bool          // the folder waits, the view and the deletion are recorded
	}{
		"just sent":                 {waits: true, known: true, is: true},
		"it may arrive":             {sent: deletePatience - time.Second, waits: true, known: true, is: true},
		"it did not arrive":         {sent: deletePatience, known: true},
		"nobody knows":              {sent: deletePatience, fails: true, known: true, is: true},
		"the status denies it once": {gone: true, first: true, waits: true, known: true, is: true},
		"it arrived":                {gone: true},
		"it arrived some time ago":  {sent: time.Hour, gone: true},
	} {
		fails := false
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			if fails && c.Op == sandbox.ReadStatus {
				return sandbox.Fault{Status: http.StatusInternalServerError}
			}
			return sandbox.Fault{}
		})
		j, s := published(t, client, 1, func(commit func() error) error { return commit() })
		s.Now = time.Now()
		s.Record.Absence.DeleteSent = s.Now.Add(-test.sent)
		keep(t, j, s.Record)
		if test.gone {
			if err := client.DeleteProduct(t.Context(), s.Record.Product.UUID); err != nil {
				t.Fatal(err)
			}
		}
		if fails = test.fails; !test.first {
			j.parts.remover.ask.said[s.Record.Product.UUID] = knowledge{at: time.Now().Add(-time.Hour), denied: hosting.Rungs}
		}
		if err := j.parts.remover.confirmDelete(t.Context(), s); outcome.Is(err, outcome.Waits) != test.waits || (err != nil) != (test.waits || test.fails) {
			t.Errorf("%s: %v", name, err)
		}
		if r, err := j.record.read(); err != nil || (r.Product.UUID != "") != test.known || r.Absence.DeleteSent.IsZero() == test.is {
			t.Errorf("%s: the record is %+v, %v", name, r, err)
		}
	}
}

// The record of a folder that came back tells nothing of its absence any more.
func TestFolderThatIsBack(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	err := j.record.change(func(r *syncstate.Record) { r.Absence.Removal, r.Absence.Verified = syncstate.RemovalAsked, time.Now() })
	if err := errors.Join(err, j.parts.remover.clearAbsence(t.Context(), s)); err != nil {
		t.Fatal(err)
	}
	if r, err := j.record.read(); err != nil || r.Absence.Removal != "" || !r.Absence.Verified.IsZero() {
		t.Errorf("the record has removal %q, verified %v, %v", r.Absence.Removal, r.Absence.Verified, err)
	}
}

// atRest is a watcher on a root that does not run.
func atRest(t *testing.T, root string) *watcher.Watcher {
	t.Helper()
	watched := watcher.Root{Path: root, Depth: 1, Settle: time.Second, Include: []string{"*.jpg"}, Marker: "done.txt"}
	w, err := watcher.New([]watcher.Root{watched}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// watching runs a watcher on a root until the test ends.
func watching(t *testing.T, root string) *watcher.Watcher {
	t.Helper()
	w := atRest(t, root)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = w.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	<-w.FirstRead()
	return w
}
