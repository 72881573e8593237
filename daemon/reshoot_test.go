package daemon_test

import (
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// TestWholeReshootOfASetAtRest: a counted set that is live, and at rest, goes live again at once with the
// last photo, where all are shot anew one after the other. The clock of the photos may be behind.
func TestWholeReshootOfASetAtRest(t *testing.T) {
	for _, behind := range []time.Duration{0, 24 * time.Hour} {
		t.Run(behind.String(), func(t *testing.T) { wholeReshoot(t, behind) })
	}
}

func wholeReshoot(t *testing.T, behind time.Duration) {
	const quiet = 10 * time.Minute
	daemontest.Story(t, "quiet = \"10m\"\nframes = 3", func(t *testing.T, w *daemontest.World) {
		photos := []string{"Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/3.jpg"}
		shoot := func(take, photo string) {
			w.Shoot(take, photo)
			by := time.Now().Add(-behind)
			daemontest.Must(t, os.Chtimes(w.Path(photo), by, by))
		}
		for _, photo := range photos {
			shoot("a", photo)
		}
		w.Published()
		for _, take := range []string{"after a start", "after a rest"} {
			revision := w.Record("Summer/SKU-1").Published.Revision
			w.While(func(_ *daemon.Daemon, until daemontest.Await) {
				until(daemontest.In(status.Published, 1))
				time.Sleep(time.Hour)
				var began time.Time
				for _, photo := range photos {
					began = time.Now()
					shoot(take, photo)
					time.Sleep(time.Minute)
				}
				until(func(all []status.ProductStatus) bool { return all[0].Revision > revision })
				if took := time.Since(began); took >= quiet {
					t.Errorf("%s: it was live %s after the last photo", take, took)
				}
			})
		}
	})
}

// TestTouchedPhotoIsOfTheSameShoot: a photo that a program only touches, as with an attribute of its own,
// took nobody's place: the set goes live at once with its last photo.
func TestTouchedPhotoIsOfTheSameShoot(t *testing.T) {
	const quiet = 10 * time.Minute
	daemontest.Story(t, "quiet = \"10m\"\nframes = 3", func(t *testing.T, w *daemontest.World) {
		w.While(func(_ *daemon.Daemon, until daemontest.Await) {
			w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
			time.Sleep(time.Minute)
			daemontest.Must(t, os.Chmod(w.Path("Summer/SKU-1/1.jpg"), 0o600))
			time.Sleep(time.Minute)
			w.Shoot("a", "Summer/SKU-1/3.jpg")
			began := time.Now()
			until(daemontest.In(status.Published, 1))
			if took := time.Since(began); took >= quiet {
				t.Errorf("it was live %s after the last photo", took)
			}
		})
	})
}

// TestMixOutlastsARest: a set of which one photo took the place of another waits for quiet, also where the
// next photo takes so long that its folder is at rest by then.
func TestMixOutlastsARest(t *testing.T) {
	const quiet = time.Hour
	daemontest.Story(t, "quiet = \"1h\"\nframes = 3", func(t *testing.T, w *daemontest.World) {
		w.While(func(d *daemon.Daemon, _ daemontest.Await) {
			w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
			time.Sleep(time.Minute)
			w.Shoot("b", "Summer/SKU-1/2.jpg")
			time.Sleep(quiet / 2)
			w.Shoot("b", "Summer/SKU-1/3.jpg")
			time.Sleep(quiet / 2)
			if all := d.Status().Products; all[0].State != status.Collecting {
				t.Errorf("half a quiet time after the last photo it is %s", all[0].State)
			}
		})
	})
}

// TestMixThatARestBegins: a photo that takes the place of another one while its folder is at rest makes a
// mix, too: the set waits for quiet.
func TestMixThatARestBegins(t *testing.T) {
	const quiet = time.Hour
	daemontest.Story(t, "quiet = \"1h\"\nframes = 3", func(t *testing.T, w *daemontest.World) {
		w.While(func(d *daemon.Daemon, _ daemontest.Await) {
			w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
			time.Sleep(quiet / 2)
			w.Shoot("b", "Summer/SKU-1/2.jpg")
			time.Sleep(time.Minute)
			w.Shoot("b", "Summer/SKU-1/3.jpg")
			time.Sleep(quiet / 2)
			if all := d.Status().Products; all[0].State != status.Collecting {
				t.Errorf("half a quiet time after the last photo it is %s", all[0].State)
			}
		})
	})
}

// TestPhotosOfBeforeTheStart: a number does not speak for photos of before the start, also once their drive
// was away for a while, or a program touched them.
func TestPhotosOfBeforeTheStart(t *testing.T) {
	const quiet = time.Hour
	for name, happens := range map[string]func(w *daemontest.World, away *atomic.Bool){
		"a drive is away": func(_ *daemontest.World, away *atomic.Bool) {
			away.Store(true)
			time.Sleep(time.Minute)
			away.Store(false)
		},
		"a program touches them": func(w *daemontest.World, _ *atomic.Bool) {
			for _, photo := range []string{"1.jpg", "2.jpg", "3.jpg"} {
				daemontest.Must(w.T, os.Chmod(w.Path("Summer/SKU-1/"+photo), 0o600))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			daemontest.Story(t, "quiet = \"1h\"\nframes = 3", func(t *testing.T, w *daemontest.World) {
				var away atomic.Bool
				w.Spoil = func(string) error {
					if away.Load() {
						return syscall.EIO
					}
					return nil
				}
				w.While(func(*daemon.Daemon, daemontest.Await) {
					w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
					time.Sleep(time.Minute)
					w.Shoot("b", "Summer/SKU-1/2.jpg")
					time.Sleep(time.Minute)
					w.Shoot("b", "Summer/SKU-1/3.jpg")
					time.Sleep(time.Minute)
				})
				w.While(func(d *daemon.Daemon, _ daemontest.Await) {
					time.Sleep(time.Minute)
					happens(w, &away)
					time.Sleep(quiet / 2)
					if all := d.Status().Products; all[0].State != status.Collecting {
						t.Errorf("half a quiet time after the start it is %s", all[0].State)
					}
				})
			})
		})
	}
}
