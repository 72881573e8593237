package reading

import (
	"errors"
	"hash"

	"spinsync/syncstate"
	"spinsync/watcher/frame"
)

// A Hasher hashes and checks the bytes of a frame while they pass to another reader, so that they
// are read only once.
type Hasher struct {
	ContentType string
	digest      hash.Hash
	proof       *frame.Proof
}

// NewHasher is for a frame of this media type.
func NewHasher(contentType string) *Hasher {
	h := &Hasher{ContentType: contentType, digest: syncstate.NewDigest()}
	h.Reset()
	return h
}

// Reset starts again.
func (h *Hasher) Reset() {
	h.digest.Reset()
	h.proof = frame.NewProof(h.ContentType)
}

// Write implements io.Writer.
func (h *Hasher) Write(b []byte) (int, error) {
	h.digest.Write(b)
	return h.proof.Write(b)
}

// Broken is why the bytes that passed are not whole; empty when they are.
func (h *Hasher) Broken(name string) string {
	if broken, ok := errors.AsType[*frame.BrokenError](h.proof.Verdict(name)); ok {
		return broken.Reason
	}
	return ""
}

// Digest is that of the bytes that passed.
func (h *Hasher) Digest() []byte { return h.digest.Sum(nil) }
