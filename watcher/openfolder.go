package watcher

import (
	"os"

	"spinsync/watcher/nofollow"
)

// OpenFolder is an open product folder, from which many files are opened with less work than one by
// one by their paths. Like an open file it keeps its drive from being unmounted. It may be used by
// several goroutines at once.
type OpenFolder struct {
	tree *tree
	path string
	dir  nofollow.Dir
}

// OpenFolder opens a product folder and follows no link on the way. On Windows an open directory
// would keep others from renaming those above it. There no directory is opened, and Open returns
// the errors of the folder.
func (w *Watcher) OpenFolder(root, folder string) (*OpenFolder, error) {
	r, err := w.root(root)
	if err != nil {
		return nil, err
	}
	f := &OpenFolder{tree: r, path: folder}
	err = f.during(func() (err error) {
		f.dir, err = nofollow.OpenBelow(r.Path, folder)
		return Access(r.disk.path(folder), err)
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Open opens a regular file of the folder for reading, and no link.
func (f *OpenFolder) Open(name string) (*OpenFile, error) {
	if err := fileName(f.path, name); err != nil {
		return nil, err
	}
	var file *os.File
	err := f.during(func() (err error) {
		file, err = f.dir.OpenRegular(name)
		return Access(f.tree.disk.path(f.path+"/"+name), err)
	})
	if err != nil {
		return nil, err
	}
	return &OpenFile{file, f.tree.disk.ops, f.tree.disk.courtesy, f.tree.Spoil}, nil
}

func (f *OpenFolder) during(do func() error) error {
	return f.tree.disk.ops.during(f.tree.disk.path(f.path), do)
}

// Close closes the folder. Files that were opened from it stay open.
func (f *OpenFolder) Close() { f.dir.Close() }
