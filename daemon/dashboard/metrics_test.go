package dashboard

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"spinsync/daemon/status"
)

// What an alert uses is there as soon as a folder is published, and is named as Prometheus asks.
// The rules in docs/page.md name nothing else.
func TestMetrics(t *testing.T) {
	inStudio(t, "", Options{Version: "1.2.3"}, func(t *testing.T, s *studio) {
		s.shoot("Summer/SKU-1", "1.jpg", "2.jpg")
		s.untilState("Summer/SKU-1", status.Published)
		text := s.text("/metrics")
		problems, err := promlint.New(strings.NewReader(text)).Lint()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
		holds(t, text, `spinsync_build_info{version="1.2.3"} 1`, `spinsync_folders{state="published"} 1`,
			"spinsync_oldest_waiting_seconds 0\n", "spinsync_paused 0\n", "spinsync_service_up 1\n", "spinsync_published_today 1\n",
			`spinsync_requests_total{operation="create product",status="ok"} 1`, `spinsync_requests_total{operation="upload",status="ok"} 2`,
			`spinsync_sent_bytes_total{root="`+s.w.Root+`"} `, "spinsync_upload_seconds_count 2\n", "spinsync_processing_seconds_count 1\n",
			"spinsync_last_frame_to_live_seconds_count 1\n", "go_goroutines ")
		page, err := os.ReadFile("../../docs/page.md")
		if err != nil {
			t.Fatal(err)
		}
		rules := regexp.MustCompile(`spinsync_\w+`).FindAllString(string(page), -1)
		if len(rules) < 3 {
			t.Error("docs/page.md has no rules for alerts")
		}
		for _, name := range rules {
			if !strings.Contains(text, "# TYPE "+name+" ") {
				t.Errorf("docs/page.md names %s, which is not there", name)
			}
		}
	})
}

// A station of a fleet tells who publishes, and how the cluster does.
func TestMetricsOfFleet(t *testing.T) {
	m := stand(noon)
	for trouble, up := range map[string]float64{"": 1, "the cluster is full": 0} {
		m.status.Fleet = &status.Fleet{
			Cluster: trouble, Stations: []status.Station{{Station: "anna", Active: true}, {Station: "bert"}},
		}
		r := prometheus.NewPedanticRegistry()
		r.MustRegister(gauges{"1.2.3", func() *moment { return m }})
		all, err := r.Gather()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, family := range all {
			for _, one := range family.GetMetric() {
				name := family.GetName()
				for _, l := range one.GetLabel() {
					name += " " + l.GetValue()
				}
				got[name] = one.GetGauge().GetValue()
			}
		}
		for name, want := range map[string]float64{"spinsync_cluster_up": up, "spinsync_station_active anna": 1, "spinsync_station_active bert": 0} {
			if value, there := got[name]; !there || value != want {
				t.Errorf("%q: %s is %v (%t), want %v", trouble, name, value, there, want)
			}
		}
	}
}

// The age of the folder that waits longest goes on while its state swings between retrying and
// uploading. What waits for a person, and a view at rest, does not count.
func TestLongestWait(t *testing.T) {
	ago := func(minutes int) time.Time { return noon.Add(-time.Duration(minutes) * time.Minute) }
	published := status.Live{PublishedAt: new(ago(90))}
	for name, test := range map[string]struct {
		folder status.ProductStatus
		want   time.Duration
	}{
		"queued":                  {status.ProductStatus{State: status.Queued, Since: ago(3)}, 3 * time.Minute},
		"tried again and again":   {status.ProductStatus{State: status.Retrying, Since: ago(1), Arrived: ago(60)}, time.Hour},
		"shot again":              {status.ProductStatus{State: status.Uploading, Since: ago(1), Live: published, Arrived: ago(60)}, time.Hour},
		"texts of an old view":    {status.ProductStatus{State: status.Processing, Since: ago(1), Live: published, Arrived: ago(120)}, time.Minute},
		"waits for a person":      {status.ProductStatus{State: status.Attention, Since: ago(60)}, 0},
		"not looked at until now": {status.ProductStatus{State: status.Queued}, 0},
	} {
		if got := stand(noon, test.folder).longestWait(); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
