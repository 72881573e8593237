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
	firstSeed = flag.Uint64("seed", 0, "the first seed to simulate; 0 is 1, and as many as a test run is for")
	seedCount = flag.Int("seeds", 0, "number of seeds to simulate; 0 is one if -seed names it, else as many as a test run is for")
	full      = flag.Bool("full", false, "make each trial of the crash sweep, try each plant, and repeat more seeds, as .ci/run does")
	stride    = flag.Int("stride", 0, "simulate every so manieth seed in this very process; 0 starts a process for each processor")
	longest   = flag.Duration("longest", 0, "begin no more seeds after this long; 0 is without end")
	show      = flag.Bool("show", false, "print all that happens")
	sure      = flag.String("sure", "", "faults that every seed has, by their names, a regular expression; the others are drawn")
	until     = flag.String("until", "", "stop at the first promise that is broken in these words, a regular expression")
)

// So much is simulated without flags, fewer seeds where each costs more, and as many of them as a
// machine that is busy with other things gets through. -seeds tries any number, however long that
// takes.
const (
	seedsOfEachRun      = 400
	seedsRaced          = 20
	fleetsOfEachRun     = 20
	seedsRepeated       = 20
	seedsRepeatedInFull = 100
	longestInAll        = 40 * time.Second
)

// Seeds that once failed, by a build with a safeguard taken out or by a fault of the judge.
var failedOnce = []uint64{
	2, 4, 86, 92, 163, 7192, 3101449, 3200255, 3201451, 3400779, 3601142, 4005639, 4008415, 4008554, 4008862,
	4010096, 4010668, 4014723, 4015568, 5000427, 3672194761, 9001508, 11000987, 11003730, 11012364, 11014534, 11017078, 11009449,
	11019656, 11022795, 11025432, 1860261218, 900351,
}

// TestMain keeps to one processor, since the seeds are spread over processes. Little of what a seed
// makes is kept, so that garbage may pile up. Worlds of a process that was killed are swept away.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(400)
	removeOldWorlds()
	os.Exit(m.Run())
}

func TestSimulation(t *testing.T) {
	first, count, most := max(*firstSeed, 1), *seedCount, *longest
	switch {
	case count > 0:
	case *firstSeed > 0:
		count = 1
	default:
		count, most = seedsOfThisRun(), longestInAll
	}
	if count > 1 && *stride == 0 {
		inShares(t, first, count, most)
		return
	}
	began, done := time.Now(), 0
	for seed := first; seed < first+uint64(count) && (most == 0 || time.Since(began) < most); seed += uint64(max(1, *stride)) {
		simulate(t, seed)
		done++
	}
	fmt.Printf("first seed %d, %d seeds in %s\n", first, done, time.Since(began).Round(time.Second))
}

// TestFleet lives through days of several computers that publish one share.
func TestFleet(t *testing.T) {
	first, count := max(*firstSeed, 1), max(*seedCount, 1)
	if *firstSeed == 0 && *seedCount == 0 {
		count = fleetsOfEachRun
	}
	if count > 1 && *stride == 0 {
		inShares(t, first, count, *longest)
		return
	}
	began, done := time.Now(), 0
	for seed := first; seed < first+uint64(count) && (*longest == 0 || time.Since(began) < *longest); seed += uint64(max(1, *stride)) {
		w := newWorld(t, seed)
		w.makeFleet()
		w.run(t, w.live, fmt.Sprintf("-run TestFleet -seed %d%s", seed, chosenService()))
		done++
	}
	fmt.Printf("first seed %d, %d seeds in %s\n", first, done, time.Since(began).Round(time.Second))
}

// TestSeedsThatOnceFailed lives the days again that a mistake in a decision spoiled. Some have hundreds
// of folders. No race was among them, so that the race detector has the first days alone.
func TestSeedsThatOnceFailed(t *testing.T) {
	if raceDetected {
		t.Skip("none of these days failed by a race")
	}
	for i, seed := range failedOnce {
		if isLate(t) {
			t.Skipf("the time of this test run is nearly over: %d seeds are left out", len(failedOnce)-i)
		}
		simulate(t, seed)
	}
}

// isLate reports whether the time of a test run is nearly over, as on a person's machine that is busy
// with other work. The rest of a long test is left out then. CI leaves nothing out.
func isLate(t *testing.T) bool {
	end, limited := t.Deadline()
	return limited && time.Until(end) < 2*time.Minute && os.Getenv("CI") == ""
}

