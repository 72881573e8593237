package dashboard

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A plot is the last hour: throughput as an area, folders on their way as a line.
type plot struct {
	Area, Queue string // SVG paths
	Width       int
	Height      int
	TopRate     int64 // bytes a second at the upper edge
	TopQueue    int
	Text        string // the same for those who do not see it
	Empty       bool   // nothing was sent in the hour
	Rate        int64
}

const (
	plotWidth, plotHeight = 720, 120
	plotSpan              = mostSamples * sampleGap
)

func newPlot(m *moment) plot {
	now := syncstate.Sample{At: m.at, Rate: m.rate(), Queue: m.onItsWay()}
	samples := append(lastHour(m.history.samples, m.at), now)
	p := plot{Width: plotWidth, Height: plotHeight, TopQueue: 1, Empty: true}
	for _, s := range samples {
		p.TopRate, p.TopQueue = max(p.TopRate, int64(s.Rate)), max(p.TopQueue, s.Queue)
		p.Empty = p.Empty && s.Rate == 0 && s.Queue == 0
	}
	p.TopRate = roundUp(p.TopRate)
	p.Rate = int64(now.Rate)
	p.Text = fmt.Sprintf(
		"Throughput and queue of the last hour: now %s a second and %s on the way; at most %s a second and %s.",
		status.Size(p.Rate), counted(now.Queue, "folder", "folders"),
		status.Size(p.TopRate), counted(p.TopQueue, "folder", "folders"))
	p.Area, p.Queue = p.draw(samples, now.At)
	return p
}

// lastHour are the samples that the plot has room for. The last one before them stands at its edge.
func lastHour(samples []syncstate.Sample, now time.Time) []syncstate.Sample {
	edge := now.Add(-plotSpan)
	from := max(0, slices.IndexFunc(
		append(slices.Clone(samples), syncstate.Sample{At: now}),
		func(s syncstate.Sample) bool { return s.At.After(edge) },
	)-1)
	shown := slices.Clone(samples[from:])
	if len(shown) > 0 && shown[0].At.Before(edge) {
		shown[0].At = edge
	}
	return shown
}

func (p plot) draw(samples []syncstate.Sample, end time.Time) (area, queue string) {
	var a, q strings.Builder
	x := func(t time.Time) float64 { return plotWidth * (1 - end.Sub(t).Seconds()/plotSpan.Seconds()) }
	y := func(part float64) float64 { return plotHeight - part*(plotHeight-8) }
	fmt.Fprintf(&a, "M%.1f %d", x(samples[0].At), plotHeight)
	for i, s := range samples {
		fmt.Fprintf(&a, "L%.1f %.1f", x(s.At), y(s.Rate/float64(max(1, p.TopRate))))
		verb := "L"
		if i == 0 {
			verb = "M"
		}
		fmt.Fprintf(&q, "%s%.1f %.1f", verb, x(s.At), y(float64(s.Queue)/float64(p.TopQueue)))
	}
	fmt.Fprintf(&a, "L%d %dZ", plotWidth, plotHeight)
	return a.String(), q.String()
}

// roundUp gives an axis a round end: 1, 2 or 5 with zeros.
func roundUp(n int64) int64 {
	for step := int64(1000); ; step *= 10 {
		for _, m := range []int64{1, 2, 5} {
			if m*step >= n {
				return m * step
			}
		}
	}
}
