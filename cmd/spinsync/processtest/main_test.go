// Package processtest tries the promises of spinsync on the real program, as the operating system
// treats it: it is killed, its disk fills up or loses power, its drives hang and go away, its
// network lies. A hosting service in the test's own process sees every request, and spoils some.
//
// What a machine cannot do (no root, no strace, no FUSE) is skipped, except where CI=true. Without
// -long each trial takes seconds; with it, minutes.
package processtest

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

var (
	long   = flag.Bool("long", false, "try as long as the figures of docs/proof.md took")
	rounds = flag.Int("rounds", 0, "of a trial that is repeated; 0 is its own number")
	soak   = flag.Duration("soak", 0, "how long TestSoak works; 0 leaves it out")
	seed   = flag.Uint64("seed", 0, "of what is tried in which order; 0 is another one each time")

	program = flag.String("program", "", "try this spinsync instead of building one")
)

// atOnce is how many trials run at a time. They wait most of the time, so that it may be more than
// there are processors.
const atOnce = "8"

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err) // it is a flag of every test
	}
	flag.Parse()
	code, err := tryAll(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// tryAll runs the tests with a program that is built for them.
func tryAll(m *testing.M) (code int, err error) {
	if *program != "" {
		return m.Run(), nil
	}
	dir, err := os.MkdirTemp("", "spinsync-process-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	*program = filepath.Join(dir, "spinsync")
	if runtime.GOOS == "windows" {
		*program += ".exe"
	}
	out, err := exec.Command("go", "build", "-o", *program, "spinsync/cmd/spinsync").CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("build: %w\n%s", err, out)
	}
	return m.Run(), nil
}

// unable ends a test that this machine cannot do. One for CI can do all.
func unable(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
}

func needsRoot(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		unable(t, "it needs Linux, and root to mount things")
	}
}

func needsTool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		unable(t, name+" is not installed")
	}
	return path
}

// repeats is how often a trial is repeated.
func repeats(short, many int) int {
	switch {
	case *rounds > 0:
		return *rounds
	case *long:
		return many
	}
	return short
}

// newRandom logs its seed when the test fails.
func newRandom(t *testing.T) *rand.Rand {
	s := *seed
	if s == 0 {
		s = uint64(time.Now().UnixNano())
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("again with -seed %d", s)
		}
	})
	return rand.New(rand.NewPCG(s, 0))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wait tries until, which is what the test is about, for as long as even a slow machine may need.
func wait(t *testing.T, what string, patience time.Duration, until func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !until(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %s", what, patience)
		}
	}
}
