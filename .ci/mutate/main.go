// Mutate makes small changes to the decisions of the program, one at a time, and runs the tests
// that should notice. A mutant that no test notices shows a safeguard without a test.
//
//	go run -C .ci/mutate . -n 100              # a hundred mutants, spread over the packages
//	go run -C .ci/mutate . -n 100 -seed 7      # the same ones again
//	go run -C .ci/mutate . -n 20 -only daemon/plan
//
// No file of the tree is touched: go test gets each mutant by -overlay. The file unchanged.txt
// lists mutants that change nothing, each with the reason.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
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
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	most := flag.Int("n", 1<<30, "try about so many `mutants`")
	jobs := flag.Int("jobs", 2, "try so many at a time")
	seed := flag.Uint64("seed", uint64(time.Now().Unix()), "choose the mutants by this `seed`")
	budget := flag.Duration("budget", 1000*time.Hour, "begin no more mutants after this `time`")
	only := flag.String("only", "", "mutate only `files` whose path starts like this")
	table := flag.String("table", filepath.Join(os.TempDir(), "mutants.txt"), "write the table to this `file` too")
	flag.Parse()
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
	file, err := os.Create(*table)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r := &report{explained: explained, out: io.MultiWriter(os.Stdout, file), most: *most, until: time.Now().Add(*budget)}
	r.warnOfOld(all)
	fmt.Fprintf(r.out, "%d mutants; seed %d\n", len(all), *seed)
	l := &laboratory{module: module, dir: dir, seed: *seed}
	r.tryAll(ctx, *jobs, all, *only, l.try)
	return errors.Join(ctx.Err(), r.judge(), file.Close())
}

// tryAll takes mutants in their order until the report has enough.
func (r *report) tryAll(
	ctx context.Context, jobs int, all []mutant, only string, try func(context.Context, mutant) verdict,
) {
	next := make(chan mutant)
	var working sync.WaitGroup
	for range jobs {
		working.Go(func() {
			for m := range next {
				if r.wantsMore(ctx) {
					r.add(m, try(ctx, m))
				}
			}
		})
	}
	for _, m := range all {
		if strings.HasPrefix(m.file, only) {
			next <- m
		}
	}
	close(next)
	working.Wait()
}
