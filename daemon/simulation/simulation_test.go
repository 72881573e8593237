package simulation

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var (
	firstSeed = flag.Uint64("seed", 0, "the first seed to simulate; 0 is 1, and all that are for every change")
	seedCount = flag.Int("seeds", 0, "number of seeds to simulate; 0 is one if -seed names it, else the amount for every change")
	stride    = flag.Int("stride", 0, "simulate every so manieth seed in this very process; 0 starts a process for each processor")
	longest   = flag.Duration("longest", 0, "begin no more seeds after this long; 0 is without end")
	show      = flag.Bool("show", false, "print all that happens")
	until     = flag.String("until", "", "stop at the first promise that is broken in these words, a regular expression")
)

// Every change is tried on so many seeds, fewer where each costs more, and on as many of them as a machine that is busy with
// other things gets through. -seeds tries any number, however long that takes.
const (
	seedsInFull  = 600
	seedsRaced   = 20
	seedsShort   = 20
	longestInAll = 170 * time.Second
)

// TestMain keeps to one processor: of two goroutines that are ready at one instant the same is the first each time. Little of
// what a seed makes is kept, so that garbage may pile up.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

func TestSimulation(t *testing.T) {
	first, count, most := max(*firstSeed, 1), *seedCount, *longest
	switch {
	case count > 0:
	case *firstSeed > 0:
		count = 1
	default:
		count, most = seedsForEveryChange(), longestInAll
	}
	if count > 1 && *stride == 0 {
		simulateInProcesses(t, first, count, most)
		return
	}
	began, done := time.Now(), 0
	for seed := first; seed < first+uint64(count) && (most == 0 || time.Since(began) < most); seed += uint64(max(1, *stride)) {
		simulate(t, seed)
		done++
	}
	fmt.Printf("first seed %d, %d seeds in %s\n", first, done, time.Since(began).Round(time.Second))
}

func seedsForEveryChange() int {
	switch {
	case testing.Short():
		return seedsShort
	case raceDetected:
		return seedsRaced
	}
	return seedsInFull
}

// simulateInProcesses spreads seeds over all processors.
func simulateInProcesses(t *testing.T, first uint64, count int, most time.Duration) {
	processes := min(runtime.NumCPU(), count)
	inProcesses(t, processes, func(i int) []string {
		return []string{fmt.Sprint("-stride=", processes), fmt.Sprint("-seed=", first+uint64(i)), fmt.Sprint("-seeds=", count-i), fmt.Sprint("-longest=", most)}
	})
}

// inProcesses runs this very test in several processes at a time, each with arguments of its own.
func inProcesses(t *testing.T, processes int, args func(i int) []string) {
	var running sync.WaitGroup
	for i := range processes {
		running.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], append(args(i), "-test.run=^"+t.Name()+"$", "-test.timeout=0")...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
				return
			}
			t.Logf("%s", out)
		})
	}
	running.Wait()
}

// stuckAfter is more than any seed takes on a slow machine.
const stuckAfter = 2 * time.Minute

// simulate lives through one seed and fails the test if a promise was broken.
func simulate(t *testing.T, seed uint64) *world {
	t.Helper()
	w := newWorld(t, seed)
	w.run(t, w.live, fmt.Sprintf("-run TestSimulation -seed %d", seed))
	return w
}

// run lets a world live and judges it. The arguments repeat it.
func (w *world) run(t *testing.T, live func(*testing.T), args string) {
	t.Helper()
	// A daemon that is never done keeps the time of its bubble from moving, and would hang here.
	alarm := time.AfterFunc(stuckAfter, func() { panic(fmt.Sprintf("%s is stuck\n%s", args, w.trace.String())) })
	defer alarm.Stop()
	synctest.Test(t, live)
	w.judge()
	if *show {
		fmt.Print(w.trace.String())
	}
	if len(w.broken) > 0 {
		t.Errorf("a promise was broken; `go test ./daemon/simulation %s -show -v` repeats it:\n%s\nThis is what happened:\n%s",
			args, strings.Join(w.broken, "\n"), w.trace.String())
	}
	if i := slices.IndexFunc(w.broken, regexp.MustCompile(*until).MatchString); *until != "" && i >= 0 {
		fmt.Println("caught:", args, w.broken[i])
		t.FailNow()
	}
}

// TestSameSeedSameTrace is what makes a failure worth anything: it can be repeated. A machine that is busy with other things
// may stop the simulation between two steps of one instant, so two of a few runs must agree.
func TestSameSeedSameTrace(t *testing.T) {
	if raceDetected {
		t.Skip("the race detector lets goroutines run in an order of its own")
	}
	for seed := uint64(1); seed <= 8; seed++ {
		if why := disagree(t, seed, 10); why != "" {
			t.Errorf("seed %d goes another way each time:\n%s", seed, why)
		}
	}
}

// disagree says how the runs of a seed differ, or nothing when two agree.
func disagree(t *testing.T, seed uint64, runs int) string {
	var before []*world
	why := ""
	for range runs {
		next := simulate(t, seed)
		for _, w := range before {
			line, a, b := w.trace.differs(&next.trace)
			if line == 0 {
				return ""
			}
			why = fmt.Sprintf("line %d\n%s\n%s", line, a, b)
		}
		before = append(before, next)
	}
	return why
}
