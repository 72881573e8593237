package station

import (
	"testing"

	"spinsync/syncstate/cluster"
)

// TestViewTakesNoOlderChange: what was changed before the list of all is in it.
func TestViewTakesNoOlderChange(t *testing.T) {
	active := func(name string) []cluster.Entry {
		return []cluster.Entry{{Key: cluster.ActiveKey, Value: encoded(map[string]string{"station": name})}}
	}
	var v view
	v.take(entries{revision: 10, all: true, list: active("anna")})
	for _, change := range []struct {
		revision int64
		by, want string
	}{{9, "bert", "anna"}, {10, "bert", "anna"}, {11, "carl", "carl"}} {
		if v.take(entries{revision: change.revision, list: active(change.by)}); v.active != change.want {
			t.Errorf("after revision %d %q is active", change.revision, v.active)
		}
	}
}
