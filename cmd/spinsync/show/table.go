// Package show prints the state of product folders. Call Status for a table for people, StatusJSON
// for a document for scripts, and NewProgress for the progress of a pass.
package show

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"spinsync/cmd/spinsync/backend"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/status"
)

// Status prints a table for people, and below it what concerns all folders.
func Status(w io.Writer, s status.Status) error {
	now, recorded := time.Now(), s.Started.IsZero()
	products := slices.Clone(s.Products)
	slices.SortStableFunc(products,
		func(a, b status.ProductStatus) int { return status.ByUrgency(a.State, b.State) })
	rows := [][]string{{"STATE", "FOLDER", "FRAMES", "SINCE", "REASON"}}
	for _, p := range products {
		if recorded {
			p.NextTry = nil // no daemon tries anything
		}
		name := backend.FolderName(p, s.Products)
		rows = append(rows, []string{string(p.State), name, frameCount(p), ago(now, p.When()), reason(now, p)})
	}
	if len(products) > 0 {
		if recorded {
			fmt.Fprintln(w, "no daemon is running; this was recorded last")
		}
		if err := terminal.Table(w, rows); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	_, err := fmt.Fprintln(w, summary(s, now))
	return err
}

func frameCount(p status.ProductStatus) string {
	done := p.Frames.Settled
	if p.State == status.Uploading || p.State == status.Processing {
		done = p.Frames.Uploaded
	}
	whole := max(p.Frames.Expected, p.Frames.Settled)
	switch {
	case whole == 0, p.State == status.Missing: // none yet, or none any more
		return "-"
	case done == whole:
		return fmt.Sprint(done)
	}
	return fmt.Sprintf("%d/%d", done, whole)
}

func reason(now time.Time, p status.ProductStatus) string {
	if p.NextTry == nil {
		return p.Reason
	}
	return fmt.Sprintf("%s; next try %s", p.Reason, soon(now, *p.NextTry))
}

func soon(now, then time.Time) string {
	if !then.After(now) {
		return "now"
	}
	return "in " + status.Coarse(then.Sub(now))
}

func ago(now, then time.Time) string {
	if then.IsZero() {
		return "-"
	}
	return status.Coarse(max(now.Sub(then), 0))
}

// StatusJSON prints a status for scripts.
func StatusJSON(w io.Writer, s status.Status) error {
	s.Products = append([]status.ProductStatus{}, s.Products...) // a list, even if empty
	return terminal.JSON(w, s)
}

// summary is how many folders have each state, and what holds up all of them.
func summary(s status.Status, now time.Time) string {
	lines := []string{countStates(s.Products)}
	if s.Paused {
		lines = append(lines, "everything is paused; spinsync resume ends the pause")
	}
	for _, trouble := range []string{s.StateFile, s.Recovery, s.Settings} {
		if trouble != "" {
			lines = append(lines, terminal.Printable(trouble))
		}
	}
	if s.Fleet != nil {
		lines = append(lines, terminal.Printable(s.Fleet.Line()))
		if s.Fleet.Differs != nil {
			lines = append(lines, terminal.Printable(s.Fleet.OtherSettings()))
		}
	}
	if s.Service.Trouble != "" {
		line := fmt.Sprintf("service %s: %s (%s)", s.Service.URL, s.Service.Trouble, s.Service.Detail)
		if s.Service.NextTry != nil {
			line += "; next try " + soon(now, *s.Service.NextTry)
		}
		lines = append(lines, terminal.Printable(line))
	}
	for _, links := range s.Links() {
		lines = append(lines, terminal.Printable(links))
	}
	if s.UploadLimit != nil {
		lines = append(lines, s.UploadLimit.String())
	}
	return strings.Join(append(lines, offlineRoots(s, now)...), "\n")
}

// offlineRoots are sentences about roots that are not watched: why, and for how long where a daemon
// knows.
func offlineRoots(s status.Status, now time.Time) (lines []string) {
	for _, r := range s.Roots {
		switch {
		case r.Online, r.Unread && s.Started.IsZero(): // no daemon that would watch it
		case r.Unread:
			lines = append(lines, terminal.Printable(r.Path+" "+r.Reason))
		case r.Since.IsZero():
			lines = append(lines, terminal.Printable(r.Path+" is offline: it "+r.Reason))
		default:
			line := fmt.Sprintf("%s has been offline for %s: it %s", r.Path, ago(now, r.Since), r.Reason)
			lines = append(lines, terminal.Printable(line))
		}
	}
	return lines
}

func countStates(products []status.ProductStatus) string {
	if len(products) == 0 {
		return "no product folder is known yet; spinsync run or sync finds them"
	}
	counts := map[status.State]int{}
	for _, p := range products {
		counts[p.State]++
	}
	return status.Counted(len(products), "product folder") + ": " + strings.Join(countedStates(counts), ", ")
}

// countedStates is "2 collecting" and the like, the most urgent first.
func countedStates(counts map[status.State]int) (parts []string) {
	for _, s := range slices.SortedFunc(maps.Keys(counts), status.ByUrgency) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[s], s))
	}
	return parts
}
