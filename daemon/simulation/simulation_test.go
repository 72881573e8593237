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
	show      = flag.Bool("show", false, "print all that happens")
	until     = flag.String("until", "", "stop at the first promise that is broken in these words, a regular expression")
)

// Every change is tried on so many seeds, fewer where each costs more. -seeds tries any number.
const (
	seedsInFull = 40
	seedsRaced  = 10
	seedsShort  = 20
)

// TestMain keeps to one processor: of two goroutines that are ready at one instant the same is the first each time. Little of
// what a seed makes is kept, so that garbage may pile up.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(400)
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
	inProcesses(t, processes, func(i int) []string {
		return []string{fmt.Sprint("-stride=", processes), fmt.Sprint("-seed=", first+uint64(i)), fmt.Sprint("-seeds=", count-i)}
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
