package processtest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// The system refuses the kth of the calls with which the state file is written or made durable,
// once or from then on. The program goes on, or ends with the reason; what it did is known either
// way.
func TestFailingSystemCalls(t *testing.T) {
	t.Parallel()
	strace := needsTool(t, "strace")
	w := publishedStudio(t)
	w.env = []string{"GOMAXPROCS=1"} // strace counts the calls of each thread
	calls := []struct {
		name string
		most int
	}{{"fdatasync", 15}, {"pwrite64", 40}}
	met := 0
	for n := range repeats(8, 200) {
		call := calls[n%len(calls)]
		when := fmt.Sprint(1 + w.random.IntN(call.most))
		if w.random.IntN(2) == 0 {
			when += "+" // and all that follow
		}
		fault := []string{"EIO", "ENOSPC"}[w.random.IntN(2)]
		w.wrap = []string{strace, "-D", "-f", "-qq", "-o", "/dev/null", "-P", w.state,
			"-e", "trace=" + call.name, "-e", fmt.Sprintf("inject=%s:error=%s:when=%s", call.name, fault, when)}
		before := len(w.logged())
		p := w.start("run")
		if w.workUntilDeath(p, 2*time.Second) && p.ProcessState.ExitCode() != 1 {
			t.Errorf("%s fails with %s at call %s: %s", call.name, fault, when, p.ProcessState)
		}
		if strings.Contains(w.logged()[before:], "state file") {
			met++
		}
		w.check()
	}
	t.Logf("%d times the program told of it", met)
	w.wrap = nil
	w.converge()
}
