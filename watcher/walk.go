package watcher

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"spinsync/watcher/events"
	"spinsync/watcher/names"
	"spinsync/watcher/nofollow"
	"spinsync/watcher/volume"
)

// Four goroutines keep a disk and two cores busy; more gained nothing when measured. Small trees
// are read by one, in the order of the names, so that a test run with them is the same each time.
const (
	walkers   = 4
	smallTree = 64 // directories
)

// walk is one reading of the whole tree, or of branches: it lists some directories, and reads below
// them only what is new.
type walk struct {
	disk   *disk
	on     volume.Volume
	from   []string        // the directories with which it begins
	old    map[string]bool // what a reading of branches passes over below these; nil = it reads all
	detail detail          // of product folders

	// idle are the fingerprints of idle folders, whose files are not needed again. A reading that
	// lists no product folder lists these.
	idle map[string]Fingerprint

	known    map[string]volume.Identity // the drives mounted below the root before
	accepted map[string]unmountedDir    // untrusted mounts that a person has accepted

	// watch is called before a directory is listed: later changes cause events.
	watch   func(dir string, r events.Rank)
	mounted func(dir string, on volume.Volume) // called before the folders on it are found
	found   func(found)                        // these are called from several goroutines

	group *errgroup.Group
	dirs  atomic.Int64

	mu      sync.Mutex
	unknown []unknownDir
	wrong   directories // above product folders, but for the unknown ones
	links   []string    // in place of directories; none is followed
}

// detail is what a reading reads of each product folder.
type detail int

const (
	named  detail = iota // nothing: the directory above lists it
	timed                // its own time
	listed               // its files
)

// isBranches reports whether the reading covers branches alone.
func (w *walk) isBranches() bool { return w.old != nil }

// isWhole reports whether the reading covers all product folders and their files.
func (w *walk) isWhole() bool { return w.old == nil && w.detail == listed }

// found is what a walk finds of one product folder.
type found struct {
	folder  string
	changed int64    // as in listing; 0 = not read
	listing *listing // nil when the folder was not listed, or on an error
	err     error
}

// An unknownDir is a directory above product folders that could not be read: nothing is known about
// what lies below.
type unknownDir struct {
	dir string
	err error
}

// run reads everything below w.from and gives an error only if the root itself cannot be listed.
func (w *walk) run(ctx context.Context) error {
	w.group = new(errgroup.Group)
	w.group.SetLimit(walkers)
	var err error
	for _, dir := range w.from {
		err = errors.Join(err, w.start(ctx, dir))
	}
	w.group.Wait()
	return err
}

func (w *walk) start(ctx context.Context, dir string) error {
	if dir == "." {
		return w.list(ctx, dir, 0)
	}
	if w.disk.rules.HiddenAnywhere(dir) {
		return nil
	}
	err := nofollow.Straight(w.disk.root, w.disk.listed(dir))
	if err == nil {
		err = w.disk.spelled(dir)
	}
	if err != nil {
		w.passOver(dir, Access(w.disk.path(dir), err))
		return nil
	}
	w.enter(ctx, dir, Level(dir))
	return nil
}

// enter reads one directory at a level below the root.
func (w *walk) enter(ctx context.Context, dir string, level int) {
	if level == w.disk.depth {
		w.product(dir)
		return
	}
	if err := w.list(ctx, dir, level); err != nil {
		w.passOver(dir, err)
	}
}

// passOver notes a directory that cannot be read. A missing directory leaves nothing unknown.
func (w *walk) passOver(dir string, err error) {
	if IsGone(err) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unknown = append(w.unknown, unknownDir{dir, err})
}

// isLink reports whether an entry of a directory is a link, or what Windows has in place of one.
// Files and directories of a cloud are irregular there, too.
func (d *disk) isLink(dir string, e fs.DirEntry) bool {
	return !e.IsDir() && e.Type()&(fs.ModeSymlink|fs.ModeIrregular) != 0 && !d.isFile(dir, e)
}

