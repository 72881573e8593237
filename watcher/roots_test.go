package watcher

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/watcher/events"
	"spinsync/watcher/nofollow"
	"spinsync/watcher/volume"
)

const boot = "Summer/boot"

// stock fills a root with two folders of one frame each.
func (x *world) stock() {
	x.t.Helper()
	x.write(shoe+"/1.jpg", "abc")
	x.write(boot+"/1.jpg", "abc")
}

// status fails unless the root is offline for this reason; "" means online.
func (x *world) status(reason string) {
	x.t.Helper()
	s := x.w.Roots()[0]
	if s.Online != (reason == "") || !strings.Contains(s.Reason, reason) {
		x.t.Errorf("online %v, reason %q; want reason %q", s.Online, s.Reason, reason)
	}
}

// present fails unless both folders of stock are there by the newest snapshots.
func (x *world) present() {
	x.t.Helper()
	for _, folder := range []string{shoe, boot} {
		if s := x.seen.of(folder); !s.Present || s.Err != nil {
			x.t.Errorf("%s: present %v, error %v", folder, s.Present, s.Err)
		}
	}
}

// inBubble runs a script on a fresh root.
func inBubble(t *testing.T, script func(*world), options ...func(*Root)) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "root")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) { script(newWorld(t, dir, options...)) })
}

// Nobody sees what is written while a drive, or one folder, cannot be read: that makes nothing still and no
// folder quiet, and the time before counts on.
func TestTimeWithoutReadsProvesNothing(t *testing.T) {
	for name, away := range map[string]func(x *world) (back func()){
		"a root that is missing": func(x *world) func() {
			x.do(os.Rename(x.root, x.root+".away"))
			return func() { x.do(os.Rename(x.root+".away", x.root)) }
		},
		"a folder that cannot be read": func(x *world) func() {
			x.onRead(func(dir string) error {
				if strings.HasSuffix(dir, "shoe") {
					return syscall.EIO
				}
				return nil
			})
			return func() { x.onRead(func(string) error { return nil }) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(x *world) {
				x.write(shoe+"/1.jpg", "abc")
				x.write(boot+"/1.jpg", "abc")
				x.start()
				x.pass(20 * time.Second)
				x.save(shoe+"/2.jpg", "abc")
				x.pass(3 * time.Second)
				changed := x.seen.of(shoe).Changed
				back := away(x)
				x.pass(time.Minute)
				back()
				x.w.Rescan()
				x.pass(time.Second)
				x.expect(shoe, "1.jpg! 2.jpg")
				if lost := x.seen.of(shoe).Changed.Sub(changed); lost < 50*time.Second || lost > 65*time.Second {
					t.Errorf("%v of a minute are no time without a change", lost)
				}
				x.pass(5 * time.Second)
				x.expect(shoe, "1.jpg! 2.jpg!")
			})
		})
	}
}

// A root that went away concludes nothing, gives the reason, and comes back by itself.
func TestOffline(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		away, back   func(*world)
	}{
		{"moved away", "is missing", func(x *world) {
			x.do(os.Rename(x.root, x.root+".away"))
		}, func(x *world) {
			x.do(os.Rename(x.root+".away", x.root))
		}},
		{"replaced by another folder", "is another folder than before", func(x *world) {
			x.do(os.Rename(x.root, x.root+".away"))
			x.write(shoe+"/2.jpg", "abc")
		}, func(x *world) {
			x.do(os.RemoveAll(x.root))
			x.do(os.Rename(x.root+".away", x.root))
		}},
		{"replaced by a file", "is not a directory: correct the path", func(x *world) {
			x.do(os.Rename(x.root, x.root+".away"))
			x.write("", "abc")
		}, func(x *world) {
			x.do(os.Remove(x.root))
			x.do(os.Rename(x.root+".away", x.root))
		}},
		{"emptied", "holds no product folder any more, and 2 were known", func(x *world) {
			x.do(os.Rename(x.path("Summer"), x.root+".away"))
			x.w.Rescan()
		}, func(x *world) {
			x.do(os.Rename(x.root+".away", x.path("Summer")))
		}},
		{"another volume", "is on another volume than before", func(x *world) {
			x.standOn(func(string) (volume.Volume, error) { return volume.Volume{Identity: volume.Identity{FS: "exfat"}}, nil })
		}, func(x *world) {
			x.standOn(volume.Survey)
		}},
		{"unreadable", "cannot be read: ", func(x *world) {
			x.onRead(refuse(syscall.EACCES, x.root))
			x.w.Rescan()
		}, func(x *world) {
			x.onRead(func(string) error { return nil })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(x *world) {
				x.stock()
				x.start()
				x.pass(10 * time.Second)
				x.status("")
				c.away(x)
				x.pass(40 * time.Minute)
				x.status(c.reason)
				x.present()
				c.back(x)
				x.pass(20 * time.Second)
				x.status("")
				x.present()
				x.save(shoe+"/3.jpg", "abc")
				x.pass(6 * time.Second)
				x.expect(shoe, "1.jpg! 3.jpg!")
			})
		})
	}
}

