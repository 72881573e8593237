//go:build !windows

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// A report gathers the tables of all scenarios, and what is plotted.
type report struct {
	parts []part
	plots []plot
	bars  []bars
}

// A part is one table.
type part struct {
	title string
	head  []string
	rows  [][]string
}

func (r *report) uploads(what string, l load, way line, scores []*score) {
	p := part{
		title: fmt.Sprintf("%s%d products of %d frames of %s, %s", what, l.Products, l.Files, size(l.Size), way.name),
		head:  []string{"program", "seconds", "MB/s", "CPU s/GB", "peak MB", "in flight", "MB/s, spinsync = 1"},
	}
	if way.mbits > 0 {
		p.head = append(p.head, "of the line")
	}
	base := spreadOf(scores[0].rate).median
	bars := bars{title: p.title + ", MB/s"}
	for _, s := range scores {
		rate := spreadOf(s.rate)
		row := []string{
			s.name, spreadOf(s.wall).String(), rate.String(), spreadOf(s.cpu).String(), spreadOf(s.memory).String(),
			digits(spreadOf(s.inFlight).median), digits(rate.median / base),
		}
		if way.mbits > 0 {
			row = append(row, fmt.Sprintf("%.0f %%", rate.median*8/way.mbits*100))
		}
		p.rows = append(p.rows, row)
		if len(s.rate) > 0 {
			bars.add(s.name, rate.median)
		}
	}
	r.parts = append(r.parts, p)
	r.bars = append(r.bars, bars)
}

// row adds a row to the table of that title.
func (r *report) row(title string, head []string, cells ...string) {
	for i := range r.parts {
		if r.parts[i].title == title {
			r.parts[i].rows = append(r.parts[i].rows, cells)
			return
		}
	}
	r.parts = append(r.parts, part{title, head, [][]string{cells}})
}

func size(bytes int64) string {
	if bytes >= 1e6 {
		return digits(float64(bytes)/1e6) + " MB"
	}
	return fmt.Sprintf("%d KB", bytes>>10)
}

// print writes the tables as Markdown.
func (r *report) print(w io.Writer) {
	for _, p := range r.parts {
		fmt.Fprintf(w, "\n%s\n\n| %s |\n|%s\n", p.title, strings.Join(p.head, " | "), strings.Repeat("---|", len(p.head)))
		for _, row := range p.rows {
			fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
		}
	}
}

// The measured part of performance.md stands between these.
const (
	measuredBegin = "<!-- measured: written by daemon/benchmark -->\n"
	measuredEnd   = "<!-- end of what was measured -->\n"
)

// write puts tables and plots into docs/performance.md, between its marks.
func (r *report) write(docs string) error {
	file := filepath.Join(docs, "performance.md")
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(old), measuredBegin)
	_, after, ends := strings.Cut(rest, measuredEnd)
	if !begins || !ends {
		return fmt.Errorf("%s: the marks around what is measured are missing", file)
	}
	var b bytes.Buffer
	b.WriteString(before + measuredBegin)
	fmt.Fprintf(&b, "\nMeasured on %s: %s. Medians, with the least and the most in brackets.\n", time.Now().Format("2 January 2006"), machine())
	r.print(&b)
	for i, drawing := range r.drawings() {
		name := fmt.Sprintf("performance-%d.svg", i+1)
		if err := os.WriteFile(filepath.Join(docs, name), []byte(drawing.svg()), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n![%s](%s)\n", drawing.name(), name)
	}
	b.WriteString("\n" + measuredEnd + after)
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// A drawing can be shown beside a table.
type drawing interface {
	name() string
	svg() string
}

func (r *report) drawings() (all []drawing) {
	for _, b := range r.bars {
		all = append(all, b)
	}
	for _, p := range r.plots {
		all = append(all, p)
	}
	return all
}

// machine describes this one.
func machine() string {
	model, hash := "unknown processor", "without"
	info, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		_, rest, _ := strings.Cut(string(info), "model name\t: ")
		model, _, _ = strings.Cut(rest, "\n")
		if strings.Contains(string(info), " sha_ni") {
			hash = "with"
		}
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		load = []byte("unknown")
	}
	return fmt.Sprintf("%d cores of %s %s instructions for SHA-256, %s, %s; load at the end %s",
		runtime.NumCPU(), model, hash, runtime.GOOS, runtime.Version(), strings.Fields(string(load))[0])
}
