package publish

import (
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/sandbox/section"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// cleared is a board that forgets folders.
type cleared struct{ held }

func (cleared) Forget(syncstate.Folder) {}

// A view is deleted after a last look that finds no folder. A look that fails proves nothing.
func TestFailedLookDeletesNoView(t *testing.T) {
	deletes := 0
	client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
		if c.Op == section.DeleteProduct {
			deletes++
		}
		return sandbox.Fault{}
	})
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	j.Board, j.Files.Watcher = cleared{}, new(watcher.Watcher) // which watches no root
	if err := j.upkeep.removeProduct(t.Context(), s); err == nil || deletes > 0 {
		t.Errorf("%d views were deleted, %v", deletes, err)
	}
	if r, err := j.Records.Record(j.Key); err != nil || r.Product.UUID == "" || !r.DeleteSent.IsZero() {
		t.Errorf("the record is %+v, %v", r, err)
	}
}