// The status of a root that this account may not read names the unreadable place, as long as it
// does: the root itself, or a directory above it.
func TestDeniedRootNamesThePlace(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.start()
		above := filepath.Dir(x.root)
		for place, deny := range map[string]func(){
			x.root: func() { x.onRead(refuse(syscall.EACCES, x.root)) },
			above: func() {
				x.standOn(func(string) (volume.Volume, error) {
					return volume.Volume{}, volume.ReadError(&AccessError{Path: above, Dir: above, Err: syscall.EACCES})
				})
			},
		} {
			deny()
			x.w.Rescan()
			x.pass(time.Minute)
			if s := x.w.Roots()[0]; s.Denied == nil || s.Denied.Path != place || s.Reason != "cannot be read: "+place+" cannot be read by this account" {
				t.Errorf("of %s: %+v, %q", place, s.Denied, s.Reason)
			}
			x.onRead(func(string) error { return nil })
			x.standOn(volume.Survey)
			x.pass(time.Minute)
			if x.status(""); x.w.Roots()[0].Denied != nil {
				t.Error("a root that is read is denied")
			}
		}
	})
}

// refuse makes a directory, and no other, give this error.
func refuse(err error, dir string) func(string) error {
	return func(asked string) error {
		if asked == dir {
			return &fs.PathError{Op: "open", Path: dir, Err: err}
		}
		return nil
	}
}

// A root that is missing at the start is offline, and work begins when it appears.
func TestMissingAtStart(t *testing.T) {
	inBubble(t, func(x *world) {
		x.do(os.Remove(x.root))
		x.start()
		x.status("is missing")
		x.pass(time.Hour)
		x.stock()
		x.pass(11 * time.Second)
		x.status("")
		x.expect(shoe, "1.jpg!")
	}, func(cfg *Root) { cfg.Known = map[string]Idle{boot: {Fingerprint: Fingerprint{1}}} })
}

// A read that the system never answers takes the root offline and holds up neither the others nor
// the end.
func TestHangingRead(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.start()
		x.pass(10 * time.Second)
		release := make(chan struct{})
		x.onRead(func(dir string) error {
			if strings.HasSuffix(dir, "shoe") {
				<-release
			}
			return nil
		})
		x.hint(events.Altered, shoe+"/1.jpg")
		x.pass(20 * time.Second)
		x.status("")
		x.pass(20 * time.Second)
		x.status("a reading of " + x.path(shoe) + " has not returned since")
		if !x.w.Roots()[0].Hung {
			x.t.Error("the root is not reported to hang")
		}
		if _, err := x.w.ReadFolder(x.t.Context(), x.root, boot); err == nil {
			x.t.Error("an offline root answers a look")
		}
		synctest.Wait() // for the loop that answered
		if !x.w.Delivered() {
			x.t.Error("who waits for what the look finds waits for ever")
		}
		x.onRead(func(string) error { time.Sleep(10 * time.Second); return nil })
		close(release)
		x.pass(time.Second)
		if s := x.w.Roots()[0]; s.Hung || s.Online {
			x.t.Errorf("while it is read again: %+v", s)
		}
		x.pass(time.Minute)
		x.status("")
		x.present()
	})
}

