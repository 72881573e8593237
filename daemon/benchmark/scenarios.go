//go:build !windows

package main

import (
	"context"
	"time"

	"spinsync/daemon/benchmark/bed"
)

// A scenario is one row of the table, or a few that are measured together.
type scenario struct {
	name, about string
	run         func(context.Context, *bench) error
}

var (
	loopback = line{name: "loopback"}
	clean    = line{name: "100 Mbit/s, 40 ms", mbits: 100, delay: 20 * time.Millisecond}
	lossy    = line{name: "100 Mbit/s, 40 ms, 0.5 % loss", mbits: 100, delay: 20 * time.Millisecond, loss: 0.5}

	photos = load{"photos", bed.Tree{Products: 20, Files: 36, Size: 4_200_000}}
	small  = load{"small", bed.Tree{Products: 50, Files: 40, Size: 64 << 10}}
	few    = load{"two", bed.Tree{Products: 2, Files: 36, Size: 2 << 20}}
	more   = load{"eight", bed.Tree{Products: 8, Files: 36, Size: 2 << 20}}
)

var scenarios = []scenario{
	{"lan", "20 products of 36 frames of 4.2 MB", uploads(photos, loopback)},
	{"small", "50 products of 40 frames of 64 KB", uploads(small, loopback)},
	{"wan", "2 products of 36 frames of 2 MB at 100 Mbit/s with 40 ms", uploads(few, clean)},
	{"loss", "the same with 0.5 % loss", uploads(few, lossy)},
	{"wan-long", "a longer job: 8 products of 36 frames of 2 MB at 100 Mbit/s with 40 ms", longJob(more, clean)},
	{"loss-long", "the same with 0.5 % loss", longJob(more, lossy)},
	{"stream", "36 frames of 4.2 MB, one each 0.5 s", stream(loopback, time.Second)},
	{"stream-wan", "the same at 100 Mbit/s with 40 ms", stream(clean, time.Second)},
	{"stream-settle", "the same on loopback with settle as it is when nothing is said, once", once(stream(loopback, 5*time.Second))},
	{"camera", "a camera writes while other products are uploaded", camera},
	{"scan", "first read of 250,000 files in 10,000 folders", firstScan},
	{"photo", "one new photo among 1,000 to 1,000,000 files", onePhoto},
	{"restart", "a pass over 250,000 published files", restart},
	{"commands", "start, status and end with 1,000 published folders", commands},
	{"idle", "60 s with 10,000 published folders", idle},
	{"records", "commands with a million published frames", records},
}

func names() []string {
	var all []string
	for _, s := range scenarios {
		all = append(all, s.name)
	}
	return all
}

func uploads(l load, way line) func(context.Context, *bench) error {
	return func(ctx context.Context, b *bench) error {
		scores, err := b.compare(ctx, l, way, b.rounds, (*ground).contenders)
		if len(scores) > 0 {
			b.report.uploads("", l, way, scores)
		}
		return err
	}
}

// longJob shows how a line is filled where start and end count for little. It takes a minute for
// each program, so that only one is held against the limit, and once.
func longJob(l load, way line) func(context.Context, *bench) error {
	return func(ctx context.Context, b *bench) error {
		scores, err := b.compare(ctx, l, way, 1, (*ground).limits)
		if len(scores) > 0 {
			b.report.uploads("A longer job: ", l, way, scores)
		}
		return err
	}
}

// once measures in one round what takes its time and varies little.
func once(run func(context.Context, *bench) error) func(context.Context, *bench) error {
	return func(ctx context.Context, b *bench) error {
		defer func(usual int) { b.rounds = usual }(b.rounds)
		b.rounds = 1
		return run(ctx, b)
	}
}