// timeLeft is the limit for a process that does the work of a test, 0 for none.
func timeLeft(t *testing.T) time.Duration {
	end, limited := t.Deadline()
	if !limited {
		return 0
	}
	return max(time.Until(end)-10*time.Second, time.Second)
}

func seedsOfThisRun() int {
	if testing.Short() || raceDetected {
		return seedsRaced
	}
	return seedsOfEachRun
}

// inShares spreads the seeds of this very test over all processors.
func inShares(t *testing.T, first uint64, count int, longest time.Duration) {
	processes := min(runtime.NumCPU(), count)
	inProcesses(t, processes, func(i int) []string {
		return []string{
			fmt.Sprint("-stride=", processes), fmt.Sprint("-seed=", first+uint64(i)), fmt.Sprint("-seeds=", count-i),
			fmt.Sprint("-longest=", longest), "-sure=" + *sure, "-service=" + *serviceName,
		}
	})
}

// inProcesses runs this very test in several processes at a time, each with arguments of its own.
func inProcesses(t *testing.T, processes int, args func(i int) []string) {
	var running sync.WaitGroup
	for i := range processes {
		running.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], append(args(i), "-test.run=^"+t.Name()+"$", fmt.Sprint("-test.timeout=", timeLeft(t)))...)
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

// stuckAfter is how long a day may go without anything new at a later time of its own. The machine
// may be so busy that the whole day takes longer.
const stuckAfter = 5 * time.Minute

// simulate lives through one seed and fails the test if a promise was broken.
func simulate(t *testing.T, seed uint64) *world {
	t.Helper()
	w := newWorld(t, seed)
	w.run(t, w.live, fmt.Sprintf("-run TestSimulation -seed %d%s", seed, chosenService()))
	return w
}

// run lets a world live and judges it. The arguments repeat it.
func (w *world) run(t *testing.T, live func(*testing.T), args string) {
	t.Helper()
	stop := w.trace.alarm(func() { panic(fmt.Sprintf("%s is stuck\n%s", args, w.trace.String())) })
	defer stop()
	synctest.Test(t, live)
	w.judge()
	if *show {
		fmt.Print(w.trace.String())
	}
	if len(w.broken) > 0 {
		t.Errorf("a promise was broken; `go test ./daemon/simulation %s -show -v` repeats it:\n%s\n"+
			"These faults were switched on: %s\nThis is what happened:\n%s",
			args, strings.Join(w.broken, "\n"), w.plan.faults, w.trace.String())
	}
	if i := slices.IndexFunc(w.broken, regexp.MustCompile(*until).MatchString); *until != "" && i >= 0 {
		fmt.Println("caught:", args, w.broken[i])
		t.FailNow()
	}
}

// TestSameSeedSameTrace is what makes a failure worth anything: it can be repeated. Nothing that a
// seed decides is due at the same instant as anything else, so that it does not matter which of two
// goroutines the system lets run first. Where that was overlooked a seed may take one way or
// another: it must take one of them twice, and few may have another.
func TestSameSeedSameTrace(t *testing.T) {
	if raceDetected {
		t.Skip("the race detector lets goroutines run in an order of its own")
	}
	first, count := max(*firstSeed, 1), *seedCount
	switch {
	case count > 0:
	case *full:
		count = seedsRepeatedInFull
	default:
		count = seedsRepeated
	}
	if *stride == 0 {
		inShares(t, first, count, 0)
		return
	}
	strayed := 0
	for seed := first; seed < first+uint64(count) && !isLate(t); seed += uint64(*stride) {
		runs, why := repeat(t, seed)
		if why != "" {
			strayed++
			fmt.Printf("seed %d took another way, and one of them twice in %d runs: %s\n", seed, runs, why)
		}
	}
	fmt.Printf("first seed %d, %d of %d took another way when repeated\n", first, strayed, (count+*stride-1) / *stride)
	if strayed > 1 + count / *stride / 100 {
		t.Error("so many cannot be relied on to repeat a failure")
	}
}

// repeat lives a seed until two lives were the same, and says how the first two differed if they
// did.
func repeat(t *testing.T, seed uint64) (runs int, why string) {
	t.Helper()
	const most = 6
	lives := []*world{simulate(t, seed)}
	for len(lives) < most {
		next := simulate(t, seed)
		for _, w := range lives {
			line, a, b := w.trace.differs(&next.trace)
			if line == 0 {
				return len(lives) + 1, why
			}
			if why == "" {
				why = fmt.Sprintf("line %d\n%s\n%s", line, a, b)
			}
		}
		lives = append(lives, next)
	}
	t.Errorf("seed %d goes another way each time:\n%s", seed, why)
	return most, why
}