// Run ends although a read hangs for ever.
func TestHangingEnd(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.start()
		release := make(chan struct{})
		x.onRead(func(string) error { <-release; return nil })
		x.w.Rescan()
		x.pass(time.Second)
		began := time.Now()
		x.end()
		if took := time.Since(began); took != hangGrace {
			x.t.Errorf("the end took %v", took)
		}
		close(release)
	})
}

// A folder is absent after a whole read that did not find it, and a second one follows soon, but
// not too soon.
func TestAbsence(t *testing.T) {
	t.Run("events", func(t *testing.T) { testAbsence(t, false) })
	t.Run("poll", func(t *testing.T) { testAbsence(t, true) })
}

func testAbsence(t *testing.T, poll bool) {
	inBubble(t, func(x *world) {
		x.stock()
		x.start()
		x.pass(10 * time.Second)
		x.do(os.RemoveAll(x.path(shoe)))
		x.hint(events.Gone|events.Unwatched, shoe)
		x.pass(time.Second)
		s := x.seen.of(shoe)
		if s.Present || s.Absent.Reads != 1 {
			x.t.Fatalf("after a second: present %v, absent %+v", s.Present, s.Absent)
		}
		for range 4 {
			x.w.Rescan()
			x.pass(time.Second)
		}
		if s := x.seen.of(shoe); s.Absent.Reads != 1 {
			x.t.Fatalf("two reads within 5 s: %+v", s.Absent)
		}
		x.pass(6 * time.Second)
		s = x.seen.of(shoe)
		if s.Absent.Reads != 2 || time.Since(s.Absent.Since) < 5*time.Second {
			x.t.Fatalf("after 11 s: %+v", s.Absent)
		}
		x.pass(time.Hour)
		if n := x.seen.of(shoe).Absent.Reads; n < 3 || n > 20 {
			x.t.Errorf("%d whole reads in an hour for a folder that is gone", n)
		}
		x.w.Forget(x.root, shoe)
		before := x.seen.times(shoe)
		x.pass(time.Hour)
		if x.seen.times(shoe) != before {
			x.t.Error("a forgotten folder is reported")
		}
		x.save(shoe+"/2.jpg", "abc")
		x.hint(events.Appeared, shoe)
		x.pass(6 * time.Second)
		x.expect(shoe, "2.jpg!")
		if x.seen.of(boot).Absent.Reads != 0 {
			x.t.Error("the other folder is absent")
		}
	}, func(cfg *Root) { cfg.Poll = poll })
}

// A renamed folder keeps its id, and the old name becomes absent.
func TestRename(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.start()
		x.pass(10 * time.Second)
		before := x.seen.of(shoe)
		x.do(os.Rename(x.path(shoe), x.path("Summer/sandal")))
		x.hint(events.Gone|events.Unwatched, shoe)
		x.hint(events.Appeared, "Summer/sandal")
		x.pass(10 * time.Second)
		after := x.seen.of("Summer/sandal")
		if after.ID != before.ID || after.ID == 0 || after.Fingerprint != before.Fingerprint {
			x.t.Errorf("id %v then %v, fingerprint %x then %x", before.ID, after.ID, before.Fingerprint, after.Fingerprint)
		}
		if s := x.seen.of(shoe); s.Present || s.Absent.Reads < 2 {
			x.t.Errorf("the old name: present %v, %+v", s.Present, s.Absent)
		}
	})
}

// The only folder of a root is gone: that is an emptied root. With a new folder, too, on a volume
// that proves to be the same, it is a folder that is gone.
func TestLastFolder(t *testing.T) {
	inBubble(t, func(x *world) {
		x.write(shoe+"/1.jpg", "abc")
		x.start()
		x.pass(10 * time.Second)
		x.do(os.RemoveAll(x.path(shoe)))
		x.pass(30 * time.Minute)
		x.status("holds no product folder any more")
		if !x.seen.of(shoe).Present {
			x.t.Error("the folder is absent")
		}
		x.write(boot+"/1.jpg", "abc")
		x.pass(30 * time.Second)
		x.status("")
		x.expect(boot, "1.jpg!")
		if s := x.seen.of(shoe); s.Present || s.Absent.Reads < 2 {
			x.t.Errorf("present %v, %+v", s.Present, s.Absent)
		}
	})
}

