package syncstate

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// What the short way reads of a head, whole or garbled, is what encoding/json reads of it.
func TestPlainHeadsAreReadAlike(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := records().Draw(rt, "record")
		r = Record{
			State: r.State, Since: r.Since, Rest: r.Rest, Settings: r.Settings, Project: r.Project, Product: r.Product,
			Settled: r.Settled, Expected: r.Expected, Arrived: r.Arrived, Published: r.Published,
		}
		v, err := encode(r)
		must(rt, err)
		data := v.head
		if rapid.Bool().Draw(rt, "garbled") {
			data[rapid.IntRange(0, len(data)-1).Draw(rt, "at")] = rapid.Byte().Draw(rt, "byte")
		}
		got, ok := plainHead(data)
		if !ok {
			return
		}
		var want head
		must(rt, json.Unmarshal(data, &want))
		want.Record.Published = want.Published
		if diff := cmp.Diff(want.Record, got); diff != "" {
			rt.Fatalf("%s (-want +got):\n%s", data, diff)
		}
	})
}

// A folder at rest is read the short way, whatever script its names are written in.
func TestFoldersAtRestArePlain(t *testing.T) {
	r := finished(36)
	r.Rest, r.Settings, r.Arrived = "a6752ea4e84ffcc2b0045d044f377d49", "f249c74c1d58c390", r.Since
	r.Published.Found = true
	r.Project.Title, r.Product.Title, r.Product.Year = "Été 茶", "Чайник", "2027"
	v, err := encode(r)
	must(t, err)
	if _, ok := plainHead(v.head); !ok {
		t.Errorf("read the long way: %s", v.head)
	}
}
