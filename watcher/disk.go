package watcher

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"

	"spinsync/watcher/clock"
	"spinsync/watcher/names"
	"spinsync/watcher/nofollow"
	"spinsync/watcher/volume"
)

// disk reads one root. It keeps nothing between readings, so that any goroutine may use it.
type disk struct {
	root     string
	depth    int
	shared   bool
	composes bool // names are listed decomposed, and found composed too
	rules    *names.Rules
	readings *readings
	drive    Drive

	// gate is called before a directory is read. Tests make it hang or fail, and have entries of
	// their own.
	gate    func(dir string) error // Drive.Spoil
	stat    statFunc
	ask     func(root, file string) (nofollow.Attrs, error)
	mountAt func(dir string) (on volume.Volume, mounted bool) // tests mount their own
	isPlain func(name string) bool                            // tests have names of their own
	regular func(path string, mode fs.FileMode) bool          // tests have a cloud of their own
}

func newDisk(cfg Root, rules *names.Rules) *disk {
	d := &disk{
		root:     filepath.Clean(cfg.Path),
		depth:    cfg.Depth,
		shared:   cfg.Shared,
		composes: cfg.Shared && runtime.GOOS == "darwin", // as a Mac shows what lies on an SMB share
		rules:    rules,
		readings: newReadings(),
		drive:    cfg.Drive,
		gate:     cfg.Drive.Spoil,
		stat:     nofollow.Dir.Stat,
		ask:      nofollow.Ask,
		mountAt:  volume.MountedAt,
		isPlain:  nofollow.IsPlain,
		regular:  nofollow.IsRegular,
	}
	if d.gate == nil {
		d.gate = func(string) error { return nil }
	}
	return d
}

var errMoved = errors.New("was replaced while it was read")

// path gives the place of a slash-separated path below the root, which has nothing to be cleaned:
// that would take longer than all else.
func (d *disk) path(below string) string {
	switch {
	case below == ".":
		return d.root
	case d.drive.Spelling != nil:
		return filepath.Join(d.root, d.listed(below))
	case os.IsPathSeparator(d.root[len(d.root)-1]): // of a drive
		return d.root + filepath.FromSlash(below)
	}
	return d.root + string(filepath.Separator) + filepath.FromSlash(below)
}

func (d *disk) readAfresh(folder string, on volume.Volume, open []string) (listing, error) {
	err := d.readings.during(d.path(folder), func() error {
		if err := nofollow.Straight(d.root, d.listed(path.Dir(folder))); err != nil {
			return err
		}
		return d.spelled(folder)
	})
	if err != nil {
		return listing{}, d.blame(on, Access(d.path(folder), err))
	}
	stat := d.attrsIn(folder)
	return d.list(folder, on, Fingerprint{}, func(at nofollow.Dir, name string) (nofollow.Attrs, error) {
		a, err := stat(at, name)
		if err != nil || a.Away || !slices.Contains(open, name) {
			return a, err
		}
		d.forget(path.Join(folder, name))
		asked, err := d.ask(d.root, d.listed(path.Join(folder, name)))
		if errors.Is(err, fs.ErrPermission) { // who reads the file finds that out
			return a, nil
		}
		asked.Changed = a.Changed // as the other reads know it, or it would seem to have changed
		return asked, err
	})
}

// listBuffers hold the files of a folder until it is known whether they are needed.
var listBuffers = sync.Pool{New: func() any { return new([names.Kinds][]File) }}

// statFunc asks for an entry of a directory.
type statFunc func(at nofollow.Dir, name string) (nofollow.Attrs, error)

