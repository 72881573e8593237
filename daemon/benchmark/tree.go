//go:build !windows

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"spinsync/daemon/benchmark/bed"
	"spinsync/watcher"
)

var archive = load{"archive", bed.Tree{Products: 10_000, Files: 25, Size: 1 << 10}}

// bare is a tree of the smallest files that are photos; a million of them with 30,000 products.
func bare(products int) load {
	return load{fmt.Sprintf("tree-%d", products), bed.Tree{Products: products, Files: 34, Size: 64}}
}

// watch is a root with the rules of a configuration that says nothing but its path and settle.
func watch(root string, settle time.Duration) watcher.Root {
	return watcher.Root{Path: root, Depth: 2, Include: []string{"*.jpg"}, Settle: settle}
}

// firstScan reads a tree for the first time, in turns with find, and once more with nothing in the
// system's cache where it can be emptied.
func firstScan(ctx context.Context, b *bench) error {
	root, err := b.tree(archive)
	if err != nil {
		return err
	}
	if err := b.scan(ctx, root, "warm", func() error { return nil }); err != nil {
		return err
	}
	if dropCaches() != nil {
		fmt.Fprintln(os.Stderr, "  the system's cache cannot be emptied; no cold scan")
		return nil
	}
	return b.scan(ctx, root, "cold", dropCaches)
}

func (b *bench) scan(ctx context.Context, root, cache string, before func() error) error {
	var ours, theirs []float64
	for range b.rounds {
		if err := before(); err != nil {
			return err
		}
		t, err := run(ctx, []string{"find", root, "-type", "f", "-printf", "%s %T@\n"})
		if err != nil {
			return err
		}
		if err := before(); err != nil {
			return err
		}
		took, err := readOnce(ctx, root)
		if err != nil {
			return err
		}
		theirs, ours = append(theirs, t.wall.Seconds()), append(ours, took.Seconds())
		fmt.Fprintf(os.Stderr, "  %s: find %.2f s, first read %.2f s\n", cache, t.wall.Seconds(), took.Seconds())
	}
	head := []string{"program", "cache", "seconds", "find = 1"}
	title := "First read of 250,000 files in 10,000 folders"
	base := spreadOf(theirs).median
	b.report.row(title, head, "`find -type f -printf '%s %T@'`", cache, spreadOf(theirs).String(), "1.00")
	b.report.row(title, head, "watcher, every folder reported", cache, spreadOf(ours).String(), digits(spreadOf(ours).median/base))
	return nil
}

// dropCaches empties the system's cache of files, which needs root and Linux.
func dropCaches() error {
	syscall.Sync()
	return os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0)
}

// readOnce measures until a new watcher has read its root and told of every folder.
func readOnce(ctx context.Context, root string) (time.Duration, error) {
	ctx, cancel := context.WithCancel(ctx)
	began := time.Now()
	w, err := watcher.New([]watcher.Root{watch(root, 5*time.Second)}, nil)
	if err != nil {
		cancel()
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for {
			select {
			case <-w.Snapshots():
			case <-ctx.Done():
				return
			}
		}
	}()
	<-w.FirstRead()
	took := time.Since(began)
	cancel()
	<-drained
	return took, <-ended
}

// restart runs a pass over a tree of which everything is published, and starts a daemon on it.
func restart(ctx context.Context, b *bench) error {
	g, state, root, err := b.published(ctx, archive)
	if err != nil {
		return err
	}
	defer g.clear()
	names := []string{"`find -type f -printf '%s %T@'`", "whole `spinsync sync`", "`spinsync run`, until all files are looked at"}
	took, memory := make([][]float64, len(names)), make([][]float64, len(names))
	for range b.rounds {
		for i, do := range []func() (trial, error){
			func() (trial, error) { return run(ctx, []string{"find", root, "-type", "f", "-printf", "%s %T@\n"}) },
			func() (trial, error) { return g.passOver(ctx, root, state) },
			func() (trial, error) { return g.comeUp(root, state) },
		} {
			if err := g.reset(); err != nil { // publishing them is heard too
				return err
			}
			t, err := do()
			if err != nil {
				return err
			}
			if n := len(g.heard()); n > 0 {
				return fmt.Errorf("%s sent %d requests although all folders are published", names[i], n)
			}
			took[i], memory[i] = append(took[i], t.wall.Seconds()), append(memory[i], t.peak)
			fmt.Fprintf(os.Stderr, "  %s: %.2f s, %.0f MB\n", names[i], t.wall.Seconds(), t.peak)
		}
	}
	base := spreadOf(took[0]).median
	for i, name := range names {
		s := spreadOf(took[i])
		b.report.row("With 250,000 published files in 10,000 folders, no request sent", []string{"program", "seconds", "find = 1", "peak MB"},
			name, s.String(), digits(s.median/base), spreadOf(memory[i]).String())
	}
	return nil
}

