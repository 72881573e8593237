//go:build !windows

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"spinsync/daemon/benchmark/bed"
)

const (
	streamFrames   = 36
	streamInterval = 500 * time.Millisecond
)

// stream shoots into a watched folder and measures from the last frame's close to the request that
// says all is uploaded.
func stream(way line, settle time.Duration) func(context.Context, *bench) error {
	return func(ctx context.Context, b *bench) error {
		g, err := b.lay(ctx, way, 0)
		if err != nil {
			return err
		}
		defer g.clear()
		defer func(usual time.Duration) { b.settle = usual }(b.settle)
		b.settle = settle
		var delays []float64
		for range b.rounds {
			delay, err := g.shoot(ctx)
			if err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "  %s: uploaded %s after the last frame was closed\n", way.name, delay.Round(time.Millisecond))
			delays = append(delays, delay.Seconds())
		}
		b.report.row("Streaming: 36 frames of 4.2 MB, one each 0.5 s", []string{"line", "settle, s", "last frame closed → `uploaded`, s"},
			way.name, digits(b.settle.Seconds()), spreadOf(delays).String())
		return nil
	}
}

// shoot lets the daemon watch one shoot, and tells how long after its end it said so.
func (g *ground) shoot(ctx context.Context) (time.Duration, error) {
	root := filepath.Join(g.b.work, "stream")
	if err := os.RemoveAll(root); err != nil {
		return 0, err
	}
	folder := filepath.Join(root, "project", "product")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return 0, err
	}
	if err := g.reset(); err != nil {
		return 0, err
	}
	argv, err := g.spinsync(root, load{"stream", bed.Tree{Files: streamFrames}}, "run")
	if err != nil {
		return 0, err
	}
	daemon := command(ctx, argv)
	if err := daemon.Start(); err != nil {
		return 0, err
	}
	defer daemon.Wait()
	defer daemon.Process.Signal(syscall.SIGTERM)
	time.Sleep(2 * time.Second)
	_, last, err := expose(folder, streamInterval)
	if err != nil {
		return 0, err
	}
	return g.awaitUploaded(ctx, last)
}

// expose writes the frames of one turn as a capture program does, piece by piece. It returns how
// many seconds each took to write, and when the last was closed.
func expose(folder string, every time.Duration) (writes []float64, last time.Time, err error) {
	random := rand.NewChaCha8([32]byte{2})
	tick := time.NewTicker(every)
	defer tick.Stop()
	for i := range streamFrames {
		picture := bed.Photo(random, photos.Size)
		<-tick.C
		began := time.Now()
		if err := writeInPieces(filepath.Join(folder, fmt.Sprintf("%04d.jpg", i+1)), picture); err != nil {
			return nil, last, err
		}
		last = time.Now()
		writes = append(writes, last.Sub(began).Seconds())
	}
	return writes, last, nil
}

func writeInPieces(name string, data []byte) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	for piece := range slices.Chunk(data, 256<<10) {
		if _, err := f.Write(piece); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

func (g *ground) awaitUploaded(ctx context.Context, since time.Time) (time.Duration, error) {
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline) && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		for _, r := range g.heard() {
			if r.Op == "POST uploaded" {
				return time.Unix(0, r.At).Sub(since), nil
			}
		}
	}
	return 0, fmt.Errorf("the shoot was never uploaded")
}
