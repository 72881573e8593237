package daemon_test

import (
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/status"
)

// TestFormsThatAreAlwaysExpired: an upload host that calls every form too old is not asked for
// ever.
func TestFormsThatAreAlwaysExpired(t *testing.T) {
	w := newWorld(t, shortQuiet)
	expired := `<?xml version="1.0"?><Error><Code>ExpiredToken</Code><Message>Try again</Message></Error>`
	w.calls.spoil = always(sandbox.Upload, sandbox.Fault{Status: 403, Body: expired})
	w.shoot("a", "Summer/SKU-1/1.jpg")
	products, err := w.sync()
	p := products["Summer/SKU-1"]
	if err == nil || p.State != status.Attention || !strings.Contains(p.Reason, "ExpiredToken") || !strings.Contains(p.Reason, "retry") {
		t.Errorf("%v; the folder is %s: %s", err, p.State, p.Reason)
	}
	uploads := 0
	for _, op := range w.calls.since() {
		if op == sandbox.Upload {
			uploads++
		}
	}
	if uploads != 3 {
		t.Errorf("%d uploads were tried, want 3", uploads)
	}
}