// passOver is one pass.
func (g *ground) passOver(ctx context.Context, root, state string) (trial, error) {
	argv, err := g.again(root, archive.Files, state, "sync")
	if err != nil {
		return trial{}, err
	}
	return run(ctx, argv)
}

// comeUp is the start of a daemon.
func (g *ground) comeUp(root, state string) (trial, error) {
	d, err := g.standUp(root, archive.Files, state)
	if err != nil {
		return trial{}, err
	}
	return trial{wall: d.read, peak: memoryOf(d.Process.Pid, "VmHWM:")}, d.lieDown()
}

// published makes sure that a load is published, once: the state file is kept for the next time.
func (b *bench) published(ctx context.Context, l load) (g *ground, state, root string, err error) {
	if root, err = b.tree(l); err != nil {
		return nil, "", "", err
	}
	if g, err = b.lay(ctx, loopback, 0); err != nil {
		return nil, "", "", err
	}
	state = filepath.Join(b.work, l.name+"-state")
	if _, err := os.Stat(state); err == nil {
		return g, state, root, nil
	}
	fmt.Fprintln(os.Stderr, "  publishing the folders first")
	if err := g.publish(ctx, l, root, state); err != nil {
		g.clear()
		return nil, "", "", err
	}
	return g, state, root, nil
}

// publish makes a state file, which appears under its name only when everything is published, and
// the page of a daemon has taken that in: the first time it costs more than at any later start.
func (g *ground) publish(ctx context.Context, l load, root, state string) error {
	making := state + ".making"
	if err := os.RemoveAll(making); err != nil {
		return err
	}
	argv, err := g.again(root, l.Files, making, "sync")
	if err != nil {
		return err
	}
	t, err := run(ctx, argv)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "  published in %.0f s with at most %.0f MB\n", t.wall.Seconds(), t.peak)
	d, err := g.standUp(root, l.Files, making)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "  first start of a daemon: %.1f s, %.0f MB\n", d.read.Seconds(), memoryOf(d.Process.Pid, "VmHWM:"))
	if err := d.lieDown(); err != nil {
		return err
	}
	return os.Rename(making, state)
}

// onePhoto adds one photo to trees of different sizes and measures the time until it is
// reported, and the CPU that took.
func onePhoto(ctx context.Context, b *bench) error {
	for _, products := range []int{30, 300, 3_000, 30_000} {
		l := bare(products)
		root, err := b.tree(l)
		if err != nil {
			return err
		}
		took, cpu, err := b.detect(ctx, root)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "  %d files: told after %s, %s CPU\n", products*l.Files, spreadOf(took), spreadOf(cpu))
		b.report.row("One new photo in an idle tree", []string{"files", "until it is reported, s", "CPU, ms"},
			fmt.Sprint(products*l.Files), spreadOf(took).String(), spreadOf(cpu).String())
		b.report.point("One new photo: CPU, ms", float64(products*l.Files), spreadOf(cpu).median)
		b.report.point("One new photo: until it is reported, s", float64(products*l.Files), spreadOf(took).median)
	}
	return nil
}

func (b *bench) detect(ctx context.Context, root string) (took, cpu []float64, err error) {
	ctx, cancel := context.WithCancel(ctx)
	w, err := watcher.New([]watcher.Root{watch(root, b.settle)}, nil)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	rest(ctx, w)
	for range b.rounds {
		name := filepath.Join(root, filepath.FromSlash(bed.Folder(7)), fmt.Sprintf("new-%d.jpg", time.Now().UnixNano()))
		before, began := cpuTime(), time.Now()
		if err := os.WriteFile(name, []byte("new"), 0o644); err != nil {
			return nil, nil, err
		}
		var told watcher.Snapshot
		select {
		case told = <-w.Snapshots():
		case <-time.After(time.Minute):
			return nil, nil, fmt.Errorf("%s was not told of within a minute", name)
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
		took = append(took, time.Since(began).Seconds())
		time.Sleep(time.Second)
		cpu = append(cpu, float64(cpuTime()-before)/1e6)
		w.SetIdle(told.Root, told.Folder, told.Fingerprint)
		if err := os.Remove(name); err != nil {
			return nil, nil, err
		}
		rest(ctx, w)
	}
	return took, cpu, nil
}

// rest lays all folders to rest, and returns when nothing was told for three seconds.
func rest(ctx context.Context, w *watcher.Watcher) {
	select {
	case <-w.FirstRead():
	case <-ctx.Done():
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-w.Snapshots():
			w.SetIdle(s.Root, s.Folder, s.Fingerprint)
		case <-time.After(3 * time.Second):
			return
		}
	}
}

// cpuTime is what this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