// onCard is a volume without identity, such as a memory card.
func onCard(root string) (volume.Volume, error) {
	v, err := volume.Survey(root)
	v.Identity, v.Lasting, v.Sure = volume.Identity{FS: "vfat"}, false, false
	return v, err
}

// On a volume without identity, such as a memory card, other folders in place of all known ones
// prove nothing.
func TestStrangeCard(t *testing.T) {
	inBubble(t, func(x *world) {
		x.standOn(func(root string) (volume.Volume, error) {
			g, err := volume.Survey(root)
			g.Identity, g.Lasting, g.Sure = volume.Identity{FS: "vfat"}, false, false
			return g, err
		})
		x.stock()
		x.start()
		x.pass(10 * time.Second)
		x.do(os.Rename(x.path("Summer"), x.root+".other"))
		x.write("Winter/glove/1.jpg", "abc")
		x.w.Rescan()
		x.pass(time.Hour)
		x.status("")
		x.present()
		x.expect("Winter/glove", "1.jpg!")
		x.do(os.Rename(x.root+".other", x.path("Summer")))
		x.pass(time.Hour)
		x.do(os.RemoveAll(x.path(shoe)))
		x.pass(time.Hour)
		if s := x.seen.of(shoe); s.Present || s.Absent.Reads < 2 {
			x.t.Errorf("present %v, %+v", s.Present, s.Absent)
		}
	})
}

// Cards of one kind that take turns keep the folders of one another, also over a restart, until a person
// accepts that they are gone.
func TestCardsThatTakeTurns(t *testing.T) {
	const glove = "Winter/glove"
	card := func(x *world) {
		x.standOn(func(root string) (volume.Volume, error) {
			g, err := volume.Survey(root)
			g.Identity, g.Lasting, g.Sure = volume.Identity{FS: "vfat"}, false, false
			return g, err
		})
	}
	wait := func(x *world, folders ...string) {
		x.t.Helper()
		x.w.Rescan()
		x.pass(time.Hour)
		x.status("")
		for _, folder := range folders {
			if a := x.seen.of(folder).Absent; a.Reads > 0 {
				x.t.Errorf("%s is gone: %+v", folder, a)
			}
		}
		if got := x.w.Aside(x.root); !slices.Equal(got, folders) {
			x.t.Errorf("%q wait for their drive, want %q", got, folders)
		}
	}
	inBubble(t, func(x *world) {
		card(x)
		x.stock()
		x.start()
		x.pass(time.Minute)
		x.do(os.Rename(x.path("Summer"), x.root+".first"))
		x.write(glove+"/1.jpg", "abc")
		wait(x, boot, shoe)
		x.do(os.Rename(x.path("Winter"), x.root+".second"))
		x.do(os.Rename(x.root+".first", x.path("Summer")))
		wait(x, glove)
	})
	inBubble(t, func(x *world) {
		card(x)
		x.stock()
		x.start()
		wait(x, glove)
		x.w.Accept(x.root)
		x.pass(time.Minute)
		if a := x.seen.of(glove).Absent; a.Reads < 2 || len(x.w.Aside(x.root)) > 0 {
			x.t.Errorf("accepted, and %+v", a)
		}
	}, func(cfg *Root) {
		cfg.Known, cfg.Aside = map[string]Idle{boot: {}, shoe: {}, glove: {}}, []string{glove}
	})
}

// A card that a person accepted as emptied is no other card at each further read: nothing went since.
func TestAcceptedCardIsNotLoggedAgain(t *testing.T) {
	inBubble(t, func(x *world) {
		var log bytes.Buffer
		x.tree.log = slog.New(slog.NewTextHandler(&log, nil))
		x.standOn(onCard)
		x.stock()
		x.start()
		x.pass(time.Minute)
		x.do(os.RemoveAll(x.path("Summer")))
		x.w.Rescan()
		x.pass(time.Minute)
		x.w.Accept(x.root)
		for range 3 {
			x.pass(time.Minute)
			x.w.Rescan()
		}
		x.status("")
		if strings.Contains(log.String(), "all product folders disappeared at once") {
			x.t.Error(log.String())
		}
	})
}

