//go:build !windows

package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A plot shows values over sizes, both on logarithmic scales.
type plot struct {
	title  string
	points [][2]float64
}

// point adds a point to the plot of that title.
func (r *report) point(title string, x, y float64) {
	for i := range r.plots {
		if r.plots[i].title == title {
			r.plots[i].points = append(r.plots[i].points, [2]float64{x, y})
			return
		}
	}
	r.plots = append(r.plots, plot{title, [][2]float64{{x, y}}})
}

const (
	plotWidth, plotHeight = 640, 240
	plotMargin            = 48
)

func (p plot) name() string { return p.title }

// svg draws the plot. The scale of the values reaches from a tenth of the least to ten times the
// most, so that what looks flat is flat.
func (p plot) svg() string {
	least, most := math.Inf(1), math.Inf(-1)
	for _, point := range p.points {
		least, most = min(least, point[1]), max(most, point[1])
	}
	at := func(point [2]float64) (x, y float64) {
		first, last := math.Log10(p.points[0][0]), math.Log10(p.points[len(p.points)-1][0])
		low, high := math.Log10(least)-1, math.Log10(most)+1
		x = plotMargin + (math.Log10(point[0])-first)/max(last-first, 1)*(plotWidth-2*plotMargin)
		y = plotHeight - plotMargin - (math.Log10(point[1])-low)/(high-low)*(plotHeight-2*plotMargin)
		return x, y
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text x=\"%d\" y=\"24\">%s</text>\n", plotMargin, p.title)
	fmt.Fprintf(&b, "<path d=\"M%d %dH%d\" stroke=\"#888\"/>\n", plotMargin, plotHeight-plotMargin, plotWidth-plotMargin)
	var way []string
	for _, point := range p.points {
		x, y := at(point)
		way = append(way, fmt.Sprintf("%.0f,%.0f", x, y))
		fmt.Fprintf(&b, "<circle cx=\"%.0f\" cy=\"%.0f\" r=\"4\" fill=\"#06c\"/>\n", x, y)
		fmt.Fprintf(&b, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>\n", x, y-10, digits(point[1]))
		fmt.Fprintf(&b, "<text x=\"%.0f\" y=\"%d\" text-anchor=\"middle\">%.0f files</text>\n", x, plotHeight-plotMargin+20, point[0])
	}
	fmt.Fprintf(&b, "<polyline points=\"%s\" fill=\"none\" stroke=\"#06c\" stroke-width=\"2\"/>\n</svg>\n", strings.Join(way, " "))
	return b.String()
}

// bars show one value for each program.
type bars struct {
	title  string
	labels []string
	values []float64
}

func (b *bars) add(label string, value float64) {
	b.labels, b.values = append(b.labels, label), append(b.values, value)
}

func (b bars) name() string { return b.title }

func (b bars) svg() string {
	const row, left = 24, 190
	most := slices.Max(b.values)
	var s strings.Builder
	fmt.Fprintf(&s, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n", plotWidth, 48+row*len(b.values))
	fmt.Fprintf(&s, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text x=\"12\" y=\"24\">%s</text>\n", b.title)
	for i, value := range b.values {
		y, width := 40+row*i, value/most*(plotWidth-left-60)
		fmt.Fprintf(&s, "<text x=\"12\" y=\"%d\">%s</text>\n", y+13, b.labels[i])
		fmt.Fprintf(&s, "<rect x=\"%d\" y=\"%d\" width=\"%.0f\" height=\"16\" fill=\"%s\"/>\n", left, y, width, shade(i))
		fmt.Fprintf(&s, "<text x=\"%.0f\" y=\"%d\">%s</text>\n", left+width+6, y+13, digits(value))
	}
	return s.String() + "</svg>\n"
}

// shade sets the first bar apart.
func shade(i int) string {
	if i == 0 {
		return "#06c"
	}
	return "#aaa"
}
