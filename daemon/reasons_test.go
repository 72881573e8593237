package daemon

import (
	"testing"

	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/publish"
	"spinsync/daemon/status"
)

// A reason that cannot be recorded is a failure of the state file, which the loop mends.
func TestReasonThatCannotBeRecorded(t *testing.T) {
	store := plantest.Store(t)
	d := DaemonOf(publish.Publisher{Records: publish.NewRecords(store)})
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	d.board.keepStatus(status.ProductStatus{Folder: "SKU-1"})
	if len(d.Records.Fatal) != 1 {
		t.Error("nothing is told of the failure")
	}
}
