package syncstate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzUnpack reads any bytes without a panic and without more memory than they have, and what could be read
// is packed again without a loss.
func FuzzUnpack(f *testing.F) {
	f.Add(pack((*coder).published, finished(2).Published))
	f.Add([]byte{0, 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second Published
		if unpack((*coder).published, data, &first) != nil {
			return
		}
		must(t, unpack((*coder).published, pack((*coder).published, &first), &second))
		if diff := cmp.Diff(first, second); diff != "" {
			t.Error(diff)
		}
	})
}

func TestUnpackRefusesACutValue(t *testing.T) {
	data := pack((*coder).published, finished(2).Published)
	for n := range data {
		if err := unpack((*coder).published, data[:n], new(Published)); err == nil {
			t.Errorf("the first %d of %d bytes were taken for the whole", n, len(data))
		}
	}
	if err := unpack((*coder).published, append(data, 0), new(Published)); err == nil {
		t.Error("a byte too many was ignored")
	}
}
