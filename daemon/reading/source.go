package reading

import (
	"io"
	"os"
	"runtime"

	"spinsync/daemon/outcome"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A Source is the content of a frame for as long as somebody takes it.
type Source interface {
	io.ReaderAt
	// Stat is that of the file that is read.
	Stat() (os.FileInfo, error)
}

// SourceOf makes a source of an open frame. On Windows it closes the frame: nobody can save over an
// open file or rename a directory above it, and an upload may take hours.
func (p *Folder) SourceOf(file *watcher.OpenFile, want syncstate.File) (Source, error) {
	return p.Root.sourceOf(p.open, file, want)
}

func (r *Root) sourceOf(
	open func(name string) (*watcher.OpenFile, error), file *watcher.OpenFile, want syncstate.File,
) (Source, error) {
	if runtime.GOOS != "windows" {
		return file, nil
	}
	return r.newPieces(open, file, want)
}

// pieceSize bounds what an upload keeps in memory on Windows: at most 48 MB together, without
// `parallel`.
const pieceSize = 1 << 20

// pieces are a frame that is open only while a piece of it is read. Each time it must be the file of
// the beginning.
type pieces struct {
	name  string
	open  func() (*watcher.OpenFile, error)
	first os.FileInfo
	held  []byte // the last piece that was read
	at    int64  // its place
}

func (r *Root) newPieces(
	open func(name string) (*watcher.OpenFile, error), file *watcher.OpenFile, want syncstate.File,
) (*pieces, error) {
	first, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return &pieces{
		name:  want.Name,
		open:  func() (*watcher.OpenFile, error) { return r.openUnchanged(open, want) },
		first: first,
		held:  make([]byte, 0, min(pieceSize, want.Size+1)),
	}, file.Close()
}

// ReadAt implements io.ReaderAt, for one goroutine at a time.
func (p *pieces) ReadAt(b []byte, at int64) (n int, err error) {
	for n < len(b) {
		if at < p.at || at >= p.at+int64(len(p.held)) {
			if err := p.read(at); err != nil {
				return n, err
			}
		}
		taken := copy(b[n:], p.held[at-p.at:])
		n, at = n+taken, at+int64(taken)
	}
	return n, nil
}

// read reads the piece that begins at a place.
func (p *pieces) read(at int64) error {
	file, err := p.reopen()
	if err != nil {
		return err
	}
	defer file.Close()
	n, err := file.ReadAt(p.held[:cap(p.held)], at)
	p.held, p.at = p.held[:n], at
	if n > 0 && err == io.EOF {
		return nil
	}
	return heldBack(p.name, err)
}

func (p *pieces) reopen() (*watcher.OpenFile, error) {
	file, err := p.open()
	if err != nil {
		return nil, err
	}
	now, err := file.Stat()
	if err == nil && !os.SameFile(p.first, now) {
		err = outcome.ErrChanged
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// Stat implements Source.
func (p *pieces) Stat() (os.FileInfo, error) {
	file, err := p.reopen()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return file.Stat()
}
