package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"

	"spinsync/daemon"
	"spinsync/daemon/config"
)

const statusHelp = `Prints every product folder with its state, since when it has it but for a pause in between, and why. What needs a person comes first.
Below stand the roots that cannot be read, and whatever else holds up all folders.

  collecting  frames are still arriving
  queued      complete, waiting for its turn
  uploading   on its way
  processing  the service is at work
  published   the view is live, and was read back from the service
  retrying    a failure that passes; the reason says when it is tried again
  attention   a person must act; the reason says how
  paused      until spinsync resume
  missing     the folder is gone, the view is kept

--json prints {"products": [{"root", "folder", "state", "reason", "since", "next_try", "frames", ...}]}. Without a daemon
it is what the state file remembers. A daemon that runs is asked although sync.toml has become wrong, which is told too.

--health is for programs that watch over a daemon, such as a container's: it prints "ok" while a daemon runs and publishing can go on,
and else ends with exit code 1 and the reason. The page's /healthz answers the same.`

func (a *app) statusCommand() *cobra.Command {
	var asJSON, watch, health bool
	c := &cobra.Command{
		Use: "status", Short: "Tell the state of every product folder", Args: cobra.NoArgs, Long: statusHelp,
		RunE: func(c *cobra.Command, _ []string) error {
			if health {
				return a.health(c.Context())
			}
			print := a.printStatus
			if asJSON {
				print = printStatusJSON
			}
			if watch {
				a.endless = true
				return a.watchStatus(c.Context(), print)
			}
			return a.withStatus(c.Context(), func(s daemon.Status) error { return print(a.stdout, s) })
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&health, "health", false, "say only whether a daemon can publish")
	c.Flags().BoolVar(&watch, "watch", false, "print again whenever something changes")
	c.MarkFlagsMutuallyExclusive("health", "json")
	c.MarkFlagsMutuallyExclusive("health", "watch")
	return c
}

// status lets go of the state file before it looks at roots, which may take a while.
func (a *app) status(ctx context.Context, c *config.Config) (s daemon.Status, err error) {
	err = a.read(ctx, c, func(k keeper) (err error) {
		s, err = k.Status(ctx)
		return err
	})
	if err == nil && s.Started.IsZero() {
		a.looks.mark(s.Roots)
	}
	return s, err
}

func (a *app) withStatus(ctx context.Context, do func(daemon.Status) error) error {
	c, mistake := a.config()
	if mistake != nil {
		_, failed := a.despite(ctx, func(k keeper) error {
			s, err := k.Status(ctx)
			if err != nil {
				return err
			}
			s.Settings = "" // the mistake itself is told
			return do(s)
		})
		return errors.Join(failed, mistake)
	}
	s, err := a.status(ctx, c)
	if err != nil {
		return err
	}
	return do(s)
}

// watchStatus prints the status whenever it reads differently, until the context ends: on a
// terminal in the place of the one before, elsewhere one after the other, and not only because time
// has passed. It outlives the daemon: what keeps it from reading later on is shown in place of the
// status.
func (a *app) watchStatus(ctx context.Context, print func(io.Writer, daemon.Status) error) error {
	const interval = time.Second
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for last := ""; ; {
		page, news, err := a.statusPage(ctx, print)
		switch {
		case err != nil && last == "" && page == "":
			return err
		case err != nil:
			mistake := fmt.Sprintf("spinsync: %v\n", err)
			page += mistake
			news += mistake
		}
		if news != last {
			if _, err := io.WriteString(a.stdout, a.redrawn(page)); err != nil {
				return err
			}
		}
		last = news
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// statusPage returns the page to print, and the news: the text that must differ from the page
// before for a new print.
func (a *app) statusPage(
	ctx context.Context, print func(io.Writer, daemon.Status) error,
) (page, news string, err error) {
	printed := sheet{columns: columnsOf(a.stdout)}
	_, onScreen := terminal(a.stdout)
	err = a.withStatus(ctx, func(s daemon.Status) (failed error) {
		if !onScreen {
			news, failed = factsOf(s)
		}
		return errors.Join(failed, print(&printed, s))
	})
	if onScreen {
		news = printed.String()
	}
	return printed.String(), news, err
}

// factsOf is what people and scripts are told of a status, without what only time changes.
func factsOf(s daemon.Status) (string, error) {
	var facts bytes.Buffer
	err := printStatusJSON(&facts, s)
	fmt.Fprint(&facts, s.Started) // whether a daemon runs
	return facts.String(), err
}

// redrawn makes a page take the place of the one before, on a terminal.
func (a *app) redrawn(page string) string {
	screen, ok := terminal(a.stdout)
	if !ok {
		return page
	}
	width, height := sizeOf(screen)
	return fit(page, width, height)
}

// fit cuts a page to a terminal's size and puts before it what clears the screen.
func fit(page string, width, height int) string {
	lines := cutHeight(strings.Split(strings.TrimSuffix(page, "\n"), "\n"), max(height-1, 1))
	for i, line := range lines {
		lines[i] = cutWidth(line, width)
	}
	return "\x1b[H\x1b[2J" + strings.Join(lines, "\n") + "\n"
}

// cutHeight cuts a page to so many lines. What stands below the last empty line concerns all that
// is above, and stays.
func cutHeight(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	foot := len(lines)
	for foot > 0 && lines[foot-1] != "" {
		foot--
	}
	above := most - (len(lines) - foot) - 2 // for the mark of a gap, and the empty line
	if foot == 0 || above < 1 {
		return lines[:most]
	}
	return slices.Concat(lines[:above], []string{"…", ""}, lines[foot:])
}

// cutWidth cuts a line to so many columns.
func cutWidth(line string, width int) string {
	if uniseg.StringWidth(line) <= width {
		return line
	}
	var b strings.Builder
	left := width - 1 // for the mark that something is missing
	for state := -1; line != ""; {
		var cluster string
		var columns int
		cluster, line, columns, state = uniseg.FirstGraphemeClusterInString(line, state)
		if left -= columns; left < 0 {
			break
		}
		b.WriteString(cluster)
	}
	return b.String() + "…"
}

// statusJSON is what scripts read.
type statusJSON struct {
	Paused      bool                   `json:"paused"`
	LeftBehind  string                 `json:"left_behind,omitempty"` // views at another address
	FromBackup  string                 `json:"from_backup,omitempty"` // asked by an old or lost state file
	Settings    string                 `json:"settings,omitempty"`    // settings that do not hold
	UploadLimit *config.HeldLimit      `json:"upload_limit,omitempty"`
	Service     daemon.ServiceStatus   `json:"service"`
	Roots       []rootJSON             `json:"roots"`
	Products    []daemon.ProductStatus `json:"products"`
}

type rootJSON struct {
	Path   string    `json:"path"`
	Online bool      `json:"online"`
	Reason string    `json:"reason"`
	Since  time.Time `json:"since,omitzero"` // unknown without a daemon
}

// printStatusJSON prints one product after the other: of thousands, the whole text would take
// several times their memory.
func printStatusJSON(w io.Writer, s daemon.Status) error {
	document := statusJSON{
		Paused: s.Paused, LeftBehind: s.LeftBehind, FromBackup: s.FromBackup,
		Settings: s.Settings, UploadLimit: s.UploadLimit, Service: s.Service,
		Roots: []rootJSON{}, Products: []daemon.ProductStatus{},
	}
	for _, r := range s.Roots {
		document.Roots = append(document.Roots, rootJSON{r.Path, r.Online, r.Reason, r.Since})
	}
	if len(s.Products) == 0 {
		return printJSON(w, document)
	}
	var head bytes.Buffer
	if err := printJSON(&head, document); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	out.WriteString(strings.TrimSuffix(head.String(), "]\n}\n"))
	for i, p := range s.Products {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n    ")
		var product bytes.Buffer
		e := json.NewEncoder(&product)
		e.SetEscapeHTML(false)
		e.SetIndent("    ", "  ")
		if err := e.Encode(p); err != nil {
			return err
		}
		out.Write(bytes.TrimSuffix(product.Bytes(), []byte("\n")))
	}
	out.WriteString("\n  ]\n}\n")
	return out.Flush()
}

// printStatus prints a table for people, and below it what concerns all folders.
func (a *app) printStatus(w io.Writer, s daemon.Status) error {
	now := time.Now()
	products := slices.Clone(s.Products)
	slices.SortStableFunc(products,
		func(a, b daemon.ProductStatus) int { return cmp.Compare(urgency(a.State), urgency(b.State)) })
	rows := [][]string{{"STATE", "FOLDER", "FRAMES", "SINCE", "REASON"}}
	for _, p := range products {
		rows = append(rows,
			[]string{string(p.State), folderName(p, s.Products), frameCount(p), ago(now, p.Since), reason(now, p)})
	}
	if len(products) > 0 {
		if err := table(w, rows); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	_, err := fmt.Fprintln(w, summary(s, now))
	return err
}

// urgency is the place of a state in a list for people.
func urgency(s daemon.State) int {
	return slices.Index([]daemon.State{
		daemon.Attention, daemon.Retrying, daemon.Uploading, daemon.Processing, daemon.Queued, daemon.Collecting,
		daemon.Paused, daemon.Missing, daemon.Published,
	}, s)
}

// folderName puts the root in front when there are several.
func folderName(p daemon.ProductStatus, all []daemon.ProductStatus) string {
	if all[0].Root == all[len(all)-1].Root { // they are sorted
		return p.Folder
	}
	return fullName(p)
}

func frameCount(p daemon.ProductStatus) string {
	done := p.Frames.Settled
	if p.State == daemon.Uploading || p.State == daemon.Processing {
		done = p.Frames.Uploaded
	}
	whole := max(p.Frames.Expected, p.Frames.Settled)
	switch {
	case whole == 0, p.State == daemon.Missing: // none yet, or none any more
		return "-"
	case done == whole:
		return fmt.Sprint(done)
	}
	return fmt.Sprintf("%d/%d", done, whole)
}

func reason(now time.Time, p daemon.ProductStatus) string {
	if p.NextTry == nil {
		return p.Reason
	}
	return fmt.Sprintf("%s; next try %s", p.Reason, soon(now, *p.NextTry))
}

func soon(now, then time.Time) string {
	if !then.After(now) {
		return "now"
	}
	return "in " + coarse(then.Sub(now))
}

func ago(now, then time.Time) string {
	if then.IsZero() {
		return "-"
	}
	return coarse(max(now.Sub(then), 0))
}

// coarse is a duration in its largest unit.
func coarse(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// summary says how many folders there are of each state, and what holds up all of them.
func summary(s daemon.Status, now time.Time) string {
	lines := []string{countStates(s.Products)}
	if s.Paused {
		lines = append(lines, "everything is paused; spinsync resume goes on")
	}
	for _, trouble := range []string{s.StateFile, s.LeftBehind, s.FromBackup, s.Settings} {
		if trouble != "" {
			lines = append(lines, printable(trouble))
		}
	}
	if s.Service.Trouble != "" {
		line := fmt.Sprintf("service %s: %s (%s)", s.Service.URL, s.Service.Trouble, s.Service.Detail)
		if s.Service.NextTry != nil {
			line += "; next try " + soon(now, *s.Service.NextTry)
		}
		lines = append(lines, printable(line))
	}
	if s.UploadLimit != nil {
		lines = append(lines, s.UploadLimit.String())
	}
	if s.Started.IsZero() && len(s.Products) > 0 {
		lines = append(lines, "no daemon is running; this is what the state file remembers")
	}
	return strings.Join(append(lines, offlineRoots(s, now)...), "\n")
}

// offlineRoots tells which roots are not looked after, why, and for how long where a daemon knows.
func offlineRoots(s daemon.Status, now time.Time) (lines []string) {
	for _, r := range s.Roots {
		switch {
		case r.Online, r.Unread && s.Started.IsZero(): // no daemon that would look after it
		case r.Unread:
			lines = append(lines, printable(r.Path+" "+r.Reason))
		case r.Since.IsZero():
			lines = append(lines, printable(r.Path+" is offline: it "+r.Reason))
		default:
			lines = append(lines,
				printable(fmt.Sprintf("%s has been offline for %s: it %s", r.Path, ago(now, r.Since), r.Reason)))
		}
	}
	return lines
}

func countStates(products []daemon.ProductStatus) string {
	if len(products) == 0 {
		return "no product folder is known yet; spinsync run or sync looks for them"
	}
	counts := map[daemon.State]int{}
	for _, p := range products {
		counts[p.State]++
	}
	return counted(len(products), "product folder") + ": " + strings.Join(countedStates(counts), ", ")
}

// countedStates is "2 collecting" and the like, the most urgent first.
func countedStates(counts map[daemon.State]int) (parts []string) {
	states := slices.SortedFunc(maps.Keys(counts),
		func(a, b daemon.State) int { return cmp.Compare(urgency(a), urgency(b)) })
	for _, s := range states {
		parts = append(parts, fmt.Sprintf("%d %s", counts[s], s))
	}
	return parts
}
