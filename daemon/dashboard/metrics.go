package dashboard

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"spinsync/daemon/metrics"
	"spinsync/daemon/status"
)

// metrics answers Prometheus.
func (p *Dashboard) metrics() http.Handler {
	return promhttp.HandlerFor(p.registry(), promhttp.HandlerOpts{})
}

func (p *Dashboard) registry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		gauges{p.o.Version, func() *moment { m, _ := p.board.latest(); return m }}, p.d.Daemon().Metrics)
	return r
}

// gauges are the state of everything at a moment.
type gauges struct {
	version string
	latest  func() *moment
}

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("spinsync_"+name, help, labels, nil)
}

var (
	buildInfo = gauge("build_info", "The version of the program.", "version")
	folders   = gauge("folders", "Product folders by state.", "state")
	oldest    = gauge("oldest_waiting_seconds",
		"Since when the folder waits that has waited longest for its view: queued, uploading, processing or retrying. 0 for none.")
	paused         = gauge("paused", "1 while everything is paused.")
	serviceUp      = gauge("service_up", "1 while the hosting service answers.")
	rootOnline     = gauge("root_online", "1 while the root can be read.", "root")
	clusterUp      = gauge("cluster_up", "1 while the cluster of the fleet answers this station, and serves it well.")
	stationActive  = gauge("station_active", "1 for the station of the fleet that publishes, 0 for those that stand by.", "station")
	publishedToday = gauge("published_today", "Product folders whose view went live since midnight, local time.")
)

// Describe implements prometheus.Collector.
func (g gauges) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{buildInfo, folders, oldest, paused, serviceUp, rootOnline, clusterUp, stationActive, publishedToday} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (g gauges) Collect(to chan<- prometheus.Metric) {
	m := g.latest()
	send := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	send(buildInfo, 1, metrics.Label(g.version))
	for _, state := range status.States {
		send(folders, float64(m.counts[state]), string(state))
	}
	send(oldest, m.longestWait().Seconds())
	send(paused, number(m.status.Paused))
	send(serviceUp, number(m.status.Service.Trouble == ""))
	for _, root := range m.status.Roots {
		send(rootOnline, number(root.Online), metrics.Label(root.Path))
	}
	if f := m.status.Fleet; f != nil {
		send(clusterUp, number(f.Trouble == "" && f.Cluster == ""))
		for _, s := range f.Stations {
			send(stationActive, number(s.Active), metrics.Label(s.Station))
		}
	}
	send(publishedToday, float64(m.day.Live))
}

// longestWait is the age of the folder that has waited longest for its view. A folder whose state
// swings, as while the service is away, waits since its last frame came.
func (m *moment) longestWait() time.Duration {
	since := m.at
	for _, p := range m.status.Products {
		switch p.State {
		case status.Queued, status.Uploading, status.Processing, status.Retrying:
		default:
			continue
		}
		if !p.Since.IsZero() && p.Since.Before(since) {
			since = p.Since
		}
		if !p.Arrived.IsZero() && p.Arrived.Before(since) && (p.PublishedAt == nil || p.PublishedAt.Before(p.Arrived)) {
			since = p.Arrived
		}
	}
	return m.at.Sub(since)
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
