// Package products reads the CSV file of a root that has title, manufacturer and the like of many
// product folders. Call New, then File.Check at each File.Pause; File.Row finds the row of a folder.
//
// The file is read again when it has changed and is still. The rows are kept in memory.
package products

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"spinsync/daemon/config"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// A File is the products file of a root. One goroutine checks it, and any number find rows in it.
type File struct {
	Name   string // slash-separated, below the root
	root   string
	settle time.Duration

	content atomic.Pointer[Content] // nil: not read yet, or the file is being written
	ready   atomic.Bool             // read, and its folders judged; or another program holds it

	seen  fileStamp // of the last check
	since time.Time // when the file was first seen with this stamp
	again time.Time // when a file that cannot be read is tried once more; zero for never
}

// Content is the content of the file when it was read.
type Content struct {
	Table *config.ProductTable
	Err   error // why the file as a whole is of no use; a person must act
}

// A fileStamp identifies a content of the file. Problem is why there is no stamp.
type fileStamp struct {
	size     int64
	modified int64 // nanoseconds
	id       volume.FileID
	problem  string
}

// The longest pauses between two checks: of any file, unless the root settles faster, and of one
// that cannot be read.
const (
	longestPause    = 5 * time.Second
	unreadablePause = 30 * time.Second
)

// A Row is the row of one folder in the products file.
type Row struct {
	Says   config.Product
	Digest string // another one for another content; empty when the file has no row for the folder
	Err    error  // a mistake in it, or ErrBeingWritten
}

// ErrBeingWritten means that the content of a file is not known yet.
var ErrBeingWritten = errors.New("is being written, or was not read yet")

// Row finds the row of a folder. A nil file has none.
func (p *File) Row(folder, sku string) Row {
	if p == nil {
		return Row{}
	}
	content := p.content.Load()
	if content == nil {
		return Row{Err: fmt.Errorf("%s %w", p.Name, ErrBeingWritten)}
	}
	says, err := config.Product{}, content.Err
	if err == nil {
		says, err = content.Table.Find(folder, sku)
	}
	switch {
	case err != nil:
		err = fmt.Errorf("%s: %w", p.Name, err)
		return Row{Digest: shortDigest(err.Error()), Err: err}
	case says.Title == "" && says.Manufacturer == "" && says.Year == "" && says.Frames == nil:
		return Row{}
	}
	expected := -1
	if says.Frames != nil {
		expected = *says.Frames
	}
	return Row{
		Says:   says,
		Digest: shortDigest(fmt.Sprintf("%q %q %q %d", says.Title, says.Manufacturer, says.Year, expected)),
	}
}

func shortDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "+" + hex.EncodeToString(sum[:8])
}

// New returns the products file of a root, before its first check.
func New(root, name string, settle time.Duration) *File {
	return &File{root: root, Name: name, settle: settle}
}

// Check reads the file when it has changed and is still; it returns nil when there is nothing new to
// take. While the root is away, the last content holds.
func (p *File) Check(files *watcher.Watcher, readable func(root string) bool) *Content {
	now, stamp := time.Now(), p.stamp(files)
	if stamp.problem != "" && !readable(p.root) {
		return nil
	}
	if stamp != p.seen || p.since.IsZero() {
		p.see(stamp, now)
	}
	known := p.content.Load() != nil
	if now.Sub(p.since) < p.settle || known && (p.again.IsZero() || now.Before(p.again)) {
		return nil
	}
	content, opened := &Content{}, fileStamp{}
	content.Table, opened, content.Err = p.read(files)
	switch {
	case watcher.IsBusy(content.Err):
		p.ready.Store(true) // it is still, and yet held: that may last
		return nil
	case opened.modified != 0 && (opened.size != stamp.size || opened.modified != stamp.modified):
		// The cache of a network drive had an older size or time.
		p.see(opened, now)
		return nil
	case p.stamp(files) != stamp:
		return nil
	}
	if p.again = (time.Time{}); content.Err != nil && !errors.As(content.Err, new(config.Mistakes)) {
		p.again = now.Add(unreadablePause)
	}
	return content
}

// Take puts a content into force. It reports whether rows may have changed. They have not when the
// file is of no use as before, for the same reason.
func (p *File) Take(content *Content) bool {
	before := p.content.Load()
	p.content.Store(content)
	return before == nil || before.Err == nil || content.Err == nil || before.Err.Error() != content.Err.Error()
}

// Judge notes that the folders were judged by the content in force.
func (p *File) Judge() { p.ready.Store(true) }

// Ready reports whether the file was read and its folders judged by it, or another program holds it.
func (p *File) Ready() bool { return p.ready.Load() }

// Pause is the time until the next check.
func (p *File) Pause() time.Duration {
	if p.content.Load() == nil {
		return min(longestPause, p.settle)
	}
	return min(longestPause, 5*p.settle)
}

// see begins to wait until the file is still. At the start it may have been so for long.
func (p *File) see(stamp fileStamp, now time.Time) {
	first := p.since.IsZero()
	p.seen, p.since, p.again = stamp, now, time.Time{}
	if modified := time.Unix(0, stamp.modified); first && stamp.problem == "" && modified.Before(now) {
		p.since = modified
	}
	p.content.Store(nil)
}

// stamp returns the stamp of the file as it is now.
func (p *File) stamp(files *watcher.Watcher) fileStamp {
	dir, name := path.Split(p.Name)
	info, err := files.Stat(p.root, path.Clean(dir), name)
	if err != nil {
		return fileStamp{problem: err.Error()}
	}
	return stampOf(info)
}

func stampOf(info fs.FileInfo) fileStamp {
	return fileStamp{size: info.Size(), modified: info.ModTime().UnixNano(), id: volume.FileIDOf(info)}
}

// read also returns the stamp of the file that it read, none where it could not open one.
func (p *File) read(files *watcher.Watcher) (table *config.ProductTable, opened fileStamp, err error) {
	dir, name := path.Split(p.Name)
	file, err := files.Open(p.root, path.Clean(dir), name)
	switch {
	case watcher.IsGone(err):
		return nil, opened, errors.New("the file is not there; put it back, or take products out of [[watch]]")
	case errors.Is(err, fs.ErrPermission):
		return nil, opened, errors.New("this user cannot read the file; give it the right")
	case err != nil:
		return nil, opened, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, opened, err
	}
	data, err := io.ReadAll(io.LimitReader(file, config.MaxTableSize+1))
	if err != nil {
		return nil, opened, err
	}
	table, err = config.ParseProductTable(data)
	return table, stampOf(info), err
}

// Ignored are the names that the watcher leaves alone: those of the configuration, and a products
// file that lies in a product folder.
func Ignored(w config.Watch) []string {
	if w.Products == "" || strings.Count(w.Products, "/") != w.Layout.Depth() {
		return w.Ignore
	}
	var literal strings.Builder
	for _, r := range "/" + w.Products {
		if strings.ContainsRune(`*?[]{}!#\ `, r) {
			literal.WriteRune('\\')
		}
		literal.WriteRune(r)
	}
	return append(slices.Clone(w.Ignore), literal.String())
}
