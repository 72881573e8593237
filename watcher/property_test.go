package watcher

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/watcher/events"
)

// editor changes a tree at random and loses some of the events.
type editor struct {
	*world
	*rand.Rand
	lossy float64 // share of events that are lost
}

func (e *editor) hintSome(c events.Change, paths ...string) {
	for _, p := range paths {
		if e.Float64() >= e.lossy {
			e.hint(c, p)
		}
	}
}

func (e *editor) pick(names ...string) string { return names[e.IntN(len(names))] }

func (e *editor) folder() string {
	return e.pick("Summer", "Winter", "Autumn") + "/" + e.pick("shoe", "boot", "glove", "hat")
}

func (e *editor) file() string {
	return e.pick("1.jpg", "2.jpg", "3.jpg", "4.png", "5.jpg.part", "notes.txt", "done.txt", ".DS_Store", "raw.cr3")
}

// edit does one thing to the tree.
func (e *editor) edit() {
	folder := e.folder()
	file := folder + "/" + e.file()
	_, statErr := os.Lstat(e.path(path.Dir(folder)))
	switch e.IntN(10) {
	case 0, 1, 2, 3:
		e.write(file, strings.Repeat("x", e.IntN(20)))
		if statErr != nil {
			e.hintSome(events.Appeared, path.Dir(folder))
		} else {
			e.hintSome(events.Appeared, folder)
		}
		e.hintSome(events.Altered, file)
	case 4:
		other := folder + "/" + e.file()
		if os.Rename(e.path(file), e.path(other)) == nil {
			e.hintSome(events.Gone, file)
			e.hintSome(events.Appeared, other)
		}
	case 5:
		if os.Remove(e.path(file)) == nil {
			e.hintSome(events.Gone, file)
		}
	case 6:
		when := time.Unix(e.Int64N(4e9), 0)
		_ = os.Chtimes(e.path(file), when, when)
	case 7:
		e.do(os.RemoveAll(e.path(folder)))
		e.hintSome(events.Gone|events.Unwatched, folder)
	case 8:
		other := e.folder()
		if os.Rename(e.path(folder), e.path(other)) == nil {
			e.hintSome(events.Gone|events.Unwatched, folder)
			e.hintSome(events.Appeared, other)
		}
	case 9:
		from, to := path.Dir(folder), path.Dir(e.folder())
		if os.Rename(e.path(from), e.path(to)) == nil {
			e.hintSome(events.Gone|events.Unwatched, from)
			e.hintSome(events.Appeared, to)
		}
	}
}

// onDisk describes every product folder as it is.
func onDisk(t *testing.T, root string) map[string]string {
	all := map[string]string{}
	dirs, err := filepath.Glob(filepath.Join(root, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		var files []string
		for _, e := range entries {
			info, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			if e.Name() != ".DS_Store" && e.Name() != "raw.cr3" {
				files = append(files, describe(e.Name(), info.Size(), info.ModTime()))
			}
		}
		below, _ := filepath.Rel(root, dir)
		all[filepath.ToSlash(below)] = strings.Join(files, ", ")
	}
	return all
}

func describe(name string, size int64, t time.Time) string {
	return fmt.Sprintf("%s %d %d", name, size, t.UnixNano())
}

// asReported describes every product folder that is there by the newest snapshots.
func asReported(t *testing.T, newest map[string]Snapshot) map[string]string {
	all := map[string]string{}
	for folder, s := range newest {
		if !s.Present {
			continue
		}
		list := slices.Concat(s.Frames, s.Sidecars)
		if s.Marker != nil {
			list = append(list, *s.Marker)
		}
		for _, f := range list {
			if !f.Still {
				t.Errorf("%s: %s is not still", folder, f.Name)
			}
		}
		for _, b := range s.Busy {
			list = append(list, b.File)
		}
		var files []string
		for _, f := range list {
			files = append(files, describe(f.Name, f.Size, f.ModTime))
		}
		slices.Sort(files)
		all[folder] = strings.Join(files, ", ")
	}
	return all
}

// Whatever is done to a tree and any events are lost: once it is quiet, the newest snapshots are
// what is on the disk. Reading the tree changes nothing in it.
func TestConverges(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				x := newWorld(t, dir, func(cfg *Root) { cfg.Poll = seed%4 == 3 })
				e := &editor{x, rand.New(rand.NewPCG(seed, 1)), float64(seed%3) / 2}
				x.write("Spring/always/1.jpg", "here")
				x.start()
				for range 60 {
					e.edit()
					x.pass(time.Duration(e.Int64N(int64(4 * time.Second))))
				}
				before := onDisk(t, dir)
				x.pass(time.Hour)
				if after := onDisk(t, dir); !maps.Equal(before, after) {
					t.Errorf("reading changed the tree from %v to %v", before, after)
				}
				x.seen.mu.Lock()
				defer x.seen.mu.Unlock()
				if reported := asReported(t, x.seen.newest); !maps.Equal(reported, before) {
					t.Errorf("reported:\n%v\nbut on disk:\n%v", reported, before)
				}
			})
		})
	}
}
