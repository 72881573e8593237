package watcher

import (
	"fmt"
	"io"
	"os"
	"path"

	"spinsync/watcher/nofollow"
)

// Open opens a regular file of a product folder for reading, and follows no link on the way. Others
// can rename the open file, on Windows too. Close it soon: an open file keeps its drive from being
// unmounted, and on Windows others from saving over it and from renaming the directories above.
func (w *Watcher) Open(root, folder, name string) (*OpenFile, error) {
	f, err := w.OpenFolder(root, folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Open(name)
}

// OpenFolder opens a product folder and follows no link on the way. On Windows an open directory
// would keep others from renaming those above it. There no directory is opened, and Open returns
// the errors of the folder.
func (w *Watcher) OpenFolder(root, folder string) (*OpenFolder, error) {
	r, err := w.root(root)
	if err != nil {
		return nil, err
	}
	f := &OpenFolder{disk: r.disk, path: folder, spoil: r.root.Drive.Spoil}
	err = f.during(func() (err error) {
		f.dir, err = nofollow.OpenBelow(r.root.Path, r.disk.listed(folder))
		return Access(r.disk.path(folder), err)
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// OpenFolder is an open product folder, from which many files are opened with less work than one by
// one by their paths. Like an open file it keeps its drive from being unmounted. It may be used by
// several goroutines at once.
type OpenFolder struct {
	disk  *disk
	path  string
	dir   nofollow.Dir
	spoil func(path string) error // see Drive.Spoil
}

// Open opens a regular file of the folder for reading, and no link.
func (f *OpenFolder) Open(name string) (*OpenFile, error) {
	if err := fileName(f.path, name); err != nil {
		return nil, err
	}
	var file *os.File
	err := f.during(func() (err error) {
		f.disk.forget(f.path + "/" + name)
		file, err = f.dir.OpenRegular(path.Base(f.disk.listed(f.path + "/" + name)))
		return Access(f.disk.path(f.path+"/"+name), err)
	})
	if err != nil {
		return nil, err
	}
	return &OpenFile{file, f.disk.readings, f.spoil}, nil
}

func (f *OpenFolder) during(do func() error) error {
	return f.disk.readings.during(f.disk.path(f.path), do)
}

// Close closes the folder. Files that were opened from it stay open.
func (f *OpenFolder) Close() { f.dir.Close() }

// Stat reads the attributes of a name in a product folder, and follows no link there. A network
// drive may answer from its cache.
func (w *Watcher) Stat(root, folder, name string) (os.FileInfo, error) {
	r, err := w.root(root)
	if err != nil {
		return nil, err
	}
	if err := fileName(folder, name); err != nil {
		return nil, err
	}
	var info os.FileInfo
	err = r.disk.readings.during(r.disk.path(folder), func() error {
		below := path.Join(folder, name)
		info, err = recall(r.disk, Named, below, func() (os.FileInfo, error) { return os.Lstat(r.disk.path(below)) })
		return err
	})
	return info, err
}

// fileName refuses what would lead out of a product folder.
func fileName(folder, name string) error {
	if name == "" || path.Base(name) != name {
		return fmt.Errorf("open %q in %s: not a file name", name, folder)
	}
	return nil
}

// OpenFile is an open file of a product folder. While the system does not answer a read of it, its
// root is offline.
type OpenFile struct {
	file     *os.File
	readings *readings
	spoil    func(path string) error // nil: nothing
}

var _ interface {
	io.ReadSeekCloser
	io.ReaderAt
} = (*OpenFile)(nil)

// Read implements io.Reader.
func (f *OpenFile) Read(p []byte) (int, error) { return f.read(p, f.file.Read) }

// ReadAt implements io.ReaderAt.
func (f *OpenFile) ReadAt(p []byte, offset int64) (int, error) {
	return f.read(p, func(p []byte) (int, error) { return f.file.ReadAt(p, offset) })
}

func (f *OpenFile) read(p []byte, read func([]byte) (int, error)) (n int, err error) {
	err = f.readings.during(f.file.Name(), func() error {
		if f.spoil != nil {
			if err := f.spoil(f.file.Name()); err != nil {
				return err
			}
		}
		n, err = read(p)
		return err
	})
	return n, err
}

// Stat is that of the open file.
func (f *OpenFile) Stat() (info os.FileInfo, err error) {
	err = f.readings.during(f.file.Name(), func() error {
		info, err = f.file.Stat()
		return err
	})
	return info, err
}

// Seek implements io.Seeker.
func (f *OpenFile) Seek(offset int64, whence int) (int64, error) { return f.file.Seek(offset, whence) }

// Close implements io.Closer.
func (f *OpenFile) Close() error { return f.file.Close() }
