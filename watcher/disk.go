package watcher

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"spinsync/watcher/names"
	"spinsync/watcher/nofollow"
	"spinsync/watcher/volume"
)

// disk reads one root. It keeps nothing between readings, so that any goroutine may use it.
type disk struct {
	root  string
	depth int
	rules *names.Rules
	ops   *ops

	courtesy *courtesy

	// gate is called before a directory is read. Tests make it hang or fail.
	gate    func(dir string) error
	mountAt func(dir string) (on volume.Volume, mounted bool) // tests mount their own
}

func newDisk(cfg Root, rules *names.Rules) *disk {
	return &disk{
		root:     filepath.Clean(cfg.Path),
		depth:    cfg.Depth,
		rules:    rules,
		ops:      newOps(),
		courtesy: newCourtesy(),
		gate:     func(string) error { return nil },
		mountAt:  volume.MountedAt,
	}
}

// listing is what one reading of one product folder found.
type listing struct {
	start, end time.Time     // of the reading
	id         volume.FileID // the folder's own
	// changed is the folder's own modification time in nanoseconds: its names last changed then.
	changed int64
	files   [names.Kinds][]File
	print   Fingerprint
	beside  *beside // nil for nothing
	// bare says that the files were left out, because the listing is equal to the idle folder's.
	bare bool
}

var errMoved = errors.New("was replaced while it was read")

// path gives the place of a slash-separated path below the root, which has nothing to be cleaned:
// that would take longer than all else.
func (d *disk) path(below string) string {
	switch {
	case below == "", below == ".":
		return d.root
	case os.IsPathSeparator(d.root[len(d.root)-1]): // of a drive
		return d.root + filepath.FromSlash(below)
	}
	return d.root + string(filepath.Separator) + filepath.FromSlash(below)
}

// look reads one product folder afresh. The files named in open are opened and asked through the
// handle, because the attributes that a network drive keeps in its cache may be a minute old. The
// mounts are those that the folder lies on.
func (d *disk) look(folder string, g volume.Volume, mounts map[string]volume.Identity, open []string) (listing, error) {
	l, err := d.lookAt(folder, g, open)
	return l, d.blameMounts(folder, mounts, l, err)
}

func (d *disk) lookAt(folder string, g volume.Volume, open []string) (listing, error) {
	err := d.ops.during(d.path(folder), func() error { return nofollow.Straight(d.root, path.Dir(folder)) })
	if err != nil {
		return listing{}, d.blame(g, Access(d.path(folder), err))
	}
	return d.list(folder, g, Fingerprint{}, func(at nofollow.Dir, name string) (nofollow.Attrs, error) {
		if slices.Contains(open, name) {
			return nofollow.Ask(d.root, path.Join(folder, name))
		}
		return at.Stat(name)
	})
}

// listBuffers hold the files of a folder until it is clear whether anybody wants to know them.
var listBuffers = sync.Pool{New: func() any { return new([names.Kinds][]File) }}

// list reads one product folder; stat asks for one of its entries. Of a listing with the
// fingerprint idle the files are left out.
func (d *disk) list(folder string, g volume.Volume, idle Fingerprint, stat func(nofollow.Dir, string) (nofollow.Attrs, error)) (listing, error) {
	op := d.ops.begin(d.path(folder))
	defer d.ops.end(op)
	buffer := listBuffers.Get().(*[names.Kinds][]File)
	l := listing{start: time.Now(), files: *buffer}
	defer func() { listBuffers.Put(buffer) }()
	err := d.fill(&l, folder, g, func(at nofollow.Dir, name string) (nofollow.Attrs, error) {
		defer d.ops.beat(op)
		return stat(at, name)
	})
	if err := d.blame(g, Access(d.path(folder), err)); err != nil {
		l.files = [names.Kinds][]File{}
		return l, err
	}
	l.end = time.Now()
	l.print = fingerprint(&l.files)
	l.bare = !idle.IsZero() && l.print == idle
	for k, files := range l.files {
		l.files[k] = nil
		if !l.bare {
			l.files[k] = slices.Clone(files)
		}
		buffer[k] = files[:0]
	}
	return l, nil
}

// blame returns errMoved when the root was replaced, in place of any other error. After a drive has
// gone, a folder of the same name may stand below its mount point.
func (d *disk) blame(g volume.Volume, err error) error {
	if !g.StandsAt(d.root) {
		return errMoved
	}
	return err
}

func (d *disk) fill(l *listing, folder string, g volume.Volume, stat func(nofollow.Dir, string) (nofollow.Attrs, error)) error {
	at, err := d.open(folder)
	if err != nil {
		return err
	}
	defer at.Close()
	self, err := at.Stat(".")
	if err != nil {
		return err
	}
	l.id, l.changed = g.FileID(self.Inode), self.ModTime.UnixNano()
	entries, err := at.Names()
	if err != nil {
		return err
	}
	var others []other
	for _, name := range entries {
		k, why := d.rules.Classify(folder, name)
		if k == names.Foreign || k == names.Photo {
			others = append(others, other{name, why})
		}
		if k >= names.Kinds {
			continue
		}
		a, err := stat(at, name)
		if err == nil && k == names.Frame && !a.Regular {
			others = append(others, other{name, noFile})
		}
		if errors.Is(err, fs.ErrNotExist) || err == nil && !fits(a, k) {
			continue
		}
		if err != nil {
			return err
		}
		l.files[k] = append(l.files[k], File{
			Name:    name,
			Size:    a.Size,
			ModTime: a.ModTime,
			ID:      g.FileID(a.Inode),
			Changed: g.ChangeTime(a.Changed),
		})
	}
	l.beside = d.sortOut(at, folder, others, l.files[names.Frame])
	return nil
}

// open opens a directory below the root.
func (d *disk) open(below string) (nofollow.Dir, error) {
	if err := d.gate(d.path(below)); err != nil {
		return nofollow.Dir{}, err
	}
	return nofollow.Open(d.path(below))
}

// entries lists a directory above product folders, which may be a link only if it is the root.
func (d *disk) entries(below string) ([]fs.DirEntry, error) {
	if err := d.gate(d.path(below)); err != nil {
		return nil, Access(d.path(below), err)
	}
	op := d.ops.begin(d.path(below))
	defer d.ops.end(op)
	entries, err := os.ReadDir(d.path(below))
	return entries, Access(d.path(below), err)
}

// fits reports whether an entry may be of kind k: regular files, and for busy names directories
// too, since Safari and macOS save into one. Links, pipes and devices are never touched.
func fits(a nofollow.Attrs, k names.Kind) bool { return a.Regular || k == names.Busy && a.Dir }