// A person accepts that the drive was replaced on purpose.
func TestAccept(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.start()
		x.status("is another folder than before")
		x.w.Accept(x.root)
		x.pass(6 * time.Second)
		x.status("")
		x.expect(shoe, "1.jpg!")
		if v := x.w.Roots()[0].Volume; v.Root == 0 || v.Root == 1 {
			x.t.Errorf("volume %+v", v)
		}
	}, func(cfg *Root) { cfg.Volume = volume.Identity{Root: 1} })
}

// Who accepts a root means what is there at that time, and no empty volume that comes later.
func TestAcceptIsNotForLater(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.start()
		x.pass(10 * time.Second)
		x.w.Accept(x.root) // nothing is untrusted
		x.do(os.Rename(x.path("Summer"), x.root+".away"))
		x.w.Rescan()
		x.pass(time.Minute)
		x.status("holds no product folder any more")
		other := volume.Volume{Identity: volume.Identity{FS: "exfat"}}
		x.standOn(func(string) (volume.Volume, error) { return other, nil })
		x.w.Accept(x.root) // that it is empty
		x.pass(time.Minute)
		x.status("is on another volume than before")
		x.present()
		x.standOn(volume.Survey)
		x.pass(time.Minute)
		x.status("holds no product folder any more")
		x.present()
		x.w.Accept(x.root)
		x.pass(time.Minute)
		x.status("")
		if x.seen.of(shoe).Present {
			x.t.Error("an accepted root still has the folder")
		}
	})
}

// A folder that cannot be read is not absent, and neither is what lies below a project that cannot
// be read.
func TestUnreadableFolder(t *testing.T) {
	for _, dir := range []string{shoe, "Summer"} {
		t.Run(dir, func(t *testing.T) {
			inBubble(t, func(x *world) {
				x.stock()
				x.write("Winter/glove/1.jpg", "abc")
				x.start()
				x.pass(10 * time.Second)
				x.onRead(refuse(syscall.EIO, x.path(dir)))
				x.w.Rescan()
				x.pass(time.Second)
				x.status("")
				s := x.seen.of(shoe)
				if !s.Present || !errors.Is(s.Err, syscall.EIO) || line(s.Frames) != "1.jpg!" {
					x.t.Errorf("present %v, error %v, frames %q", s.Present, s.Err, line(s.Frames))
				}
				x.onRead(func(string) error { return nil })
				x.w.Rescan()
				x.pass(20 * time.Second)
				x.present()
			})
		})
	}
}

// A folder that the configuration hides from now on is not gone, and not read for whoever asks.
func TestHiddenFolder(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.start()
		x.w.Refresh(x.root, shoe)
		x.pass(time.Hour)
		if n := x.seen.times(shoe); n != 0 {
			x.t.Errorf("%d snapshots of a hidden folder", n)
		}
		x.expect(boot, "1.jpg!")
	}, func(cfg *Root) {
		cfg.Known = map[string]Idle{shoe: {Fingerprint: Fingerprint{1}}}
		cfg.Ignore = []string{"Summer/shoe/"}
	})
}

// On a network drive a frame is still only by a read through an open handle, and not before 2 s.
func TestNetworkDrive(t *testing.T) {
	inBubble(t, func(x *world) {
		x.standOnNetwork()
		x.stock()
		x.start()
		if s := x.w.Roots()[0]; !s.Network || s.Watches != 0 {
			x.t.Errorf("status %+v", s)
		}
		x.expect(shoe, "1.jpg")
		x.pass(1900 * time.Millisecond)
		x.expect(shoe, "1.jpg")
		x.pass(300 * time.Millisecond)
		x.expect(shoe, "1.jpg!")
		if id := x.seen.of(shoe).ID; id != 0 {
			x.t.Errorf("id %v on a network drive", id)
		}
		x.write("Winter/glove/1.jpg", "abc")
		x.pass(13 * time.Second)
		x.expect("Winter/glove", "1.jpg!")
		x.pass(time.Hour)
		x.write(shoe+"/2.jpg", "abc")
		x.pass(33 * time.Second)
		x.expect(shoe, "1.jpg! 2.jpg!")
	}, func(cfg *Root) { cfg.Settle = 10 * time.Millisecond })
}

