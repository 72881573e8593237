// Package metrics counts for Prometheus what the process has done since it started. Call New, then
// the Metrics for each event. It decides nothing, and is the same over a reload of the settings.
package metrics

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics implements prometheus.Collector. Make one with New; a nil one counts nothing.
type Metrics struct {
	requests, failures, retries, forms, sent *prometheus.CounterVec
	upload, processing, live                 prometheus.Histogram
}

// New returns metrics that are all zero.
func New() *Metrics {
	return &Metrics{
		requests: counters("requests_total",
			"Requests to the hosting service and upload hosts. The status is ok, that of a failed answer, or none without an answer.",
			"operation", "status"),
		failures: counters("failures_total", "Steps of product folders that failed.", "cause"),
		retries:  counters("retries_total", "Failed steps that spinsync tries again by itself.", "cause"),
		forms:    counters("refused_forms_total", "Upload forms that an upload host refused.", "cause"),
		sent:     counters("sent_bytes_total", "Bytes of photos that arrived at upload hosts.", "root"),
		upload: histogram("upload_seconds", "Time that the upload of a photo took.",
			prometheus.ExponentialBuckets(0.125, 2, 13)), // to 8.5 minutes
		processing: histogram("processing_seconds", "Time from the end of the uploads to the published view.", minutes),
		live:       histogram("last_frame_to_live_seconds", "Time from the last photo of a view to its publication.", minutes),
	}
}

// minutes are buckets from 2 seconds to 4.5 hours.
var minutes = prometheus.ExponentialBuckets(2, 2, 14)

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "spinsync", Name: name, Help: help}, labels)
}

func histogram(name, help string, buckets []float64) prometheus.Histogram {
	return prometheus.NewHistogram(
		prometheus.HistogramOpts{Namespace: "spinsync", Name: name, Help: help, Buckets: buckets})
}

func (m *Metrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.requests, m.failures, m.retries, m.forms, m.sent, m.upload, m.processing, m.live}
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	for _, c := range m.collectors() {
		c.Describe(to)
	}
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	for _, c := range m.collectors() {
		c.Collect(to)
	}
}

// Request counts a request by its operation, and by how it ended.
func (m *Metrics) Request(operation, status string) {
	if m != nil {
		m.requests.WithLabelValues(operation, status).Inc()
	}
}

// Failure counts a failed step, which spinsync tries again by itself or not.
func (m *Metrics) Failure(cause string, retried bool) {
	if m == nil {
		return
	}
	m.failures.WithLabelValues(cause).Inc()
	if retried {
		m.retries.WithLabelValues(cause).Inc()
	}
}

// RefusedForm counts an upload form that the host refused.
func (m *Metrics) RefusedForm(cause string) {
	if m != nil {
		m.forms.WithLabelValues(cause).Inc()
	}
}

// Uploaded counts a photo that arrived.
func (m *Metrics) Uploaded(root string, bytes int64, took time.Duration) {
	if m != nil {
		m.sent.WithLabelValues(Label(root)).Add(float64(bytes))
		m.upload.Observe(took.Seconds())
	}
}

// longestWait is how old the last photo of a view may be for the time from photo to view to count.
// Older photos were not shot for this publication.
const longestWait = 12 * time.Hour

// Published counts a view that went live. Shot is when its last photo came; zero when that is not
// known.
func (m *Metrics) Published(finished, shot, now time.Time) {
	if m == nil {
		return
	}
	m.processing.Observe(now.Sub(finished).Seconds())
	if took := now.Sub(shot); !shot.IsZero() && took < longestWait {
		m.live.Observe(max(0, took).Seconds())
	}
}

// Label is a text as Prometheus takes it: names of files may hold any bytes.
func Label(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
