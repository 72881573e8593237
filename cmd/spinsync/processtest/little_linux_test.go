package processtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// What the program says when descriptors are missing; Go itself says the last, with the system's number
// for it, where none is left for its first network connection.
var missesDescriptors = regexp.MustCompile(`too many open files|runtime: (epollcreate|eventfd) failed with -?24`)

// With too few descriptors the program works, or reports what it lacks. It harms nothing, and goes on
// when there are more.
func TestFewDescriptors(t *testing.T) {
	t.Parallel()
	w := oneFolder(t)
	for limit := 8; limit < 24; limit += 2 {
		w.wrap = []string{"sh", "-c", `ulimit -n "$0" && exec "$@"`, strconv.Itoa(limit)}
		p := w.start("sync")
		select {
		case <-p.ended:
		case <-time.After(3 * time.Second):
			p.kill()
		}
		if code := p.ProcessState.ExitCode(); code > 0 && !missesDescriptors.MatchString(w.logged()) {
			t.Errorf("with %d descriptors it exits with %d and says %s", limit, code, w.logTail())
		}
		w.check()
	}
	w.wrap = nil
	w.converge()
}

// Photos are never held in memory as a whole, so that a small machine carries large ones.
func TestLittleMemory(t *testing.T) {
	t.Parallel()
	w := oneFolder(t)
	const photos, size, most = 16, 16 << 20, 128 << 20
	for n := range photos {
		w.shoots[0].shootLarge(n+1, size)
	}
	w.env = []string{"GOMEMLIMIT=32MiB"}
	p := w.start("run")
	published(t, w.installation, w.service, w.shoots, 2*time.Minute)
	p.kill()
	used := p.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	t.Logf("%d MiB for %d photos of %d MiB", used>>20, photos, size>>20)
	if used > most {
		t.Errorf("more than %d MiB", most>>20)
	}
	w.check()
}

// shootLarge takes a frame with so much behind its picture, as cameras do.
func (s *shoot) shootLarge(n, size int) {
	photo := append(newPhoto(s.random), bytes.Repeat([]byte(fmt.Sprintf("%08d", s.random.IntN(1e8))), size/8)...)
	name := fmt.Sprintf("frame_1%02d.jpg", n) // after the frames that are there
	must(s.t, os.WriteFile(filepath.Join(s.dir, name), photo, 0o644))
	s.now[name] = digest(photo)
	s.remember()
}
