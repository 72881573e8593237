package watcher

import (
	"errors"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"spinsync/watcher/events"
	"spinsync/watcher/volume"
)

const glove = "Winter/glove"

// mounts lets drives be mounted on directories below the root.
type mounts struct {
	*world
	on *sync.Map // of volume.Volume, by path
}

// mount makes a directory of the root a drive's, with its content.
func (m mounts) mount(below string, on volume.Volume) { m.on.Store(m.path(below), on) }

// leave takes the drive away from the files there, as if they were moved to the root's own volume.
func (m mounts) leave(below string) { m.on.Delete(m.path(below)) }

// unmount takes a drive away with all that is on it, and leaves an empty directory or none.
func (m mounts) unmount(below string, leave bool) {
	m.t.Helper()
	m.leave(below)
	m.do(os.Rename(m.path(below), m.root+".away"))
	if leave {
		m.do(os.Mkdir(m.path(below), 0o755))
	}
	m.hint(events.Gone|events.Unwatched, below)
}

// remount brings the drive back.
func (m mounts) remount(below string, on volume.Volume) {
	m.t.Helper()
	m.do(os.RemoveAll(m.path(below)))
	m.do(os.Rename(m.root+".away", m.path(below)))
	m.mount(below, on)
}

// wantUnmounted fails unless the watcher reports that folders are there, and that their drive is away.
func (m mounts) wantUnmounted(why string, folders ...string) {
	m.t.Helper()
	m.status("")
	for _, folder := range folders {
		s := m.seen.of(folder)
		if !s.Present || s.Err == nil || !strings.Contains(s.Err.Error(), why) {
			m.t.Errorf("%s: present %v, error %v; want %q", folder, s.Present, s.Err, why)
		}
		if _, is := errors.AsType[*MountError](s.Err); !is || !m.w.Roots()[0].Untrusted {
			m.t.Errorf("%s: the error %v cannot be accepted", folder, s.Err)
		}
	}
}

// absent fails unless a folder is gone for sure.
func (m mounts) absent(folder string) {
	m.t.Helper()
	if s := m.seen.of(folder); s.Present || s.Absent.Reads < 2 {
		m.t.Errorf("%s: present %v, %+v", folder, s.Present, s.Absent)
	}
}

// again is the next start of the program on the same root, which knows what this one does.
func (m mounts) again(script func(mounts), folders ...string) {
	m.t.Helper()
	m.pass(time.Minute)
	known := map[string]Idle{}
	for _, folder := range folders {
		known[folder] = Idle{Fingerprint: m.seen.of(folder).Fingerprint}
	}
	remembered := m.w.Mounts(m.root)
	m.end()
	x := newWorld(m.t, m.root, func(cfg *Root) { cfg.Known, cfg.Mounts = known, remembered })
	next := mounts{x, m.on}
	next.use()
	script(next)
}

func (m mounts) use() {
	m.tree.disk.mountAt = func(dir string) (volume.Volume, bool) {
		if on, mounted := m.on.Load(dir); mounted {
			return on.(volume.Volume), true
		}
		return volume.Volume{}, false
	}
}

// withMounts runs a script on a root with two folders on a project directory and one on another.
func withMounts(t *testing.T, script func(mounts), options ...func(*Root)) {
	t.Helper()
	inBubble(t, func(x *world) {
		x.stock()
		x.write(glove+"/1.jpg", "abc")
		m := mounts{x, new(sync.Map)}
		m.use()
		script(m)
	}, options...)
}

// A drive with an identity of its own, and a memory card, which has none.
var (
	drive = volume.Volume{Identity: volume.Identity{FS: "ext4", ID: "1", Root: 2}, Lasting: true, Sure: true}
	card  = volume.Volume{Identity: volume.Identity{FS: "vfat"}}
)

// A drive that was mounted on a directory below the root went away, while the program ran or before
// it started. Its folders are not gone, although the root is well. They go on when the drive is
// back.
func TestUnmountedBelowRoot(t *testing.T) {
	for _, leave := range []bool{true, false} {
		for at, folders := range map[string][]string{"Summer": {shoe, boot}, shoe: {shoe}} {
			withMounts(t, func(m mounts) {
				m.mount(at, drive)
				m.start()
				m.pass(10 * time.Second)
				m.unmount(at, leave)
				m.pass(time.Hour)
				m.wantUnmounted("is gone", folders...)
				m.remount(at, drive)
				m.pass(30 * time.Minute)
				m.present()
				m.again(func(m mounts) {
					m.start()
					m.pass(time.Minute)
					m.unmount(at, leave)
					m.again(func(m mounts) {
						m.start()
						m.pass(time.Hour)
						m.wantUnmounted("is gone", folders...)
						for _, folder := range folders {
							if _, err := m.w.ReadFolder(m.t.Context(), m.root, folder); err == nil || IsGone(err) {
								m.t.Errorf("%s: a look ends with %v", folder, err)
							}
							if !m.w.Exists(m.root, folder) {
								m.t.Errorf("%s does not stand", folder)
							}
						}
						m.remount(at, drive)
						m.pass(30 * time.Minute)
						m.present()
						if m.w.Roots()[0].Untrusted {
							m.t.Error("something is untrusted")
						}
						m.do(os.RemoveAll(m.path(boot)))
						m.pass(time.Hour)
						m.absent(boot)
					}, shoe, boot, glove)
				}, shoe, boot, glove)
			})
		}
	}
}

