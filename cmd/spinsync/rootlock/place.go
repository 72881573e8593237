package rootlock

import (
	"path/filepath"
	"slices"
	"time"

	"spinsync/watcher/volume"
)

// A place is where a folder is.
type place struct {
	folder string // as it was named
	real   string // its path without links
	id     string // of the directory, empty when that cannot be had
	above  []directory
}

// A directory that is above a folder.
type directory struct{ path, id string }

// names are those of which no other program may hold one.
func (p place) names() []string {
	names := []string{"path-" + p.real}
	if p.id != "" {
		names = append(names, "id-"+p.id)
	}
	return names
}

func (p place) below(other place) bool {
	return slices.ContainsFunc(p.above, func(d directory) bool { return d.id == other.id })
}

// patience is how long a folder is asked where it is. A dead network drive never answers.
const patience = 5 * time.Second

// placeOf is where a folder is. A folder that does not answer in time is known by its path alone.
func placeOf(folder string, ask func(string) place) place {
	answer := make(chan place, 1)
	go func() { answer <- ask(folder) }()
	select {
	case p := <-answer:
		return p
	case <-time.After(patience):
		return place{folder: folder, real: folded(filepath.Clean(folder))}
	}
}

// ask asks the system, which may never answer.
func ask(folder string) place {
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		real = filepath.Clean(folder)
	}
	p := place{folder: folder, real: folded(real)}
	p.id, _ = volume.DirectoryID(real)
	for _, dir := range parents(real) {
		if id, err := volume.DirectoryID(dir); err == nil {
			p.above = append(p.above, directory{dir, id})
		}
	}
	return p
}

// parents are the directories above a folder, with the root of its volume, which may be watched as
// a whole: a drive or a share on Windows. The one root of a Unix system is left out.
func parents(folder string) []string {
	var dirs []string
	for dir := folder; dir != filepath.Dir(dir) && filepath.Dir(dir) != "/"; {
		dir = filepath.Dir(dir)
		dirs = append(dirs, dir)
	}
	return dirs
}
