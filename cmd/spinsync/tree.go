package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"spinsync/daemon/layout"
	"spinsync/watcher"
)

// A tree is what setup and check see of a watched folder by listing it. It is a picture for advice,
// not for publishing: it stops early in a tree that is large.
type tree struct {
	folders []photoFolder // those that hold files, by path
	dirs    int           // directories listed
	whole   bool          // nothing was left out
	opened  int           // photos that were opened, to see whether that is allowed
	barred  []error       // what may not be read
	hidden  func(dir string) bool
}

// A photoFolder is a directory and what stands directly in it.
type photoFolder struct {
	path   string   // below the root, with slashes; "." for the root itself
	photos int      // files that are frames by their name
	files  []string // all files
}

// enoughDirs bounds the listing for advice, so that a question takes seconds on a network drive
// too.
const (
	enoughDirs  = 2000
	enoughDepth = 6
	// enoughPhotos bounds how many photos are opened.
	enoughPhotos = 5000
)

// lookAround lists a folder tree. It notes folders that it cannot read, and leaves them out.
func lookAround(ctx context.Context, root watcher.Root) (tree, error) {
	hidden, err := root.Hidden()
	if err != nil {
		return tree{}, err
	}
	t := tree{whole: true, hidden: hidden}
	err = filepath.WalkDir(root.Path, func(file string, entry fs.DirEntry, err error) error {
		below, _ := filepath.Rel(root.Path, file)
		below = filepath.ToSlash(below)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && below == ".":
			return err
		case err != nil:
			t.barred = append(t.barred, watcher.Access(file, err))
			return nil
		case entry.IsDir():
			return t.enter(below)
		}
		if t.add(below, root.Include) && entry.Type().IsRegular() {
			t.open(file)
		}
		return nil
	})
	slices.SortFunc(t.folders, func(a, b photoFolder) int { return cmp.Compare(a.path, b.path) })
	return t, err
}

func (t *tree) enter(below string) error {
	name := path.Base(below)
	if below != "." && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "@") || strings.HasPrefix(name, "$")) {
		return fs.SkipDir // what systems and storage boxes keep for themselves
	}
	if below != "." && t.hidden(below) {
		return fs.SkipDir // the daemon never enters it
	}
	if t.dirs == enoughDirs || depth(below) > enoughDepth {
		t.whole = false
		return fs.SkipDir
	}
	t.dirs++
	return nil
}

// open finds out whether a photo may be read.
func (t *tree) open(file string) {
	if t.opened++; t.opened > enoughPhotos {
		return
	}
	f, err := os.Open(file)
	switch {
	case err == nil:
		f.Close()
	case errors.Is(err, fs.ErrPermission):
		t.barred = append(t.barred, watcher.Access(file, err))
	}
}

// add reports whether a file is a photo by its name.
func (t *tree) add(below string, include []string) (photo bool) {
	dir, name := path.Split(below)
	dir = path.Clean("./" + dir)
	i := len(t.folders) - 1
	for i >= 0 && t.folders[i].path != dir { // nearly always the last one
		i--
	}
	if i < 0 {
		i = len(t.folders)
		t.folders = append(t.folders, photoFolder{path: dir})
	}
	f := &t.folders[i]
	f.files = append(f.files, name)
	if isPhoto(name, include) {
		f.photos++
		return true
	}
	return false
}

func isPhoto(name string, include []string) bool {
	if strings.HasPrefix(name, ".") {
		return false
	}
	return slices.ContainsFunc(include, func(pattern string) bool {
		fits, err := path.Match(strings.ToLower(pattern), strings.ToLower(name))
		return fits && err == nil
	})
}

// photographed are the folders that hold photos.
func (t tree) photographed() []photoFolder {
	return slices.DeleteFunc(slices.Clone(t.folders), func(f photoFolder) bool { return f.photos == 0 })
}

// depth counts the directories of a path below the root.
func depth(below string) int {
	if below == "." {
		return 0
	}
	return strings.Count(below, "/") + 1
}

// usualDepth is the depth at which most folders with photos lie; -1 without any.
func (t tree) usualDepth() int {
	counts := map[int]int{}
	usual := -1
	for _, f := range t.photographed() {
		d := depth(f.path)
		counts[d]++
		if usual < 0 || counts[d] > counts[usual] {
			usual = d
		}
	}
	return usual
}

// suggestLayout reads a layout off the folders that hold photos. Those that lie directly in the
// root give none, "".
func (t tree) suggestLayout() string {
	d := t.usualDepth()
	last := "{sku}"
	if titled := "{sku} - {title}"; d > 0 && t.allFit(strings.Repeat("*/", d-1)+titled) {
		last = titled
	}
	switch {
	case d == 0:
		return ""
	case d == 1:
		return last
	case d < 0:
		return "{project}/{sku}"
	}
	return strings.Repeat("*/", d-2) + "{project}/" + last
}

func (t tree) allFit(pattern string) bool {
	l, err := layout.Parse(pattern)
	if err != nil {
		return false
	}
	for _, f := range t.photographed() {
		if _, err := l.Match(f.path); err != nil {
			return false
		}
	}
	return true
}

// usualCount is the number of photos that most folders hold; 0 when they differ or are too few to
// tell.
func (t tree) usualCount() int {
	folders := t.photographed()
	for _, f := range folders {
		if n := t.holding(f.photos); n > 1 && n > len(folders)/2 {
			return f.photos
		}
	}
	return 0
}

// holding counts the folders that hold so many photos.
func (t tree) holding(photos int) int {
	n := 0
	for _, f := range t.folders {
		if f.photos == photos {
			n++
		}
	}
	return n
}
