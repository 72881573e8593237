package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// TestPassEndsDespiteAHungDrive: a pass does not wait for ever for a read that the system does not
// answer, neither alone nor beside a daemon. It also gives up the folders whose turn never comes, and
// names the drive.
func TestPassEndsDespiteAHungDrive(t *testing.T) {
	const folders = 30 // more than there are workers
	for name, pass := range map[string]func(*daemon.Daemon, *daemontest.World) error{
		"alone": func(d *daemon.Daemon, w *daemontest.World) error { return d.Sync(w.T.Context()) },
		"beside a daemon": func(d *daemon.Daemon, w *daemontest.World) error {
			defer daemontest.Start(w.T, d)()
			return d.Pass(w.T.Context())
		},
	} {
		t.Run(name, func(t *testing.T) {
			daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
				for i := range folders {
					w.Shoot("a", fmt.Sprintf("Summer/SKU-%d/1.jpg", i))
				}
				answers, hang := context.WithTimeout(t.Context(), time.Hour)
				defer hang()
				w.Spoil = func(path string) error {
					if strings.HasSuffix(path, ".jpg") {
						<-answers.Done()
					}
					return nil
				}
				d, end := w.Open()
				defer end()
				err := pass(d, w)
				if answers.Err() != nil {
					t.Error("it waited until the drive answered")
				}
				if !errors.Is(err, daemon.ErrUnpublished) || !strings.Contains(err.Error(), "does not answer") {
					t.Errorf("it ends with %v", err)
				}
				waiting := 0
				for _, p := range d.Status().Products {
					if p.State == status.Retrying && strings.Contains(p.Reason, "does not answer") {
						waiting++
					}
				}
				if waiting == 0 {
					t.Errorf("no folder waits for the drive: %+v", d.Status().Products)
				}
			})
		})
	}
}

// TestProductsFileOnAHungDrive: nor does a pass, or a rebuild, wait for ever for a products file that
// the system does not answer a read of.
func TestProductsFileOnAHungDrive(t *testing.T) {
	for name, pass := range map[string]func(*daemontest.World) error{
		"sync":    func(w *daemontest.World) error { _, err := w.Sync(); return err },
		"rebuild": func(w *daemontest.World) error { _, err := w.Rebuild(); return err },
	} {
		t.Run(name, func(t *testing.T) {
			daemontest.Story(t, shortQuiet+"products = \"products.csv\"\n", func(t *testing.T, w *daemontest.World) {
				w.Write("products.csv", "folder,title\nSummer/SKU-1,Shoe\n")
				w.Shoot("a", "Summer/SKU-1/1.jpg")
				answers, hang := context.WithTimeout(t.Context(), time.Hour)
				defer hang()
				w.Spoil = func(path string) error {
					if strings.HasSuffix(path, ".csv") {
						<-answers.Done()
					}
					return nil
				}
				err := pass(w)
				if answers.Err() != nil {
					t.Error("it waited until the drive answered")
				}
				if err == nil || !strings.Contains(err.Error(), "does not answer") {
					t.Errorf("it ends with %v", err)
				}
			})
		})
	}
}

// TestDryWalkOverAHungDrive: plan and rebuild pass by a folder whose drive does not answer a read, and go
// on with the others.
func TestDryWalkOverAHungDrive(t *testing.T) {
	walks := map[string]func(*daemon.Daemon, *daemontest.World) (map[string]string, error){
		"plan": func(d *daemon.Daemon, w *daemontest.World) (map[string]string, error) {
			found := map[string]string{}
			previews, err := d.Survey(w.T.Context())
			for _, p := range previews {
				found[p.Folder] = p.Does + ": " + p.Detail
			}
			return found, err
		},
		"rebuild": func(d *daemon.Daemon, w *daemontest.World) (map[string]string, error) {
			found := map[string]string{}
			err := d.Rebuild(w.T.Context(), func(f daemon.Forecast) { found[f.Folder] = f.Does + ": " + f.Detail })
			if err == nil {
				w.T.Error("nobody hears of it")
			}
			return found, nil
		},
	}
	for name, walk := range walks {
		t.Run(name, func(t *testing.T) {
			daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
				w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-2/1.jpg")
				answers, hang := context.WithTimeout(t.Context(), time.Hour)
				defer hang()
				w.Spoil = func(path string) error {
					if strings.HasSuffix(path, "SKU-1/1.jpg") {
						<-answers.Done()
					}
					return nil
				}
				d, end := w.Open()
				defer end()
				found, err := walk(d, w)
				if answers.Err() != nil {
					t.Error("it waited until the drive answered")
				}
				if err != nil || !strings.Contains(found["Summer/SKU-1"], "does not answer") {
					t.Errorf("found is %v, %v", found, err)
				}
			})
		})
	}
}
