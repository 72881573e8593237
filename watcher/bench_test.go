package watcher

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// benchTree gives a tree for reading benchmarks: 250 product folders of 40 frames, or what
// SPINSYNC_BENCH_TREE names.
func benchTree(b *testing.B) string {
	if dir := os.Getenv("SPINSYNC_BENCH_TREE"); dir != "" {
		return dir
	}
	dir := b.TempDir()
	for p := range 250 {
		folder := filepath.Join(dir, fmt.Sprintf("project-%02d", p%10), fmt.Sprintf("product-%03d", p))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			b.Fatal(err)
		}
		for n := range 40 {
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("frame_%03d.jpg", n)), nil, 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	return dir
}

// BenchmarkWholeRead compares the first whole read of a root, from New to FirstRead, with find.
func BenchmarkWholeRead(b *testing.B) {
	dir := benchTree(b)
	b.Run("events", func(b *testing.B) { benchmarkRun(b, dir, false) })
	b.Run("poll", func(b *testing.B) { benchmarkRun(b, dir, true) })
	b.Run("find", func(b *testing.B) {
		for b.Loop() {
			find := exec.Command("find", dir, "-type", "f", "-printf", "%s %T@\n")
			find.Stdout = io.Discard
			if err := find.Run(); err != nil {
				b.Skip(err)
			}
		}
	})
}

func benchmarkRun(b *testing.B, dir string, poll bool) {
	for b.Loop() {
		cfg := testRoot(dir)
		cfg.Poll, cfg.Settle = poll, time.Hour
		w, err := New([]Root{cfg}, nil)
		if err != nil {
			b.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error)
		go func() { ended <- w.Run(ctx) }()
		<-w.FirstRead()
		stop()
		<-ended
	}
}
