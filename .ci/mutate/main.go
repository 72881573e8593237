// Mutate makes small changes to the decisions of the program, one at a time, and runs the tests
// that should notice. A mutant that no test notices shows a safeguard without a test.
//
//	go run -C .ci/mutate . -n 100              # a hundred mutants, spread over the packages
//	go run -C .ci/mutate . -n 100 -seed 7      # the same ones again
//	go run -C .ci/mutate . -n 20 -only daemon/plan
//	go run -C .ci/mutate . -n 60 -packages 3   # fewer tests to build
//
// No file of the tree is touched: go test gets the mutants by -overlay, all at once, and the
// environment turns one of them on. Only tests that reach a mutant run on it. The file unchanged.txt
// lists mutants that change nothing, each with the reason. Too many survivors end it with the exit
// code 3, everything else that fails with 1.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(exitCode(err))
	}
}

// exitCode is 3 for survivors, and 1 for trials that could not be made.
func exitCode(err error) int {
	if errors.Is(err, errSurvivors) {
		return 3
	}
	return 1
}

func run(ctx context.Context) error {
	most := flag.Int("n", 300, "try about so many `mutants`")
	jobs := flag.Int("jobs", 2, "try so many at a time")
	seed := flag.Uint64("seed", uint64(time.Now().Unix()), "choose the mutants by this `seed`")
	budget := flag.Duration("budget", 1000*time.Hour, "begin no more mutants so long after the first; a `time`")
	packages := flag.Int("packages", 0, "mutate only so many `packages`, drawn by the seed; 0 is all")
	only := flag.String("only", "", "mutate only `files` whose path starts like this")
	flag.Parse()
	start := time.Now()
	module, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	explained, err := readUnchanged("unchanged.txt")
	if err != nil {
		return err
	}
	suites, err := suitesOf(ctx, module)
	if err != nil {
		return err
	}
	all, err := mutantsOf(module, suites, rand.New(rand.NewPCG(*seed, 0)))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r := &report{explained: explained, out: os.Stdout}
	r.warnOfOld(all)
	all = slices.DeleteFunc(all, func(m mutant) bool { return !strings.HasPrefix(m.file, *only) })
	all = ofPackages(all, *packages)
	fmt.Fprintf(r.out, "%d mutants; seed %d\n", len(all), *seed)
	l := &laboratory{module: module, dir: dir, seed: *seed, most: *most}
	mutants, err := l.compiled(ctx, chosen(all, *most))
	if err != nil {
		return err
	}
	if err := l.build(ctx, *jobs, mutants); err != nil {
		return err
	}
	fmt.Fprintf(r.out, "built %d of them in %.0fs\n", len(mutants), time.Since(start).Seconds())
	r.until = time.Now().Add(*budget)
	each(*jobs, mutants, func(m mutant) {
		if r.wantsMore(ctx) {
			r.add(m, l.try(ctx, m))
		}
	})
	return cmp.Or(ctx.Err(), r.judge())
}

// each does something for all items, some at a time.
func each[T any](jobs int, items []T, do func(T)) {
	next := make(chan T)
	var working sync.WaitGroup
	for range jobs {
		working.Go(func() {
			for item := range next {
				do(item)
			}
		})
	}
	for _, item := range items {
		next <- item
	}
	close(next)
	working.Wait()
}
