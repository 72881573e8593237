package publish

import (
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"sync/atomic"

	"spinsync/daemon/outcome"
	"spinsync/daemon/schedule"
	"spinsync/watcher"
	"spinsync/watcher/frame"
)

// A hashingReader hashes and checks the bytes of a frame while they pass to another reader, so that they
// are read only once.
type hashingReader struct {
	contentType string
	digest      hash.Hash
	proof       *frame.Proof
}

func newHashingReader(contentType string) *hashingReader {
	p := &hashingReader{contentType: contentType, digest: sha256.New()}
	p.reset()
	return p
}

func (p *hashingReader) reset() {
	p.digest.Reset()
	p.proof = frame.NewProof(p.contentType)
}

// Write implements io.Writer.
func (p *hashingReader) Write(b []byte) (int, error) {
	p.digest.Write(b)
	return p.proof.Write(b)
}

// broken says why the bytes that passed are not whole; empty when they are.
func (p *hashingReader) broken(name string) string {
	var broken *frame.BrokenError
	if errors.As(p.proof.Verdict(name), &broken) {
		return broken.Reason
	}
	return ""
}

// rereadable starts a file over for another try, together with the passage that its bytes go
// through.
func rereadable(
	file *watcher.OpenFile, through *hashingReader, sent *meter, throttle func(io.Reader) io.Reader,
) (io.ReadCloser, error) {
	through.reset()
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return io.NopCloser(guardedReader{io.TeeReader(throttle(file), io.MultiWriter(through, sent))}), nil
}

// A guardedReader returns a panic as an error. The HTTP client reads the bytes of an upload on a
// goroutine that no other guard covers.
type guardedReader struct{ io.Reader }

// Read implements io.Reader.
func (r guardedReader) Read(b []byte) (n int, err error) {
	err = outcome.Guard(func() (err error) {
		n, err = r.Reader.Read(b)
		return err
	})
	return n, err
}

// A meter counts the bytes of one upload into its folder's sum.
type meter struct {
	slots *schedule.Slots
	sum   *atomic.Int64
	mine  int64
}

func (j *Job) meter() *meter { return &meter{slots: j.Slots, sum: j.Board.SentBytes(j.Key)} }

// Write implements io.Writer.
func (m *meter) Write(b []byte) (int, error) {
	m.mine += int64(len(b))
	m.sum.Add(int64(len(b)))
	m.slots.Sent(len(b))
	return len(b), nil
}

// undo takes back what a failed upload counted.
func (m *meter) undo() {
	m.sum.Add(-m.mine)
	m.mine = 0
}