// isFile reports whether an entry of a directory is a regular file.
func (d *disk) isFile(dir string, e fs.DirEntry) bool {
	return !e.IsDir() && d.regular(d.path(path.Join(dir, e.Name())), e.Type())
}

// mayLeadToFolder reports whether a link may stand in place of a folder, by its name alone: it is
// not followed.
func (d *disk) mayLeadToFolder(dir, name string) bool {
	k, _ := d.rules.Classify(dir, name)
	return k == names.Foreign && !d.rules.Hidden(path.Join(dir, name))
}

// passBy notes a link.
func (w *walk) passBy(link string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.links = append(w.links, link)
}

// note keeps the error of a directory.
func (w *walk) note(dir string, err error) {
	if err == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrong[dir] = err
}

// list goes through a directory above product folders.
func (w *walk) list(ctx context.Context, dir string, level int) error {
	w.watch(dir, events.Above)
	entries, err := w.disk.entries(dir)
	if err != nil {
		return err
	}
	if level > 0 {
		if _, err := w.cross(dir); err != nil {
			return err
		}
	}
	w.note(dir, w.disk.misplaced(dir, entries))
	for _, e := range entries {
		child := path.Join(dir, e.Name())
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case w.disk.isLink(dir, e) && w.disk.mayLeadToFolder(dir, e.Name()):
			w.passBy(child)
		case !e.IsDir() || w.disk.rules.Hidden(child) || w.old[child]:
		case !w.disk.isPlain(e.Name()):
			w.note(child, &NameError{})
		default:
			w.spread(func() { w.enter(ctx, child, level+1) })
		}
	}
	return nil
}

// spread gives work to another goroutine if one is free and the tree is worth it.
func (w *walk) spread(work func()) {
	if w.dirs.Add(1) > smallTree && w.group.TryGo(func() error { work(); return nil }) {
		return
	}
	work()
}

func (w *walk) product(folder string) {
	print, inTurn := w.idle[folder]
	switch {
	case w.detail == listed || inTurn:
		w.listFolder(folder, print)
	case w.detail == timed:
		w.found(w.ownTime(folder))
	default:
		w.found(found{folder: folder})
	}
}

func (w *walk) listFolder(folder string, idle Fingerprint) {
	w.watch(folder, events.IdleFolder)
	l, err := w.disk.list(folder, w.on, idle, w.disk.attrsIn(folder))
	if err == nil {
		err = w.crossFolder(folder, l)
	}
	w.found(found{folder, l.changed, &l, err})
}

func (w *walk) ownTime(folder string) found {
	op := w.disk.readings.begin(w.disk.path(folder))
	defer w.disk.readings.end(op)
	info, err := recall(w.disk, Standing, folder, func() (os.FileInfo, error) { return os.Lstat(w.disk.path(folder)) })
	if err != nil {
		return found{folder: folder, err: Access(w.disk.path(folder), err)}
	}
	return found{folder: folder, changed: info.ModTime().UnixNano()}
}

// cross reports the drive that is mounted at a directory. It comes after the directory was read,
// which makes a drive be mounted that is mounted on demand. Another drive than before is an error.
func (w *walk) cross(dir string) (mounted bool, err error) {
	on, mounted := w.disk.mountOf(dir)
	if !mounted {
		return false, nil
	}
	if why := w.known[dir].Differs(on.Identity); why != "" && w.accepted[dir].why != why {
		return true, w.disk.mountError(dir, why)
	}
	w.mounted(dir, on)
	return true, nil
}

// crossFolder is cross for a product folder. One on which a drive was mounted, and that is an empty
// directory now, is an error too.
func (w *walk) crossFolder(folder string, l listing) error {
	mounted, err := w.cross(folder)
	_, known := w.known[folder]
	if !mounted && known && l.blank() && w.accepted[folder].why != unmounted {
		return w.disk.mountError(folder, unmounted)
	}
	return err
}
