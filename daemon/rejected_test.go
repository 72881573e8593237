package daemon_test

import (
	"slices"
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// TestRejectedPasswordIsNoFoldersTrouble: every folder tells that the password is rejected, and
// none keeps it, so that all goes on by itself as soon as the password is right.
func TestRejectedPasswordIsNoFoldersTrouble(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-2/1.jpg")
		w.Calls.Spoil(func(*sandbox.Call) sandbox.Fault {
			return sandbox.Fault{Status: 401, Body: `{"errors":["who are you"]}`}
		})
		w.RunUntil(func(all []status.ProductStatus) bool {
			return len(all) == 2 && !slices.ContainsFunc(all, func(p status.ProductStatus) bool {
				return p.State != status.Attention || p.NextTry == nil || !strings.Contains(p.Reason, "password")
			})
		})
		for _, folder := range []string{"Summer/SKU-1", "Summer/SKU-2"} {
			if trouble := w.Record(folder).Trouble; trouble != nil {
				t.Errorf("%s keeps %+v", folder, *trouble)
			}
		}
		w.Calls.Spoil(nil)
		w.RunUntil(func(all []status.ProductStatus) bool {
			return len(all) == 2 && all[0].State == status.Published && all[1].State == status.Published
		})
	})
}
