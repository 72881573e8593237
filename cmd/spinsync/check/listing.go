package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/outcome"
	"spinsync/watcher"
	"spinsync/watcher/names"
	"spinsync/watcher/nofollow"
)

// A Listing is the folders of a root that hold photos, by path.
type Listing []Folder

// A Folder is a directory with photos directly in it.
type Folder struct {
	Path   string // below the root, with slashes; "." for the root itself
	Photos int    // files that are frames by their names
}

// enough bounds a listing to so many directories, so that it takes seconds on a network drive too.
const enough = 2000

// List finds the folders with photos, by the names that the daemon takes. It opens no file, and
// passes over directories that it cannot read. In a large tree it stops early.
func List(ctx context.Context, w config.Watch) (Listing, error) {
	rules, err := names.New(w.Include, w.Ignore, w.Marker)
	if err != nil {
		return nil, err
	}
	photos, directories := map[string]int{}, 0
	err = fs.WalkDir(os.DirFS(w.Path), ".", func(below string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && below == ".":
			return fmt.Errorf("%s: %w", w.Path, err)
		case err != nil:
			return nil
		case !entry.IsDir():
			if kind, _ := rules.Classify(path.Dir(below), path.Base(below)); kind == names.Frame && isFile(w, below, entry) {
				photos[path.Dir(below)]++
			}
			return nil
		case below != "." && rules.Hidden(below) || directories == enough:
			return fs.SkipDir
		}
		directories++
		return nil
	})
	var all Listing
	for _, folder := range slices.Sorted(maps.Keys(photos)) {
		all = append(all, Folder{folder, photos[folder]})
	}
	return all, err
}

func isFile(w config.Watch, below string, entry fs.DirEntry) bool {
	return nofollow.IsRegular(filepath.Join(w.Path, filepath.FromSlash(below)), entry.Type())
}

// Layout is the pattern for the depth at which most of the folders lie. It is "" where that is the
// root itself.
func (l Listing) Layout() string {
	counts := map[int]int{}
	for _, f := range l {
		counts[watcher.Level(f.Path)]++
	}
	usual := 2
	for _, depth := range slices.Sorted(maps.Keys(counts)) {
		if counts[depth] > counts[usual] {
			usual = depth
		}
	}
	switch usual {
	case 0:
		return ""
	case 1:
		return "{sku}"
	}
	return strings.Repeat("*/", usual-2) + "{project}/{sku}"
}

// UsualCount is the number of photos that more than half of the folders hold, and more than one of
// them; 0 where there is none. A single photo is no full turn.
func (l Listing) UsualCount() int {
	counts := map[int]int{}
	for _, f := range l {
		if counts[f.Photos]++; len(l) > 1 && f.Photos > 1 && counts[f.Photos] > len(l)/2 {
			return f.Photos
		}
	}
	return 0
}

// Readable returns why a folder cannot be watched, nil when it can. correct is how another one is
// named.
func Readable(folder, correct string) error {
	return readable(folder, correct, func() error {
		_, err := os.ReadDir(folder)
		return err
	})
}

// patience is how long a folder may take to answer: a dead network drive never does.
const patience = 10 * time.Second

func readable(folder, correct string, read func() error) error {
	answer := make(chan error, 1)
	go func() { answer <- read() }()
	var err error
	select {
	case err = <-answer:
	case <-time.After(patience):
		return fmt.Errorf("%s: it does not answer; check the drive or the network", folder)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && noDrive(folder):
		return fmt.Errorf(
			"%s: there is no such drive here; connect it, or write //server/share for a mapped network drive: "+
				"services and administrator terminals do not see it", folder)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no such folder; mount the drive, or %s", folder, correct)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: it %s, or run spinsync as another user", folder, outcome.Unreadable(watcher.Access(folder, err)))
	}
	return err
}

// noDrive reports whether a path begins with a drive letter, of Windows, that does not exist.
func noDrive(folder string) bool {
	drive := filepath.VolumeName(folder)
	if drive == "" {
		return false
	}
	_, err := os.Stat(drive + string(filepath.Separator))
	return len(drive) == 2 && errors.Is(err, fs.ErrNotExist)
}