// list reads one product folder; stat asks for one of its entries. Of a listing with the
// fingerprint idle the files are left out.
func (d *disk) list(folder string, on volume.Volume, idle Fingerprint, stat statFunc) (listing, error) {
	op := d.readings.begin(d.path(folder))
	defer d.readings.end(op)
	buffer := listBuffers.Get().(*[names.Kinds][]File)
	l := listing{start: time.Now(), files: *buffer}
	defer func() { listBuffers.Put(buffer) }()
	err := d.fill(&l, folder, on, func(at nofollow.Dir, name string) (nofollow.Attrs, error) {
		defer d.readings.beat(op)
		return stat(at, name)
	})
	if err := d.blame(on, Access(d.path(folder), err)); err != nil {
		l.files = [names.Kinds][]File{}
		return l, err
	}
	l.end, l.overslept = time.Now(), clock.Overslept()
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
// gone, a folder of the same name may lie below its mount point.
func (d *disk) blame(on volume.Volume, err error) error {
	if !on.StandsAt(d.root) {
		return errMoved
	}
	return err
}

func (d *disk) fill(l *listing, folder string, on volume.Volume, stat statFunc) error {
	at, err := d.open(folder)
	if err != nil {
		return err
	}
	defer at.Close()
	self, err := at.Stat(".")
	if err != nil {
		return err
	}
	if d.shared {
		on.Lasting, on.Changes = false, false
	}
	l.id, l.changed = on.FileID(self.Inode), self.ModTime.UnixNano()
	entries, err := recall(d, Listing, folder, at.Names)
	if err != nil {
		return err
	}
	if d.composes {
		entries = composedNames(entries)
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
		if !d.isPlain(name) {
			if k == names.Frame {
				l.files[k] = append(l.files[k], File{Name: name, Held: mistaken})
			}
			continue
		}
		held := ""
		a, err := stat(at, name)
		if IsBusy(err) {
			held = HeldByOther
			a, err = d.attrsIn(folder)(at, name)
		}
		if err == nil && k == names.Frame && !a.Regular {
			why := noFile
			if a.Dir {
				why = isDirectory
			}
			others = append(others, other{name, why})
		}
		if IsGone(err) || err == nil && !fits(a, k) {
			continue
		}
		if err != nil {
			return err
		}
		if a.Away {
			held = isElsewhere
		}
		l.files[k] = append(l.files[k], File{
			Name:    name,
			Held:    held,
			Size:    a.Size,
			ModTime: d.timeOf(a),
			ID:      on.FileID(a.Inode),
			Changed: on.ChangeTime(a.Changed),
		})
	}
	l.beside = d.sortOut(at, folder, others, l.files[names.Frame])
	return nil
}

// timeOf is when a file was changed last.
func (d *disk) timeOf(a nofollow.Attrs) time.Time {
	if d.shared {
		return AsShared(a.ModTime)
	}
	return a.ModTime
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
	op := d.readings.begin(d.path(below))
	defer d.readings.end(op)
	entries, err := recall(d, Listing, below, func() ([]fs.DirEntry, error) { return nofollow.ReadDir(d.path(below)) })
	if d.composes {
		for i, e := range entries {
			entries[i] = composedEntry{e}
		}
	}
	return entries, Access(d.path(below), err)
}

// composed is a name as all computers of a fleet have it.
func (d *disk) composed(name string) string {
	if d.composes {
		return norm.NFC.String(name)
	}
	return name
}

func composedNames(listed []string) []string {
	composed := make([]string, len(listed))
	for i, name := range listed {
		composed[i] = norm.NFC.String(name)
	}
	slices.Sort(composed)
	return composed
}

// A composedEntry is an entry of a directory under its composed name.
type composedEntry struct{ fs.DirEntry }

func (e composedEntry) Name() string { return norm.NFC.String(e.DirEntry.Name()) }

// fits reports whether an entry may be of kind k: regular files, and for busy names directories
// too, since Safari and macOS save into one. Links, pipes and devices are never touched.
func fits(a nofollow.Attrs, k names.Kind) bool { return a.Regular || k == names.Busy && a.Dir }

// sortOut finds the photos that are not taken among names of a folder, and those in directories
// below it.
func (d *disk) sortOut(at nofollow.Dir, folder string, others []other, frames []File) *beside {
	if len(others) == 0 {
		return nil
	}
	b := beside{below: directories{}}
	taken := map[string]bool{}
	for _, f := range frames {
		taken[names.Stem(f.Name)] = true
	}
	b.photos.add(others, taken)
	for _, o := range others {
		if o.why == "" {
			d.searchBelow(at, path.Join(folder, o.name), b.below, deepest)
		}
	}
	if b.photos.Count+len(b.below) == 0 {
		return nil
	}
	return &b
}

// isElsewhere is why a file is not read whose content a cloud took off the disk.
const isElsewhere = "its content is not on this computer; have it kept here"

// mistaken is why Windows has no way to something with a name as "SKU-1." or "aux.png".
const mistaken = "Windows takes this name for another one; rename it on the computer that made it"

// noFile is why a link or a pipe with the name of a photo is no frame.
const noFile = "no regular file; links are not followed"

// isDirectory is why a directory with the name of a photo is no frame.
const isDirectory = "it is a directory, and no photo"

// deepest is how many directories below a product folder are searched, one in another.
const deepest = 3

// searchBelow counts the photos in a directory of a product folder, and in those below it. What
// cannot be read there is left out.
func (d *disk) searchBelow(above nofollow.Dir, below string, found directories, levels int) {
	if !d.isPlain(path.Base(below)) {
		return
	}
	if a, err := above.Stat(path.Base(below)); err != nil || !a.Dir || levels == 0 || d.rules.Hidden(below) {
		return
	}
	at, err := d.open(below)
	if err != nil {
		return
	}
	defer at.Close()
	entries, err := at.Names()
	if err != nil {
		return
	}
	if photos := d.countPhotos(below, entries); photos != nil {
		found[below] = photos
	}
	for _, name := range entries {
		if k, _ := d.rules.Classify(below, name); k == names.Foreign {
			d.searchBelow(at, below+"/"+name, found, levels-1)
		}
	}
}

// misplaced is an error with the photos among the entries of a directory above product folders; nil
// without any.
func (d *disk) misplaced(dir string, entries []fs.DirEntry) error {
	var files []string
	for _, e := range entries {
		if d.isFile(dir, e) {
			files = append(files, e.Name())
		}
	}
	return d.countPhotos(dir, files)
}

func (d *disk) countPhotos(dir string, files []string) error {
	var found MisplacedError
	for _, name := range files {
		if k, _ := d.rules.Classify(dir, name); k == names.Frame {
			if found.Photos == 0 {
				found.First = name
			}
			found.Photos++
		}
	}
	if found.Photos == 0 {
		return nil
	}
	return &found
}