// On a network drive a file that another program holds is busy, or a sidecar that is not still. The
// other files of its folder do not wait for it.
func TestFileThatAnotherProgramHolds(t *testing.T) {
	inBubble(t, func(x *world) {
		x.standOnNetwork()
		var freed atomic.Bool
		x.tree.disk.ask = func(root, file string) (nofollow.Attrs, error) {
			if !freed.Load() && file != shoe+"/1.jpg" {
				return nofollow.Attrs{}, &fs.PathError{Op: "open", Path: file, Err: syscall.EBUSY}
			}
			return nofollow.Ask(root, file)
		}
		x.write(shoe+"/1.jpg", "abc")
		x.write(shoe+"/2.jpg", "abc")
		x.write(shoe+"/shotlog.txt", "abc")
		x.start()
		x.pass(time.Hour)
		x.expect(shoe, "1.jpg!")
		s := x.seen.of(shoe)
		if len(s.Busy) != 1 || s.Busy[0].Name != "2.jpg" || s.Busy[0].Reason != HeldByOther || !s.Busy[0].Lasting || s.Err != nil {
			t.Errorf("busy %v, %v", s.Busy, s.Err)
		}
		if got := line(s.Sidecars); got != "shotlog.txt" {
			t.Errorf("sidecars %q", got)
		}
		freed.Store(true)
		x.pass(6 * time.Minute)
		x.expect(shoe, "1.jpg! 2.jpg!")
	})
}

// A server that does not answer has taken nothing away, though its error is an fs.ErrNotExist as
// Windows' ERROR_BAD_NETPATH is: neither a branch of the tree nor a file.
func TestSilenceIsNoAbsence(t *testing.T) {
	silence := fmt.Errorf("bad network path: %w", fs.ErrNotExist)
	for name, silent := range map[string]string{"a branch": "Summer", "a product folder": shoe} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(x *world) {
				x.stock()
				x.start()
				x.pass(time.Minute)
				x.onRead(func(dir string) error {
					if within(x.path(silent), dir) {
						return silence
					}
					return nil
				})
				for range 3 {
					x.w.Rescan()
					x.pass(10 * time.Second)
				}
				if s := x.seen.of(shoe); !s.Present || s.Err == nil {
					x.t.Errorf("present %v, %v", s.Present, s.Err)
				}
				if _, err := x.w.ReadFolder(x.t.Context(), x.root, shoe); err == nil || IsGone(err) {
					x.t.Errorf("a look ends with %v", err)
				}
			})
		})
	}
	t.Run("a file", func(t *testing.T) {
		inBubble(t, func(x *world) {
			x.stock()
			x.start()
			x.pass(time.Minute)
			stat := x.tree.disk.stat
			x.tree.disk.stat = func(at nofollow.Dir, name string) (nofollow.Attrs, error) {
				if name == "1.jpg" {
					return nofollow.Attrs{}, silence
				}
				return stat(at, name)
			}
			x.write(shoe+"/2.jpg", "abc")
			x.w.Rescan()
			x.pass(time.Minute)
			if s := x.seen.of(shoe); line(s.Frames) != "1.jpg!" || s.Err == nil {
				x.t.Errorf("frames %q, %v", line(s.Frames), s.Err)
			}
		})
	})
}

