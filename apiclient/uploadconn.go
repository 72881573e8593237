package apiclient

import (
	"io"
	"net"
	"sync"
	"time"
)

// copyBufferSize is how much of a file is read and written at a time.
const copyBufferSize = 64 << 10

var copyBuffers = sync.Pool{New: func() any { return new([copyBufferSize]byte) }}

// answerGrace is how long a failed write waits for the answer that explains it.
const answerGrace = 2 * time.Second

// uploadConn is a connection that files are sent on.
type uploadConn struct {
	net.Conn
	closed chan struct{}
	close  func() error
}

func newUploadConn(conn net.Conn) *uploadConn {
	c := &uploadConn{Conn: conn, closed: make(chan struct{})}
	c.close = sync.OnceValue(func() error {
		close(c.closed)
		return conn.Close()
	})
	return c
}

// ReadFrom sends all of r in large pieces. Without it the transport would make a small buffer for
// every file.
func (c *uploadConn) ReadFrom(r io.Reader) (sent int64, err error) {
	buffer := copyBuffers.Get().(*[copyBufferSize]byte)
	defer copyBuffers.Put(buffer)
	for {
		n, readErr := io.ReadFull(r, buffer[:])
		if n > 0 {
			written, writeErr := c.Write(buffer[:n])
			sent += int64(written)
			if writeErr != nil {
				return sent, writeErr
			}
		}
		switch {
		case readErr == io.EOF || readErr == io.ErrUnexpectedEOF:
			return sent, nil
		case readErr != nil:
			return sent, readErr
		}
	}
}

// Write sends p. A store that refuses a form answers and closes before it has read the file, so a
// write fails while the answer is still being read. The transport would drop that answer for the
// write's error: hold the error back until the answer was read, which ends with the connection
// closed.
func (c *uploadConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if err != nil {
		select {
		case <-c.closed:
		case <-time.After(answerGrace):
		}
	}
	return n, err
}

// Close closes the connection.
func (c *uploadConn) Close() error { return c.close() }
