package daemon_test

import (
	"slices"
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestRejectedPasswordIsNoFoldersTrouble: every folder tells that the password is rejected, and
// none keeps it, so that all goes on by itself as soon as the password is right.
func TestRejectedPasswordIsNoFoldersTrouble(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-2/1.jpg")
	w.calls.spoil = func(*sandbox.Call) sandbox.Fault {
		return sandbox.Fault{Status: 401, Body: `{"errors":["who are you"]}`}
	}
	w.runUntil(func(all []status.ProductStatus) bool {
		return len(all) == 2 && !slices.ContainsFunc(all, func(p status.ProductStatus) bool {
			return p.State != status.Attention || p.NextTry == nil || !strings.Contains(p.Reason, "password")
		})
	})
	for _, folder := range []string{"Summer/SKU-1", "Summer/SKU-2"} {
		if trouble := w.record(folder).Trouble; trouble != nil {
			t.Errorf("%s keeps %+v", folder, *trouble)
		}
	}
	w.calls.spoil = nil
	w.runUntil(func(all []status.ProductStatus) bool {
		return len(all) == 2 && all[0].State == status.Published && all[1].State == status.Published
	})
}

// record reads what the state file holds of a folder.
func (w *world) record(folder string) syncstate.Record {
	w.t.Helper()
	var record syncstate.Record
	w.inStore(func(store *syncstate.Store) (err error) {
		record, err = store.Record(w.key(folder))
		return err
	})
	return record
}
