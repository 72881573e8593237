package watcher

import (
	"io"
	"os"
)

// OpenFile is an open file of a product folder. While the system does not answer a read of it, its
// root is offline. While frames are being written below its root, reads take turns and make way for
// the camera.
type OpenFile struct {
	file     *os.File
	ops      *ops
	courtesy *courtesy
	spoil    func(path string) error // nil: nothing
}

var _ interface {
	io.ReadSeekCloser
	io.ReaderAt
} = (*OpenFile)(nil)

// Read implements io.Reader.
func (f *OpenFile) Read(p []byte) (int, error) { return f.read(p, f.file.Read) }

// ReadAt implements io.ReaderAt.
func (f *OpenFile) ReadAt(p []byte, offset int64) (n int, err error) {
	for n < len(p) && err == nil {
		var more int
		more, err = f.read(p[n:], func(p []byte) (int, error) { return f.file.ReadAt(p, offset+int64(n)) })
		n += more
	}
	return n, err
}

func (f *OpenFile) read(p []byte, read func([]byte) (int, error)) (int, error) {
	if f.spoil != nil {
		if err := f.spoil(f.file.Name()); err != nil {
			return 0, err
		}
	}
	return f.courtesy.piece(p, func(p []byte) (n int, err error) {
		err = f.ops.during(f.file.Name(), func() error {
			n, err = read(p)
			return err
		})
		return n, err
	})
}

// Stat is that of the open file.
func (f *OpenFile) Stat() (info os.FileInfo, err error) {
	err = f.ops.during(f.file.Name(), func() error {
		info, err = f.file.Stat()
		return err
	})
	return info, err
}

// Seek implements io.Seeker.
func (f *OpenFile) Seek(offset int64, whence int) (int64, error) { return f.file.Seek(offset, whence) }

// Close implements io.Closer.
func (f *OpenFile) Close() error { return f.file.Close() }
