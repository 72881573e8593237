// Package tree looks at a watched folder without the daemon, to give advice on its settings.
package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"spinsync/watcher"
)

// A Tree is what setup and check see of a watched folder by listing it. It is a picture for advice,
// not for publishing: it stops early in a tree that is large.
type Tree struct {
	Folders []Folder // those that hold files, by path
	Dirs    int      // directories listed
	opened  int      // photos that were opened, to see whether that is allowed
	Barred  []error  // what may not be read
	hidden  func(dir string) bool
}

// A Folder is a directory and what stands directly in it.
type Folder struct {
	Path   string   // below the root, with slashes; "." for the root itself
	Photos int      // files that are frames by their name
	Files  []string // all files
}

// enoughDirs bounds the listing for advice, so that a question takes seconds on a network drive
// too.
const (
	enoughDirs  = 2000
	enoughDepth = 6
	// enoughPhotos bounds how many photos are opened.
	enoughPhotos = 5000
)

// Look lists a folder tree. It notes folders that it cannot read, and leaves them out.
func Look(ctx context.Context, root watcher.Root) (Tree, error) {
	hidden, err := root.Hidden()
	if err != nil {
		return Tree{}, err
	}
	t := Tree{hidden: hidden}
	err = filepath.WalkDir(root.Path, func(file string, entry fs.DirEntry, err error) error {
		below, _ := filepath.Rel(root.Path, file)
		below = filepath.ToSlash(below)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && below == ".":
			return err
		case err != nil:
			t.Barred = append(t.Barred, watcher.Access(file, err))
			return nil
		case entry.IsDir():
			return t.enter(below)
		}
		if t.add(below, root.Include) && entry.Type().IsRegular() {
			t.open(file)
		}
		return nil
	})
	slices.SortFunc(t.Folders, func(a, b Folder) int { return cmp.Compare(a.Path, b.Path) })
	return t, err
}

func (t *Tree) enter(below string) error {
	name := path.Base(below)
	if below != "." && strings.IndexAny(name, ".@$") == 0 {
		return fs.SkipDir // what systems and storage boxes keep for themselves
	}
	if below != "." && t.hidden(below) {
		return fs.SkipDir // the daemon never enters it
	}
	if t.Dirs == enoughDirs || watcher.Level(below) > enoughDepth {
		return fs.SkipDir
	}
	t.Dirs++
	return nil
}

// open finds out whether a photo may be read.
func (t *Tree) open(file string) {
	if t.opened++; t.opened > enoughPhotos {
		return
	}
	f, err := os.Open(file)
	switch {
	case err == nil:
		f.Close()
	case errors.Is(err, fs.ErrPermission):
		t.Barred = append(t.Barred, watcher.Access(file, err))
	}
}

// add reports whether a file is a photo by its name.
func (t *Tree) add(below string, include []string) (photo bool) {
	dir, name := path.Split(below)
	dir = path.Clean("./" + dir)
	i := len(t.Folders) - 1
	for i >= 0 && t.Folders[i].Path != dir { // nearly always the last one
		i--
	}
	if i < 0 {
		i = len(t.Folders)
		t.Folders = append(t.Folders, Folder{Path: dir})
	}
	f := &t.Folders[i]
	f.Files = append(f.Files, name)
	if photo = IsPhoto(name, include); photo {
		f.Photos++
	}
	return photo
}

// IsPhoto reports whether a file is a frame by its name.
func IsPhoto(name string, include []string) bool {
	if strings.HasPrefix(name, ".") {
		return false
	}
	return slices.ContainsFunc(include, func(pattern string) bool {
		fits, err := path.Match(strings.ToLower(pattern), strings.ToLower(name))
		return fits && err == nil
	})
}

// Photographed are the folders that hold photos.
func (t Tree) Photographed() []Folder {
	return slices.DeleteFunc(slices.Clone(t.Folders), func(f Folder) bool { return f.Photos == 0 })
}

// usualDepth is the depth at which most folders with photos lie; -1 without any.
func (t Tree) usualDepth() int {
	counts := map[int]int{}
	usual := -1
	for _, f := range t.Photographed() {
		d := watcher.Level(f.Path)
		counts[d]++
		if usual < 0 || counts[d] > counts[usual] {
			usual = d
		}
	}
	return usual
}

// Layout is the pattern for the depth at which most folders with photos lie. It is "" where the
// photos lie directly in the root.
func (t Tree) Layout() string {
	switch d := t.usualDepth(); d {
	case 0:
		return ""
	case 1:
		return "{sku}"
	default:
		return strings.Repeat("*/", max(0, d-2)) + "{project}/{sku}"
	}
}

// UsualCount is the number of photos that more than half of the folders hold, and more than one
// of them; 0 where there is none. A single photo is no full turn.
func (t Tree) UsualCount() int {
	folders := t.Photographed()
	counts := map[int]int{}
	for _, f := range folders {
		if counts[f.Photos]++; len(folders) > 1 && f.Photos > 1 && counts[f.Photos] > len(folders)/2 {
			return f.Photos
		}
	}
	return 0
}

// Trouble says why a folder cannot be watched, nil when it can. correct is how another one is
// named.
func Trouble(path, correct string) error {
	_, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && noDrive(path):
		return fmt.Errorf(
			"%s: there is no such drive here; connect it, or write //server/share for a mapped network drive: "+
				"services and administrator terminals do not see it", path)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no such folder; mount the drive, or %s", path, correct)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: this user may not read it; give it the right, or run spinsync as another user", path)
	}
	return err
}

// noDrive reports whether a path begins with a drive letter, of Windows, that does not exist.
func noDrive(path string) bool {
	drive := filepath.VolumeName(path)
	if drive == "" {
		return false
	}
	_, err := os.Stat(drive + string(filepath.Separator))
	return len(drive) == 2 && errors.Is(err, fs.ErrNotExist)
}
