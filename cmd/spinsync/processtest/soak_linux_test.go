package processtest

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// The program works without a pause, at many times the pace of a studio, while the network fails at
// times and people use the page. What it takes of the machine must not grow with what it did: an
// hour is as much work as weeks. In less than three minutes growth proves nothing.
func TestSoak(t *testing.T) {
	if *soak == 0 {
		t.Skip("it needs -soak, as .ci/days gives it")
	}
	t.Parallel()
	w := newSoak(t)
	samples := w.work(*soak)
	t.Logf("%d revisions, %d folders came and went, %d calls", w.revisions(), w.came, w.service.calls.Load())
	judge(t, samples)
	must(t, w.daemon().Do(t.Context(), daemon.Resume, syncstate.Folder{}))
	w.program.kill()
	w.converge()
}

// A soakStudio has as many folders all the time: those that are worked on again and again, and some
// that come and go together with their products.
type soakStudio struct {
	*studio
	program *process
	passing string // root of the folders that come and go
	came    int
}

const (
	soakFolders  = 40
	soakPassing  = 6
	soakSamples  = 120
	soakSampling = time.Second // at the least
	soakWarm     = 0.05        // hours, in less of which growth proves nothing
)

func newSoak(t *testing.T) *soakStudio {
	random := newRandom(t)
	w := &soakStudio{studio: emptyStudio(t, random)}
	w.service.mayDelete = true
	lasting := filepath.Join(t.TempDir(), "lasting")
	w.passing = filepath.Join(t.TempDir(), "passing")
	w.roots = []string{lasting, w.passing}
	for n := range soakFolders {
		w.shoots = append(w.shoots, newShoot(t, random, lasting, fmt.Sprintf("L-%02d", n), 0))
		w.shoots[n].shootAll(3)
	}
	w.installation = install(t, w.service.url, root{lasting, `quiet = "300ms"`},
		root{w.passing, "quiet = \"300ms\"\non_remove = \"delete\"\nrescan = \"6s\""})
	for range soakPassing {
		w.come()
	}
	w.level, w.page = "info", true
	w.configure()
	w.program = w.start("run")
	return w
}

// work keeps people busy and takes samples.
func (w *soakStudio) work(span time.Duration) (samples []sample) {
	every := max(span/soakSamples, soakSampling)
	start := time.Now()
	for next := start.Add(every); time.Since(start) < span; next = next.Add(every) {
		w.weather()
		for time.Now().Before(next) {
			if w.workBeside(w.program, every/4) {
				w.t.Fatalf("it ended: %s\n%s", w.program.ProcessState, w.logTail())
			}
			w.comeAndGo()
			w.press()
		}
		samples = append(samples, w.sample(start))
	}
	return samples
}

// weather spoils every fourth stretch of time.
func (w *soakStudio) weather() {
	if w.random.IntN(4) == 0 {
		w.service.loseAnswers(w.random, 20)
	} else {
		w.service.heal()
	}
}

func (w *soakStudio) come() {
	w.came++
	s := newShoot(w.t, w.random, w.passing, fmt.Sprintf("P-%05d", w.came), 0)
	s.shootAll(3)
	w.shoots = append(w.shoots, s)
}

// comeAndGo removes a folder that is published, and shoots another one when its product is gone
// too.
func (w *soakStudio) comeAndGo() {
	current, ok := w.status()
	if !ok {
		return
	}
	passing := slices.DeleteFunc(current.Products, func(p status.ProductStatus) bool { return p.Root != w.passing })
	if len(passing) < soakPassing {
		w.come()
		return
	}
	removable := -1
	for _, p := range passing {
		n := slices.IndexFunc(w.shoots, func(s *shoot) bool { return s.sku == path.Base(p.Folder) })
		switch {
		case n < 0:
			return // two that are gone at once wait for a person
		case p.State == status.Published:
			removable = n
		}
	}
	if removable >= 0 {
		must(w.t, os.RemoveAll(w.shoots[removable].dir))
		w.shoots = slices.Delete(w.shoots, removable, removable+1)
	}
}

