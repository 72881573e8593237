package daemon_test

import (
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// TestFormsThatAreAlwaysExpired: an upload host that calls every form too old is not asked for
// ever.
func TestFormsThatAreAlwaysExpired(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		expired := `<?xml version="1.0"?><Error><Code>ExpiredToken</Code><Message>Try again</Message></Error>`
		w.Calls.Spoil(daemontest.Always(sandbox.Upload, sandbox.Fault{Status: 403, Body: expired}))
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		products, err := w.Sync()
		p := products["Summer/SKU-1"]
		if err == nil || p.State != status.Attention || !strings.Contains(p.Reason, "ExpiredToken") || !strings.Contains(p.Reason, "retry") {
			t.Errorf("%v; the folder is %s: %s", err, p.State, p.Reason)
		}
		uploads := 0
		for _, op := range w.Calls.Since() {
			if op == sandbox.Upload {
				uploads++
			}
		}
		if uploads != 3 {
			t.Errorf("%d uploads were tried, want 3", uploads)
		}
	})
}
