//go:build !windows

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"spinsync/daemon/benchmark/bed"
)

var studio = load{"studio", bed.Tree{Products: 1_000, Files: 36, Size: 1 << 10}}

// commands measures what a person waits for beside a thousand published folders: the daemon's start
// until it knows what it did before, and until it has read all folders; `status` with the daemon
// and without it; and the end.
func commands(ctx context.Context, b *bench) error {
	g, state, root, err := b.published(ctx, studio)
	if err != nil {
		return err
	}
	defer g.clear()
	steps := []string{
		"start, until it serves", "start, until all 36,000 files are looked at", "`spinsync status` beside the daemon", "end",
		"`spinsync status` without a daemon",
	}
	took := make([][]float64, len(steps))
	for range 5 * b.rounds {
		one, err := g.askAround(ctx, root, state)
		if err != nil {
			return err
		}
		for i, seconds := range one {
			took[i] = append(took[i], 1e3*seconds)
		}
	}
	for i, what := range steps {
		fmt.Fprintf(os.Stderr, "  %s: %s ms\n", what, spreadOf(took[i]))
		b.report.row("With 1,000 published folders", []string{"what", "ms"}, what, spreadOf(took[i]).String())
	}
	return nil
}

// askAround starts a daemon, asks it for the status, ends it and asks once more. It tells how many
// seconds each took.
func (g *ground) askAround(ctx context.Context, root, state string) ([]float64, error) {
	d, err := g.standUp(root, studio.Files, state)
	if err != nil {
		return nil, err
	}
	argv, failed := g.again(root, studio.Files, state, "status")
	beside, failedBeside := run(ctx, argv)
	began := time.Now()
	err = errors.Join(failed, failedBeside, d.lieDown())
	end := time.Since(began)
	if err != nil {
		return nil, err
	}
	alone, err := run(ctx, argv)
	return []float64{d.serves.Seconds(), d.read.Seconds(), beside.wall.Seconds(), end.Seconds(), alone.wall.Seconds()}, err
}

// A standing is a daemon that runs.
type standing struct {
	*exec.Cmd
	serves time.Duration // from its start until commands are answered
	read   time.Duration // and until all folders are read
}

// standUp starts a daemon and waits until it has read all folders.
func (g *ground) standUp(root string, files int, state string) (*standing, error) {
	argv, err := g.again(root, files, state, "run")
	if err != nil {
		return nil, err
	}
	d := &standing{Cmd: command(context.Background(), argv)}
	said, err := d.StderrPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := d.Start(); err != nil {
		return nil, err
	}
	log := bufio.NewScanner(said)
	err = await(log, "msg=started")
	d.serves = time.Since(began)
	err = errors.Join(err, await(log, "the watched folder is online"))
	d.read = time.Since(began)
	go io.Copy(io.Discard, said)
	if err != nil {
		return nil, errors.Join(err, d.lieDown())
	}
	return d, nil
}

// lieDown has the daemon end.
func (d *standing) lieDown() error {
	return errors.Join(d.Process.Signal(syscall.SIGTERM), d.Wait())
}

// await reads a daemon's log until it says something.
func await(log *bufio.Scanner, words string) error {
	for log.Scan() {
		if strings.Contains(log.Text(), words) {
			return nil
		}
	}
	return fmt.Errorf("the daemon never said %q", words)
}
