package syncstate

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"testing"
)

// The environment variable that makes a test the child process of another one, and names its file.
const childFile = "SYNCSTATE_TEST_CHILD"

// child runs one test of this package in a process of its own.
func child(t *testing.T, test, path string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), childFile+"="+path)
	cmd.Stderr = os.Stderr
	return cmd
}

const childWriters = 4

// TestKilledWriter is the child of TestKill: writers that print what was saved, for ever.
func TestKilledWriter(t *testing.T) {
	path := os.Getenv(childFile)
	if path == "" {
		t.Skip("it is the child of TestKill")
	}
	s := opened(t, path)
	var all sync.WaitGroup
	for i := range childWriters {
		all.Go(func() {
			for {
				var n int
				err := s.Update(folder(i), func(r *Record) error {
					n = r.Counts.Settled + 1
					*r = finished(1 + n%50)
					r.Counts.Settled = n
					return nil
				})
				if err != nil {
					t.Error(err)
					return
				}
				fmt.Printf("saved %d %d\n", i, n)
			}
		})
	}
	all.Wait()
}

// A process that is killed loses nothing that was acknowledged, and leaves a sound file that
// can be opened at once.
func TestKill(t *testing.T) {
	path := checkedPath(t)
	const seed = 7
	random := rand.New(rand.NewPCG(seed, 0))
	saved := make([]int, childWriters)
	for range 6 {
		cmd := child(t, "TestKilledWriter", path)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for left := random.IntN(60); lines.Scan(); left-- {
			var i, n int
			if _, err := fmt.Sscanf(lines.Text(), "saved %d %d", &i, &n); err == nil {
				saved[i] = n
			}
			if left == 0 {
				must(t, cmd.Process.Kill())
			}
		}
		_ = cmd.Wait()
		s, err := Open(path, studio())
		must(t, err)
		for i, n := range saved {
			r, err := s.Record(folder(i))
			must(t, err)
			if r.Counts.Settled < n || r.Counts.Settled > n+1 {
				t.Errorf("seed %d, folder %d: %d changes are in the file, %d were acknowledged", seed, i, r.Counts.Settled, n)
			}
			if r.Counts.Settled > 0 && len(r.Published.Frames) != 1+r.Counts.Settled%50 {
				t.Errorf("seed %d, folder %d: change %d is not whole", seed, i, r.Counts.Settled)
			}
			saved[i] = r.Counts.Settled // the next life goes on from here, whether it was acknowledged or not
		}
		must(t, s.Close())
	}
}
