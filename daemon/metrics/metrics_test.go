package metrics

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// A folder's name may hold any bytes, an old photo proves nothing about how long a view took, and
// nothing is counted where nobody asks.
func TestOddValues(t *testing.T) {
	m := New()
	m.Uploaded("/shoots/\xff", 3, time.Second)
	now := time.Now()
	for _, shot := range []time.Time{{}, now.Add(-24 * time.Hour), now.Add(-time.Minute), now.Add(time.Minute)} {
		m.Published(now.Add(-time.Second), shot, now)
	}
	r := prometheus.NewRegistry()
	r.MustRegister(m)
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]uint64{}
	for _, f := range families {
		counts[f.GetName()] = f.GetMetric()[0].GetHistogram().GetSampleCount()
	}
	if counts["spinsync_processing_seconds"] != 4 || counts["spinsync_last_frame_to_live_seconds"] != 2 {
		t.Error(counts)
	}
	var none *Metrics
	none.Request("upload", "ok")
	none.Failure("file", true)
	none.RefusedForm("expired")
	none.Uploaded("/shoots", 1, 0)
	none.Published(now, now, now)
}