// press is what people do at the screen.
func (w *soakStudio) press() {
	all := syncstate.Folder{}
	c := w.daemon()
	if c == nil {
		return
	}
	var err error
	switch w.random.IntN(20) {
	case 0:
		err = c.Do(w.t.Context(), daemon.Retry, all)
	case 1:
		err = c.Do(w.t.Context(), daemon.Pause, all)
	case 2, 3:
		err = c.Do(w.t.Context(), daemon.Resume, all)
	case 4:
		err = c.Export(w.t.Context(), func(status.ExportedProduct) error { return nil })
	case 5:
		w.look()
	}
	must(w.t, err)
}

// look opens the page.
func (w *soakStudio) look() {
	found := regexp.MustCompile(`address=(http\S+)`).FindStringSubmatch(w.logged())
	if found == nil {
		return // it is not there yet
	}
	page, err := http.Get(found[1])
	must(w.t, err)
	defer page.Body.Close()
	_, err = io.Copy(io.Discard, page.Body)
	must(w.t, err)
}

// A sample is what the program takes of the machine at a time.
type sample struct {
	hours float64
	takes [len(measures)]float64
}

// measures are the samples, each with the growth that may be noise.
var measures = [...]struct {
	name, unit string
	noise      float64
}{
	{"memory", "MiB", 12}, {"descriptors", "", 6}, {"goroutines", "", 12}, {"state file", "KiB", 512}, {"log per revision", "B", 300},
}

func (w *soakStudio) sample(start time.Time) sample {
	w.t.Helper()
	pid := strconv.Itoa(w.program.Process.Pid)
	open, err := os.ReadDir(filepath.Join("/proc", pid, "fd"))
	must(w.t, err)
	state, err := os.Stat(w.state)
	must(w.t, err)
	own, err := w.daemon().Runtime(w.t.Context())
	must(w.t, err)
	return sample{hours: time.Since(start).Hours(), takes: [...]float64{
		w.residentMiB(pid), float64(len(open)), float64(own.Goroutines), float64(state.Size()) / 1024,
		float64(len(w.logged())) / float64(max(1, w.revisions())),
	}}
}

func (w *soakStudio) residentMiB(pid string) float64 {
	data, err := os.ReadFile(filepath.Join("/proc", pid, "status"))
	must(w.t, err)
	_, after, _ := strings.Cut(string(data), "VmRSS:")
	kib, err := strconv.Atoi(strings.Fields(after)[0])
	must(w.t, err)
	return float64(kib) / 1024
}

// revisions counts what was uploaded so far.
func (w *soakStudio) revisions() int { return w.service.effects(w.t, sandbox.Uploaded) }

// judge fails when something grows by more than noise, in the time after the first quarter, when
// all is warm.
func judge(t *testing.T, samples []sample) {
	t.Helper()
	warm := samples[len(samples)/4:]
	span := warm[len(warm)-1].hours - warm[0].hours
	for i, m := range measures {
		values := make([]float64, len(warm))
		for n, s := range warm {
			values[n] = s.takes[i]
		}
		slope := slopeOf(warm, values)
		t.Logf("%-17s %8.1f %-3s at first, %8.1f at last, %8.1f at most, %+.2f in an hour",
			m.name, values[0], m.unit, values[len(values)-1], slices.Max(values), slope)
		if slope*span > m.noise && span > soakWarm {
			t.Errorf("%s grew by %.1f %s in %.2f hours", m.name, slope*span, m.unit, span)
		}
	}
}

// slopeOf is the growth in an hour after Theil and Sen, the median over all pairs of samples, which
// a burst of work does not move.
func slopeOf(samples []sample, values []float64) float64 {
	var slopes []float64
	for i := range samples {
		for j := range i {
			slopes = append(slopes, (values[i]-values[j])/(samples[i].hours-samples[j].hours))
		}
	}
	if len(slopes) == 0 {
		return 0
	}
	slices.Sort(slopes)
	return slopes[len(slopes)/2]
}