// Lost events cost a whole read and new watches, and no folder.
func TestOverflow(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.start()
		x.pass(10 * time.Second)
		x.w.SetIdle(x.root, shoe, x.seen.of(shoe).Fingerprint)
		for i := range 50 {
			x.write("Winter/"+strings.Repeat("x", i+1)+"/1.jpg", "abc")
		}
		x.write(shoe+"/1.jpg", "changed in place, so that the folder's own time is the same")
		x.tree.hints <- events.Hints{Lost: "queue overflow"}
		x.pass(6 * time.Second)
		for i := range 50 {
			x.expect("Winter/"+strings.Repeat("x", i+1), "1.jpg!")
		}
		if frames := x.seen.of(shoe).Frames; len(frames) != 1 || frames[0].Size < 10 {
			x.t.Errorf("a change in place was not found: %v", frames)
		}
		x.present()
	})
}

// Watches that lose events are made again after a while, and not at once.
func TestWatchesAreMadeAgain(t *testing.T) {
	inBubble(t, func(x *world) {
		var made atomic.Int32
		x.tree.watches.open = func(context.Context) (watchSet, error) {
			made.Add(1)
			return &attentive{}, nil
		}
		x.stock()
		x.start()
		x.tree.hints <- events.Hints{Lost: "queue overflow"}
		x.pass(500 * time.Millisecond)
		if n := made.Load(); n != 1 {
			x.t.Errorf("half a second after the loss watches were made %d times", n)
		}
		x.pass(30 * time.Second)
		if n := made.Load(); n != 2 {
			x.t.Errorf("half a minute after the loss watches were made %d times", n)
		}
	})
}

// A root whose watches the system refuses is polled.
func TestRefusedWatchesLeaveARootPolled(t *testing.T) {
	inBubble(t, func(x *world) {
		x.tree.watches.open = func(context.Context) (watchSet, error) { return nil, errors.New("too many") }
		x.start()
		x.write(shoe+"/1.jpg", "one")
		x.pass(wholeEvery)
		if frames := x.frames(shoe); frames != "1.jpg!" {
			x.t.Errorf("the frames are %q", frames)
		}
	})
}

// Events of watches that were given up are no hints: a whole read found what they report.
func TestHintsOfClosedWatches(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.start()
		x.pass(10 * time.Second)
		reads := countReads(x)
		x.tree.hints <- events.Hints{From: new(events.Watches), Paths: map[string]events.Change{shoe: events.Altered}}
		x.pass(time.Second)
		if n := reads(); n != 0 {
			x.t.Errorf("%d directories were read", n)
		}
	})
}

// A directory whose rights may be others now is listed, and read below it is only what is new. Of a
// directory that appeared all is.
func TestWhatIsReadOfABranch(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.start()
		x.becomeIdle(shoe)
		x.becomeIdle(boot)
		reads := countReads(x)
		after := func(c events.Change, want int64) {
			t.Helper()
			before := reads()
			x.hint(c, "Summer")
			x.pass(time.Second)
			if n := reads() - before; n != want {
				t.Errorf("%d directories were read, not %d", n, want)
			}
		}
		after(events.Touched, 1)
		x.write("Summer/new/1.jpg", "a")
		after(events.Touched, 2)
		x.expect("Summer/new", "1.jpg")
		x.pass(idleAfter + time.Minute)
		after(events.Appeared, 4)
		x.do(os.RemoveAll(x.path("Summer/new")))
		x.w.Rescan()
		x.pass(time.Minute)
		x.write("Summer/new/2.jpg", "a")
		after(events.Touched, 2)
		x.expect("Summer/new", "2.jpg")
	})
}

// remount puts another directory, with these files, in the place of the root. It has the identity
// of the same volume.
func (x *world) remount(files ...string) {
	x.t.Helper()
	on, err := volume.Survey(x.root)
	x.do(err)
	x.standOn(func(root string) (volume.Volume, error) {
		now, err := volume.Survey(root)
		now.Identity, now.Sure = on.Identity, on.Sure
		return now, err
	})
	x.do(os.Rename(x.root, x.root+" away"))
	for _, file := range files {
		x.write(file, "abc")
	}
}

