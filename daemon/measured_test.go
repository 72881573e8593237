package daemon_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// TestFailuresAreCounted: what an alert asks for is counted by its cause: requests that failed,
// steps that are tried again or wait for a person, and refused forms.
func TestFailuresAreCounted(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.Upload {
				return refusing("SignatureDoesNotMatch")
			}
			return sandbox.Fault{}
		})
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(func(all []status.ProductStatus) bool { return count(all, status.Attention) == 1 })
			want := map[string]float64{
				"spinsync_requests_total upload 403": 2, "spinsync_refused_forms_total rejected": 2,
				"spinsync_failures_total form replaced": 1, "spinsync_failures_total form refused": 1,
				"spinsync_retries_total form replaced": 1, "spinsync_retries_total form refused": 0,
				"spinsync_requests_total create product ok": 1,
			}
			if diff := cmp.Diff(want, counted(t, d, want)); diff != "" {
				t.Error(diff)
			}
		})
	})
}

// counted are the counters of a daemon that are asked for, by name and labels.
func counted(t *testing.T, d *daemon.Daemon, asked map[string]float64) map[string]float64 {
	t.Helper()
	r := prometheus.NewRegistry()
	r.MustRegister(d.Metrics)
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			all[name] = m.GetCounter().GetValue()
		}
	}
	found := map[string]float64{}
	for name := range asked {
		found[name] = all[name]
	}
	return found
}
