package daemon_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestAsManyFoldersAsUploads: whoever asks for many uploads at a time has them for folders of a
// single frame too.
func TestAsManyFoldersAsUploads(t *testing.T) {
	const uploads = 48
	daemontest.Story(t, fmt.Sprintf("%s[upload]\nparallel = %d\n", shortQuiet, uploads), func(t *testing.T, w *daemontest.World) {
		for i := range uploads {
			w.Shoot("a", fmt.Sprintf("Summer/SKU-%d/1.jpg", i))
		}
		var under sync.WaitGroup
		under.Add(uploads)
		all := make(chan struct{})
		go func() {
			under.Wait()
			close(all)
		}()
		w.Stagger = func(_ syncstate.Folder, frame string) time.Duration {
			if frame == "" {
				return 0
			}
			under.Done()
			select {
			case <-all:
			case <-time.After(time.Minute):
				t.Errorf("%s waits for the others to be sent beside it", frame)
			}
			return 0
		}
		w.Published()
	})
}

// TestRushNeedsNoFreeWorker: a folder that a person wants first is published while the others hold
// all workers.
func TestRushNeedsNoFreeWorker(t *testing.T) {
	const others = 40
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		rush := w.Key("Summer/rush")
		w.InStore(func(store *syncstate.Store) error {
			return store.Update(rush, func(r *syncstate.Record) error { r.Wishes.Priority = true; return nil })
		})
		for i := range others {
			w.Shoot("a", fmt.Sprintf("Summer/SKU-%d/1.jpg", i))
		}
		held, free := make(chan struct{}, others), make(chan struct{})
		w.Stagger = func(folder syncstate.Folder, _ string) time.Duration {
			if folder != rush && folder.Path != "" {
				held <- struct{}{}
				<-free
			}
			return 0
		}
		w.While(func(_ *daemon.Daemon, until daemontest.Await) {
			defer close(free)
			for range 24 {
				<-held
			}
			w.Shoot("a", "Summer/rush/1.jpg")
			until(func(products []status.ProductStatus) bool {
				return slices.ContainsFunc(products, func(p status.ProductStatus) bool {
					return p.Folder == rush.Path && p.State == status.Published
				})
			})
		})
	})
}
