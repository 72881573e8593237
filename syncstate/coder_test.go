package syncstate

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzUnpack reads any bytes as a value of each kind, without a panic and without more memory than
// they have, and what could be read is packed again without a loss. What is no sealed value is
// never taken for one.
func FuzzUnpack(f *testing.F) {
	r := all(2)
	f.Add(pack((*coder).published, r.Published))
	f.Add(pack((*coder).beside, r.Run))
	f.Add(pack((*coder).runFrame, &r.Run.Frames[0]))
	f.Add([]byte{0, 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0x0f})
	f.Add(list{name: "folders"}.seal([]byte("key"), []byte("{}")))
	f.Fuzz(func(t *testing.T, data []byte) {
		unpackTwice(t, (*coder).published, data)
		unpackTwice(t, (*coder).beside, data)
		unpackTwice(t, (*coder).runFrame, data)
		wantSealed(t, data)
	})
}

func unpackTwice[T any](t *testing.T, code func(*coder, *T), data []byte) {
	t.Helper()
	var first, second T
	if unpack(code, data, &first) != nil {
		return
	}
	must(t, unpack(code, pack(code, &first), &second))
	if diff := cmp.Diff(first, second); diff != "" {
		t.Error(diff)
	}
}

// wantSealed makes sure that nothing but what was sealed at a place is read from there.
func wantSealed(t *testing.T, data []byte) {
	t.Helper()
	l, key := list{name: "folders"}, []byte("key")
	if value, err := l.unseal(key, data); err == nil && !bytes.Equal(l.seal(key, value), data) {
		t.Errorf("%q is taken for a sealed %q", data, value)
	}
	sealed := l.seal(key, data)
	if value, err := l.unseal(key, sealed); err != nil || !bytes.Equal(value, data) {
		t.Errorf("%q is read as %q, %v", data, value, err)
	}
	if _, err := l.unseal([]byte("other"), sealed); err == nil {
		t.Errorf("%q is read from another key", data)
	}
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
