package simulation

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
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
	show      = flag.Bool("show", false, "print all that happens")
)

// Every change is tried on so many seeds, fewer where each costs more. -seeds tries any number.
const (
	seedsInFull = 40
	seedsRaced  = 10
	seedsShort  = 20
)

// TestMain keeps to one processor: of two goroutines that are ready at one instant the same is the first each time.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	os.Exit(m.Run())
}

func TestSimulation(t *testing.T) {
	first, count := *firstSeed, *seedCount
	switch {
	case count > 0:
	case first > 0:
		count = 1
	case testing.Short():
		count = seedsShort
	case raceDetected:
		count = seedsRaced
	default:
		count = seedsInFull
	}
	first = max(first, 1)
	if count > 1 && *stride == 0 {
		simulateInProcesses(t, first, count)
		return
	}
	for seed := first; seed < first+uint64(count); seed += uint64(max(1, *stride)) {
		simulate(t, seed)
	}
}

// simulateInProcesses spreads seeds over all processors.
func simulateInProcesses(t *testing.T, first uint64, count int) {
	processes := min(runtime.NumCPU(), count)
	var running sync.WaitGroup
	for i := range processes {
		running.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSimulation$", "-test.timeout=0",
				fmt.Sprint("-stride=", processes), fmt.Sprint("-seed=", first+uint64(i)), fmt.Sprint("-seeds=", count-i))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
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
	// A daemon that is never done keeps the time of its bubble from moving, and would hang here.
	alarm := time.AfterFunc(stuckAfter, func() { panic(fmt.Sprintf("seed %d is stuck\n%s", seed, w.trace.String())) })
	defer alarm.Stop()
	synctest.Test(t, w.live)
	w.judge()
	if *show {
		fmt.Print(w.trace.String())
	}
	if len(w.broken) > 0 {
		t.Errorf("seed %d broke a promise; `go test ./daemon/simulation -run TestSimulation -seed %[1]d -show -v` repeats it:\n%s\nThis is what happened:\n%s",
			seed, strings.Join(w.broken, "\n"), w.trace.String())
	}
	return w
}

// TestSameSeedSameTrace is what makes a failure worth anything: it can be repeated. A machine that is busy with other things
// may stop the simulation between two steps of one instant, so two of a few runs must agree.
func TestSameSeedSameTrace(t *testing.T) {
	for seed := uint64(1); seed <= 8; seed++ {
		if why := disagree(t, seed, 4); why != "" {
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