// A drive that is mounted again is read whole, and gets new watches: the others ended with the
// mount before.
func TestDriveIsMountedAgain(t *testing.T) {
	inBubble(t, func(x *world) {
		opened := 0
		x.tree.watches.open = func(context.Context) (watchSet, error) { opened++; return &attentive{}, nil }
		x.stock()
		x.start()
		x.pass(time.Minute)
		x.remount(shoe+"/1.jpg", boot+"/1.jpg", glove+"/1.jpg")
		before := time.Now()
		x.pass(2 * surveyEvery)
		x.status("")
		if r := x.w.Roots()[0]; !r.LastRead.After(before) || opened != 2 || r.Missed > 0 {
			t.Errorf("read %v after it was mounted, watches are opened %d times and missed %d changes",
				r.LastRead.Sub(before), opened, r.Missed)
		}
		x.expect(glove, "1.jpg!")
	})
}

// A drive that goes while it is read proves nothing about its folders.
func TestDriveGoesDuringARead(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.start()
		x.pass(time.Minute)
		for range 2 {
			x.onRead(func(dir string) error {
				if dir == x.root {
					x.onRead(func(string) error { return nil })
					x.remount(boot + "/1.jpg")
				}
				return nil
			})
			x.w.Rescan()
			synctest.Wait()
			x.status("was replaced while it was read")
			x.do(os.RemoveAll(x.root))
			x.do(os.Rename(x.root+" away", x.root))
			x.pass(2 * absenceGap)
			x.status("")
		}
		x.present()
		if n := x.seen.of(shoe).Absent.Reads; n > 0 {
			t.Errorf("a folder was missed %d times", n)
		}
	})
}

// What lies behind a link above product folders does not belong to the root, also when an event
// names it.
func TestLinkAboveProductFolders(t *testing.T) {
	elsewhere := t.TempDir()
	writeFile(t, filepath.Join(elsewhere, "sock", "1.jpg"), "abc")
	inBubble(t, func(x *world) {
		x.stock()
		x.do(os.Symlink(elsewhere, x.path("Link")))
		x.do(os.Symlink("1.jpg", x.path("Summer/a photo.jpg")))
		x.do(os.Symlink(elsewhere, x.path(".hidden")))
		x.do(os.Symlink(elsewhere, x.path("Summer/Shoe 2")))
		x.start()
		x.w.Rescan()
		x.pass(time.Minute)
		if links := x.w.Roots()[0].Links; links != (Links{Count: 2, First: "Link"}) {
			t.Errorf("the links are %+v", links)
		}
		x.do(os.Remove(x.path("Link")))
		x.w.Rescan()
		x.pass(time.Minute)
		if links := x.w.Roots()[0].Links; links != (Links{Count: 1, First: "Summer/Shoe 2"}) {
			t.Errorf("without the first one the links are %+v", links)
		}
		x.do(os.Symlink(elsewhere, x.path("Link")))
		x.hint(events.Appeared, "Link/sock")
		x.pass(time.Minute)
		x.hint(events.Appeared, "Link")
		x.pass(time.Minute)
		if n := x.seen.times("Link/sock"); n > 0 {
			t.Errorf("it is reported %d times: %+v", n, x.seen.of("Link/sock"))
		}
		x.present()
	})
}

// A folder that is back on its card and cannot be read proves nothing about the folders of another card
// either.
func TestCardThatIsBackAndUnreadable(t *testing.T) {
	const glove = "Winter/glove"
	inBubble(t, func(x *world) {
		x.standOn(onCard)
		x.stock()
		x.start()
		x.pass(time.Minute)
		x.do(os.Rename(x.path("Summer"), x.root+".first"))
		x.write(glove+"/1.jpg", "abc")
		x.w.Rescan()
		x.pass(time.Hour)
		x.do(os.Rename(x.path("Winter"), x.root+".second"))
		x.do(os.Rename(x.root+".first", x.path("Summer")))
		x.onRead(func(dir string) error {
			if strings.HasSuffix(dir, "shoe") || strings.HasSuffix(dir, "boot") {
				return syscall.EIO
			}
			return nil
		})
		x.w.Rescan()
		x.pass(time.Hour)
		if a := x.seen.of(glove).Absent; a.Reads > 0 {
			x.t.Errorf("%s is gone: %+v", glove, a)
		}
		if got := x.w.Aside(x.root); !slices.Contains(got, glove) {
			x.t.Errorf("%q wait for their drive", got)
		}
	})
}
