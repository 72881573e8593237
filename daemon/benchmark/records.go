//go:build !windows

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// records looks at what is kept of a million published frames: the state file, a daemon that knows
// it, and commands beside that one and without it.
func records(ctx context.Context, b *bench) error {
	l := bare(30_000)
	g, state, root, err := b.published(ctx, l)
	if err != nil {
		return err
	}
	defer g.clear()
	if err := b.reportSize(state, l); err != nil {
		return err
	}
	d, err := g.standUp(root, l.Files, state)
	if err != nil {
		return err
	}
	b.reportRecords("`spinsync run`, until all files are looked at", d.read, memoryOf(d.Process.Pid, "VmHWM:"))
	err = g.askRecords(ctx, root, state, l, " beside it", "status", "--json")
	b.reportRecords("the daemon, after that", 0, memoryOf(d.Process.Pid, "VmHWM:"))
	if ended := d.lieDown(); err == nil {
		err = ended
	}
	for _, command := range [][]string{{"status", "--json"}, {"export", "--format", "ndjson"}, {"export", "--format", "json"}} {
		if err == nil {
			err = g.askRecords(ctx, root, state, l, "", command...)
		}
	}
	return err
}

func (b *bench) reportSize(state string, l load) error {
	info, err := os.Stat(filepath.Join(state, "state.db"))
	if err != nil {
		return err
	}
	frames := l.Products * l.Files
	perFrame := float64(info.Size()) / float64(frames)
	fmt.Fprintf(os.Stderr, "  %.0f bytes a frame\n", perFrame)
	b.report.row("A million published frames: the state file", []string{"MB", "bytes per frame"}, digits(float64(info.Size())/1e6), digits(perFrame))
	return nil
}

// askRecords measures one command.
func (g *ground) askRecords(ctx context.Context, root, state string, l load, where string, command ...string) error {
	argv, err := g.again(root, l.Files, state, command...)
	if err != nil {
		return err
	}
	t, err := run(ctx, argv)
	if err != nil {
		return err
	}
	g.b.reportRecords(fmt.Sprintf("`spinsync %s`%s", command[0]+" "+command[len(command)-1], where), t.wall, t.peak)
	return nil
}

func (b *bench) reportRecords(what string, took time.Duration, peak float64) {
	seconds := "–"
	if took > 0 {
		seconds = digits(took.Seconds())
	}
	fmt.Fprintf(os.Stderr, "  %s: %s s, %.0f MB\n", what, seconds, peak)
	b.report.row("A million published frames", []string{"what", "seconds", "peak MB"}, what, seconds, digits(peak))
}