// Where no events come, scans meet the empty directory between whole reads. They do not list it, so
// that it goes on to lack its drive.
func TestScansOfAnUnmountedFolder(t *testing.T) {
	withMounts(t, func(m mounts) {
		m.mount(shoe, drive)
		m.start()
		m.pass(time.Minute)
		m.unmount(shoe, true)
		m.pass(20 * time.Minute)
		for range 30 {
			m.pass(time.Second)
			m.wantUnmounted("is gone", shoe)
		}
	}, func(cfg *Root) { cfg.Poll = true })
}

// What a person accepts without its drive is gone, and nothing that goes away later.
func TestAcceptUnmounted(t *testing.T) {
	for _, leave := range []bool{true, false} {
		withMounts(t, func(m mounts) {
			m.mount("Summer", drive)
			m.mount(glove, card)
			m.start()
			m.pass(10 * time.Second)
			m.unmount("Summer", leave)
			m.pass(time.Hour)
			m.wantUnmounted("is gone", shoe, boot)
			m.leave(glove)
			m.do(os.RemoveAll(m.path("Winter")))
			m.w.Accept(m.root)
			m.pass(time.Hour)
			m.absent(shoe)
			m.absent(boot)
			m.wantUnmounted("is gone", glove)
			if _, known := m.w.Mounts(m.root)["Summer"]; known {
				m.t.Error("the drive is remembered")
			}
		})
	}
}

// Folders that were moved from a drive to the root's own volume are like others there, once all of
// them are.
func TestMovedOffDrive(t *testing.T) {
	withMounts(t, func(m mounts) {
		m.mount("Summer", drive)
		m.start()
		m.again(func(m mounts) {
			m.leave("Summer")
			m.do(os.Rename(m.path(boot), m.root+".later"))
			m.start()
			m.pass(time.Hour)
			m.wantUnmounted("is gone", boot)
			if s := m.seen.of(shoe); !s.Present || s.Err != nil {
				m.t.Errorf("%+v", s)
			}
			m.do(os.Rename(m.root+".later", m.path(boot)))
			m.pass(time.Hour)
			m.present()
			if on := m.w.Mounts(m.root); len(on) > 0 {
				m.t.Errorf("still known of drives: %v", on)
			}
			m.do(os.RemoveAll(m.path(boot)))
			m.pass(time.Hour)
			m.absent(boot)
		}, shoe, boot, glove)
	})
	withMounts(t, func(m mounts) {
		m.mount(shoe, drive)
		m.start()
		m.again(func(m mounts) {
			m.leave(shoe)
			m.write(shoe+"/2.jpg", "abc")
			m.start()
			m.pass(time.Hour)
			m.expect(shoe, "1.jpg! 2.jpg!")
			m.do(os.RemoveAll(m.path(shoe)))
			m.pass(time.Hour)
			m.absent(shoe)
		}, shoe, boot, glove)
	})
}

// Another drive at the same directory is not read until a person accepts it. Then it is the one.
func TestOtherDriveBelowRoot(t *testing.T) {
	other := volume.Volume{Identity: volume.Identity{FS: "ext4", ID: "2", Root: 2}, Lasting: true, Sure: true}
	for at, folder := range map[string]string{"Summer": boot, shoe: shoe} {
		withMounts(t, func(m mounts) {
			m.mount(at, drive)
			m.start()
			m.pass(10 * time.Second)
			m.mount(at, other)
			m.write(shoe+"/2.jpg", "abc")
			m.hint(events.Altered, shoe+"/2.jpg")
			m.do(os.RemoveAll(m.path(folder)))
			m.do(os.MkdirAll(m.path(at), 0o755))
			m.pass(time.Hour)
			m.wantUnmounted("is on another volume", folder)
			m.expect(shoe, "1.jpg!")
			m.w.Accept(m.root)
			m.pass(time.Hour)
			if v := m.w.Mounts(m.root)[at]; v != other.Identity {
				m.t.Errorf("known is %+v", v)
			}
			if folder == boot {
				m.expect(shoe, "1.jpg! 2.jpg!")
				m.absent(boot)
			} else if s := m.seen.of(shoe); !s.Present || s.Err != nil || len(s.Frames) > 0 {
				m.t.Errorf("%+v", s)
			}
		})
	}
}

// A drive without any of the folders that it held was emptied, or is another memory card: they are
// not gone.
func TestEmptiedDriveBelowRoot(t *testing.T) {
	for name, on := range map[string]volume.Volume{"drive": drive, "card": card} {
		t.Run(name, func(t *testing.T) {
			withMounts(t, func(m mounts) {
				m.mount("Summer", on)
				m.start()
				m.pass(10 * time.Second)
				m.do(os.RemoveAll(m.path(shoe)))
				m.do(os.RemoveAll(m.path(boot)))
				if !on.Sure {
					m.write("Summer/sandal/1.jpg", "abc")
				}
				m.pass(time.Hour)
				m.wantUnmounted("holds none of the product folders", shoe, boot)
				if !on.Sure {
					m.expect("Summer/sandal", "1.jpg!")
				}
				m.w.Accept(m.root)
				m.pass(time.Hour)
				m.absent(shoe)
				m.absent(boot)
			})
		})
	}
}

// A drive on a directory where no product folder is known is forgotten when it goes.
func TestDriveOfNoFolder(t *testing.T) {
	withMounts(t, func(m mounts) {
		m.do(os.Mkdir(m.path("Card"), 0o755))
		m.mount("Card", card)
		m.start()
		m.pass(10 * time.Second)
		if on := m.w.Mounts(m.root); !maps.Equal(on, map[string]volume.Identity{"Card": card.Identity}) {
			m.t.Errorf("known of drives: %v", on)
		}
		m.leave("Card")
		m.pass(time.Hour)
		if on := m.w.Mounts(m.root); len(on) > 0 || m.w.Roots()[0].Untrusted {
			m.t.Errorf("known of drives: %v", on)
		}
	})
}
