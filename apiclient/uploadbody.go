package apiclient

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"
)

// uploadBody is a form with its file, as the transport reads it.
type uploadBody struct {
	contentType string
	size        int64
	left        atomic.Int64 // bytes not handed out yet
	parts       io.Reader    // head, content and tail
	content     *exactReader
	dog         *watchdog

	// The transport may close the body while it still reads it. The file is closed after that Read,
	// so that the goroutine that waits for released is alone with it.
	mu              sync.Mutex
	file            io.Closer
	reading, closed bool
	released        chan struct{}
}

func newUploadBody(form form, f File, file io.ReadCloser, dog *watchdog) *uploadBody {
	content := &exactReader{r: file, size: f.Size, left: f.Size}
	b := &uploadBody{
		contentType: form.contentType,
		size:        form.length(f.Size),
		parts:       io.MultiReader(bytes.NewReader(form.head), content, bytes.NewReader(form.tail)),
		content:     content,
		dog:         dog,
		file:        file,
		released:    make(chan struct{}),
	}
	b.left.Store(b.size)
	return b
}

// Read hands out the next bytes. That it is called again means that the network took the last ones.
func (b *uploadBody) Read(p []byte) (int, error) {
	if !b.begin() {
		return 0, fs.ErrClosed
	}
	defer b.end()
	if !b.complete() {
		b.dog.moved()
	}
	n, err := b.parts.Read(p)
	if b.left.Add(-int64(n)) > 0 {
		b.dog.moved()
	} else if n > 0 {
		b.dog.await()
	}
	return n, err
}

func (b *uploadBody) begin() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading = !b.closed
	return b.reading
}

func (b *uploadBody) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading = false
	if b.closed {
		b.release()
	}
}

// Close ends the reading. It does not wait for a Read that is under way.
func (b *uploadBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil
	}
	b.closed = true
	if !b.reading {
		b.release()
	}
	return nil
}

// release closes the file. Reading it was all that could fail.
func (b *uploadBody) release() {
	b.file.Close()
	close(b.released)
}

// isRead reports whether a Read is under way.
func (b *uploadBody) isRead() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reading
}

// started reports whether anything was handed to the network.
func (b *uploadBody) started() bool { return b.left.Load() < b.size }

// complete reports whether everything was.
func (b *uploadBody) complete() bool { return b.left.Load() == 0 }

// exactReader reads exactly size bytes of r, and fails when there are fewer or more.
type exactReader struct {
	r          io.Reader
	size, left int64
	failure    error
}

func (e *exactReader) Read(p []byte) (int, error) {
	if e.failure != nil {
		return 0, e.failure
	}
	n, err := e.next(p)
	if err != nil && err != io.EOF {
		e.failure = err
	}
	return n, err
}

func (e *exactReader) next(p []byte) (int, error) {
	if e.left == 0 {
		return 0, e.expectEnd()
	}
	n, err := e.r.Read(p[:min(int64(len(p)), e.left)])
	e.left -= int64(n)
	switch {
	case err == io.EOF && e.left > 0:
		return n, fmt.Errorf("%w: it ends after %d of %d bytes", ErrSizeChanged, e.size-e.left, e.size)
	case err != nil && err != io.EOF:
		return n, fmt.Errorf("read the file: %w", err)
	}
	return n, nil
}

// expectEnd checks that there is no further byte.
func (e *exactReader) expectEnd() error {
	n, err := io.ReadFull(e.r, make([]byte, 1))
	switch {
	case n > 0:
		return fmt.Errorf("%w: it goes on after %d bytes", ErrSizeChanged, e.size)
	case err != io.EOF:
		return fmt.Errorf("read the file: %w", err)
	}
	return io.EOF
}
