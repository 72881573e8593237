package events

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Watches are one watch on a root with all below it. A watch on a directory would keep people from
// renaming every directory above that one.
type Watches struct {
	root string // without short names
	log  *slog.Logger

	dir, stop windows.Handle
	change    windows.Overlapped // the request under way
	buffer    [64 << 10 / 4]uint32
	found     chan Hints
	closing   chan struct{}
	ended     chan struct{}

	mu    sync.Mutex
	above map[string]bool // directories above product folders
}

// Open watches a root.
func Open(root string, _ bool, log *slog.Logger) (*Watches, error) {
	name, err := windows.UTF16PtrFromString(root)
	if err != nil {
		return nil, err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	dir, err := windows.CreateFile(name, windows.FILE_LIST_DIRECTORY, share, nil, windows.OPEN_EXISTING,
		windows.FILE_FLAG_BACKUP_SEMANTICS|windows.FILE_FLAG_OVERLAPPED, 0)
	if err != nil {
		return nil, err
	}
	n := &Watches{
		root: longPath(root), log: log, dir: dir, above: map[string]bool{},
		found: make(chan Hints), closing: make(chan struct{}), ended: make(chan struct{}),
	}
	n.stop, err = windows.CreateEvent(nil, 1, 0, nil)
	if err == nil {
		n.change.HEvent, err = windows.CreateEvent(nil, 1, 0, nil)
	}
	if err == nil {
		began := make(chan error)
		go n.read(began)
		err = <-began
	}
	if err != nil {
		n.release()
		return nil, err
	}
	return n, nil
}

// request asks for the next changes. The system keeps those that come between two requests.
func (n *Watches) request() error {
	const kinds = windows.FILE_NOTIFY_CHANGE_FILE_NAME | windows.FILE_NOTIFY_CHANGE_DIR_NAME |
		windows.FILE_NOTIFY_CHANGE_SIZE | windows.FILE_NOTIFY_CHANGE_LAST_WRITE
	return windows.ReadDirectoryChanges(
		n.dir, (*byte)(unsafe.Pointer(&n.buffer)), uint32(unsafe.Sizeof(n.buffer)), true, kinds, nil, &n.change, 0)
}

// read hands over changes until the watches are closed, or until they end by an error. The system
// drops the request of a thread that ends.
func (n *Watches) read(began chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(n.ended)
	err := n.request()
	began <- err
	if err != nil {
		return
	}
	defer n.cancel()
	for {
		h, err := n.next()
		if err == nil {
			err = n.request()
		}
		if err != nil {
			h.Lost = err.Error()
		}
		select {
		case n.found <- h:
		case <-n.closing:
			return
		}
		if err != nil {
			return
		}
	}
}

var errClosed = errors.New("the watches are closed")

// next waits for changes.
func (n *Watches) next() (h Hints, err error) {
	which, err := windows.WaitForMultipleObjects([]windows.Handle{n.change.HEvent, n.stop}, false, windows.INFINITE)
	if err != nil {
		return h, err
	}
	if which != windows.WAIT_OBJECT_0 {
		return h, errClosed
	}
	var length uint32
	err = windows.GetOverlappedResult(n.dir, &n.change, &length, false)
	switch {
	case err == windows.ERROR_NOTIFY_ENUM_DIR, err == nil && length == 0:
		return Hints{Lost: "the system lost events"}, nil
	case err != nil:
		return h, err
	}
	return Hints{Paths: n.gather()}, nil
}

// cancel ends the request under way, and waits until the system leaves the buffer alone.
func (n *Watches) cancel() {
	var length uint32
	if windows.CancelIoEx(n.dir, &n.change) == nil {
		_ = windows.GetOverlappedResult(n.dir, &n.change, &length, true)
	}
}

// gather reads the changes in the buffer.
func (n *Watches) gather() map[string]Change {
	paths := map[string]Change{}
	for at := unsafe.Pointer(&n.buffer); ; {
		entry := (*windows.FileNotifyInformation)(at)
		below := n.pathOf(windows.UTF16ToString(unsafe.Slice(&entry.FileName, entry.FileNameLength/2)))
		paths[below] |= n.changeOf(entry.Action, below)
		if entry.NextEntryOffset == 0 {
			return paths
		}
		at = unsafe.Add(at, entry.NextEntryOffset)
	}
}

func (n *Watches) changeOf(action uint32, below string) Change {
	switch action {
	case windows.FILE_ACTION_ADDED, windows.FILE_ACTION_RENAMED_NEW_NAME:
		n.forget(below)
		return Appeared
	case windows.FILE_ACTION_REMOVED, windows.FILE_ACTION_RENAMED_OLD_NAME:
		if n.forget(below) {
			return Gone | Unwatched
		}
		return Gone
	}
	return Altered
}

// pathOf is the path below the root of a name in an event, which may be a short one, as SKU-~1.
func (n *Watches) pathOf(name string) string {
	if strings.Contains(name, "~") {
		if below, err := filepath.Rel(n.root, longPath(filepath.Join(n.root, name))); err == nil {
			name = below
		}
	}
	return filepath.ToSlash(name)
}

// longPath has no short names. It gives a path back that leads to nothing any more.
func longPath(path string) string {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return path
	}
	var long [windows.MAX_LONG_PATH]uint16
	if length, err := windows.GetLongPathName(name, &long[0], uint32(len(long))); err != nil || int(length) > len(long) {
		return path
	}
	return windows.UTF16ToString(long[:])
}

// Drain gathers events and hands them over whenever out is ready, until the watches are closed.
func (n *Watches) Drain(ctx context.Context, out chan<- Hints) {
	pending := Hints{From: n}
	for {
		var ready chan<- Hints
		if len(pending.Paths) > 0 || pending.Lost != "" {
			ready = out
		}
		select {
		case h := <-n.found:
			pending.add(h)
		case ready <- pending:
			pending = Hints{From: n}
		case <-n.closing:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (h *Hints) add(more Hints) {
	if more.Lost != "" {
		h.Lost = more.Lost
	}
	if h.Paths == nil {
		h.Paths = map[string]Change{}
	}
	for below, c := range more.Paths {
		h.Paths[below] |= c
	}
}

// Add notes the directories above product folders, so that their end is reported.
func (n *Watches) Add(dir string, r Rank) {
	if r != Above {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.above[dir] = true
}

// Rest has nothing to end.
func (n *Watches) Rest(string) {}

// Has reports whether the end of a directory is reported. Of a product folder nothing is promised:
// the system reports a written file when it is closed.
func (n *Watches) Has(dir string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.above[dir]
}

// forget reports whether dir is one above product folders.
func (n *Watches) forget(dir string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	known := n.above[dir]
	delete(n.above, dir)
	return known
}

// Count is the number of watches.
func (n *Watches) Count() int { return 1 }

// Complete is false: see Has.
func (n *Watches) Complete() bool { return false }

// Close ends the watches.
func (n *Watches) Close() {
	close(n.closing)
	if err := windows.SetEvent(n.stop); err != nil {
		n.log.Warn("cannot end the watches", "error", err)
	}
	<-n.ended
	n.release()
}

func (n *Watches) release() {
	for _, h := range []windows.Handle{n.dir, n.stop, n.change.HEvent} {
		if h != 0 {
			_ = windows.CloseHandle(h)
		}
	}
}
