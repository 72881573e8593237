package syncstate

import (
	"encoding/hex"
	"testing"
)

// TestDigestIsXXH3 compares with what xxhsum -H2 prints, for all lengths that the hash treats in
// their own way: stations with other processors compare digests, and so do versions of the program.
func TestDigestIsXXH3(t *testing.T) {
	long := make([]byte, 1<<20|77)
	for i := range long {
		long[i] = byte((i*i + i) >> 3)
	}
	for want, content := range map[string][]byte{
		"99aa06d3014798d86001c324468d497f": nil,
		"4746142dd16b2ac70e7a224075278abc": []byte("photo"),
		"9ead7954242e1d35b878fb1ce4b0c3c9": long,
	} {
		if got := hex.EncodeToString(digestOf(content)); got != want {
			t.Errorf("%d bytes: %s, want %s", len(content), got, want)
		}
		pieces := NewDigest()
		for rest := content; len(rest) > 0; rest = rest[min(len(rest), 1000):] {
			pieces.Write(rest[:min(len(rest), 1000)])
		}
		if got := hex.EncodeToString(pieces.Sum(nil)); got != want {
			t.Errorf("%d bytes in pieces: %s, want %s", len(content), got, want)
		}
	}
}

func digestOf(content []byte) []byte {
	digest := NewDigest()
	digest.Write(content)
	return digest.Sum(nil)
}
