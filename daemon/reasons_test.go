package daemon

import (
	"path/filepath"
	"testing"

	"spinsync/daemon/publish"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A reason that cannot be recorded is a failure of the state file, which the loop mends.
func TestReasonThatCannotBeRecorded(t *testing.T) {
	store, err := syncstate.Open(filepath.Join(t.TempDir(), "state.db"), syncstate.Account{BaseURL: "https://x", Username: "u"})
	if err != nil {
		t.Fatal(err)
	}
	d := DaemonOf(publish.Publisher{Records: publish.NewRecords(store)})
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	d.board.keepStatus(status.ProductStatus{Folder: "SKU-1"})
	if len(d.Records.Fatal) != 1 {
		t.Error("nothing is told of the failure")
	}
}
