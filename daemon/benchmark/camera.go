//go:build !windows

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

const cameraInterval = 250 * time.Millisecond

// camera shoots below a root of which other products are being uploaded, and measures how long each
// frame takes to be written: alone, beside spinsync, and beside rclone.
func camera(ctx context.Context, b *bench) error {
	root, err := b.warmTree(photos)
	if err != nil {
		return err
	}
	g, err := b.lay(ctx, loopback, 0)
	if err != nil {
		return err
	}
	defer g.clear()
	beside := []contender{
		{name: "nothing"},
		{name: "spinsync", before: func(root string) ([]string, error) { return g.spinsync(root, photos, "run") }},
	}
	if onPath("rclone") {
		beside = append(beside, g.rclone("rclone, 16 transfers", tuned(16)...))
	}
	writes := make([][]float64, len(beside))
	for range b.rounds {
		for i, c := range beside {
			took, err := g.shootBeside(ctx, c, root)
			if err != nil {
				return fmt.Errorf("beside %s: %w", c.name, err)
			}
			fmt.Fprintf(os.Stderr, "  beside %-21s a frame is written in %s s\n", c.name, spreadOf(took))
			writes[i] = append(writes[i], took...)
		}
	}
	for i, c := range beside {
		all := slices.Sorted(slices.Values(writes[i]))
		b.report.row("A camera writes a frame of 4.2 MB each 0.25 s, while 720 others below the same root are uploaded",
			[]string{"beside", "to write a frame, ms: median", "one in twenty takes longer than", "the longest"},
			c.name, digits(1e3*spreadOf(all).median), digits(1e3*all[len(all)*19/20]), digits(1e3*all[len(all)-1]))
	}
	return nil
}

// shootBeside shoots one product while a program uploads the others, and tells how many seconds
// each frame took to be written.
func (g *ground) shootBeside(ctx context.Context, c contender, root string) ([]float64, error) {
	folder := filepath.Join(root, "project-999", "table")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	defer os.RemoveAll(filepath.Dir(folder))
	if err := g.reset(); err != nil {
		return nil, err
	}
	if c.before != nil {
		argv, err := c.before(root)
		if err != nil {
			return nil, err
		}
		program := command(ctx, argv, c.env...)
		if err := program.Start(); err != nil {
			return nil, err
		}
		defer program.Wait()
		defer program.Process.Signal(syscall.SIGTERM)
		if err := g.awaitUpload(ctx); err != nil {
			return nil, err
		}
	}
	writes, _, err := expose(folder, cameraInterval)
	return writes, err
}

// awaitUpload waits until the first file has arrived.
func (g *ground) awaitUpload(ctx context.Context) error {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline) && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		if t, err := g.tally(); err != nil || t.Uploads > 0 {
			return err
		}
	}
	return fmt.Errorf("nothing was uploaded")
}
