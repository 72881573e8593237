package dashboard

import (
	"fmt"
	"strings"
	"time"
)

// A plot is the day as a picture. Each view is a dot: when it went live, and how long after its
// last frame. Behind the dots each hour has a bar: how many views went live in it.
type plot struct {
	Dots, Bars string // SVG paths
	Hours      []plotHour
	Top        string // what the upper edge means, of the dots; empty without dots
	TopHour    int    // the same of the bars
	Text       string // the same for those who do not see it
}

// A plotHour is an hour's label below the plot.
type plotHour struct {
	X    int
	Text string
}

const (
	plotWidth, plotHeight = 352, 110
	leastHours            = 8 // are always shown, so that bars stay bars
)

// Plot is the picture of the day; nil without a view.
func (d dayBoard) Plot() *plot {
	if len(d.Views) == 0 {
		return nil
	}
	first, last := d.Views[0].Live.Local().Hour(), d.Views[len(d.Views)-1].Live.Local().Hour()
	from := max(0, min(first, last+1-leastHours))
	hours := max(leastHours, last+1-from)
	var count [24]int
	for _, v := range d.Views {
		count[v.Live.Local().Hour()]++
	}
	var p plot
	for _, n := range count {
		p.TopHour = max(p.TopHour, n)
	}
	width := plotWidth / float64(hours)
	p.Bars = drawBars(count[from:from+hours], p.TopHour, width)
	p.Text = fmt.Sprintf("The day: %s, at most %d in an hour", counted(len(d.Views), "view", "views"), p.TopHour)
	if d.Timed > 0 {
		top := roundUp(d.Late)
		p.Dots, p.Top = drawDots(d.Views, from, width, top), roughly(top)
		p.Text += fmt.Sprintf("; typically live %s after their last frame, the slowest %s", span(d.Median), span(d.Slowest))
	}
	step := (hours + 5) / 6
	for h := 0; h < hours; h += step {
		p.Hours = append(p.Hours, plotHour{int(width * float64(h)), fmt.Sprintf("%d:00", from+h)})
	}
	return &p
}

func drawBars(count []int, top int, width float64) string {
	var path strings.Builder
	for i, n := range count {
		if n > 0 {
			height := max(2, plotHeight*n/top)
			fmt.Fprintf(&path, "M%.0f %dV%dH%.0fV%dZ",
				width*float64(i)+1, plotHeight, plotHeight-height, width*float64(i+1)-1, plotHeight)
		}
	}
	return path.String()
}

// drawDots draws views of one place once. A view that took longer than the upper edge is drawn there.
func drawDots(views []dayView, from int, width float64, top time.Duration) string {
	var path strings.Builder
	drawn := map[[2]int]bool{}
	for _, v := range views {
		live := v.Live.Local()
		hour := float64(live.Hour()-from) + float64(live.Minute())/60
		at := [2]int{int(width * hour), int(plotHeight * (1 - min(1, v.Took.Seconds()/top.Seconds())))}
		if v.Timed && !drawn[at] {
			drawn[at] = true
			fmt.Fprintf(&path, "M%d %dh0", at[0], at[1])
		}
	}
	return path.String()
}

// roundUp gives the upper edge a round time.
func roundUp(d time.Duration) time.Duration {
	for _, top := range []time.Duration{
		10 * time.Second, 20 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
		10 * time.Minute, 20 * time.Minute, 30 * time.Minute,
	} {
		if d <= top {
			return top
		}
	}
	return d.Truncate(time.Hour) + time.Hour
}
