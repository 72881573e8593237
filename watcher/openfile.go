package watcher

import "os"

// OpenFile is an open file of a product folder. While the system does not answer a read of it, its root is offline.
type OpenFile struct {
	*os.File
	ops *ops
}

// Read implements io.Reader.
func (f *OpenFile) Read(p []byte) (n int, err error) {
	err = f.ops.during(f.Name(), func() error {
		n, err = f.File.Read(p)
		return err
	})
	return n, err
}

// ReadAt implements io.ReaderAt.
func (f *OpenFile) ReadAt(p []byte, offset int64) (n int, err error) {
	err = f.ops.during(f.Name(), func() error {
		n, err = f.File.ReadAt(p, offset)
		return err
	})
	return n, err
}

// Stat is that of the open file.
func (f *OpenFile) Stat() (info os.FileInfo, err error) {
	err = f.ops.during(f.Name(), func() error {
		info, err = f.File.Stat()
		return err
	})
	return info, err
}
