package watcher

import (
	"math/rand/v2"
	"path"
	"slices"
	"time"
)

// Whole reads come every 5 minutes give or take a quarter, so that several machines do not read a
// drive in step. They come more often while they find changes without events, and less often while
// events report all.
const (
	wholeEvery  = 5 * time.Minute
	wholeOften  = 30 * time.Second
	wholeSeldom = 20 * time.Minute
	absenceGap  = 5 * time.Second // between two whole reads that prove an absence
	share       = 20              // reading may take one part in 20 of the time
)

// plan is when a root is surveyed and read, and how often it was.
type plan struct {
	reading bool // one is under way

	surveyAt  time.Time
	surveying bool
	retryAt   time.Time // when directories that cannot be read are tried again

	wholeAt   time.Time
	scanAt    time.Time
	timesAt   time.Time     // of the next scan that reads the times of product folders
	listTook  time.Duration // by one folder of a turn, recently
	lastWhole time.Time     // end of the last one of a healthy root
	took      time.Duration // by that
	interval  time.Duration // between whole reads, without jitter
	missed    int           // watching.missed at the end of the last one
	asked     bool          // a whole read is wanted that begins after the one under way
	suspect   bool          // a folder was not found, and whole reads must prove its absence
	random    *rand.Rand

	// branches are the directories above product folders that will be listed, with what is new
	// below them. True: the directory itself is new.
	branches map[string]bool
}

// gap is the least time between the end of a whole read and the next.
func (p *plan) gap() time.Duration { return max(absenceGap, share*p.took) }

// nextWhole is how long to wait for the next whole read, by the number of changes without an event,
// and by whether all product folders are watched.
func (p *plan) nextWhole(missed int, complete bool) time.Duration {
	switch {
	case missed > p.missed:
		p.interval = max(wholeOften, p.interval/2)
	case complete:
		p.interval = min(wholeSeldom, p.interval*2)
	default:
		p.interval = wholeEvery
	}
	p.missed = missed
	jitter := 0.75 + 0.5*p.random.Float64()
	return max(time.Duration(float64(p.interval)*jitter), share*p.took)
}

// readWhole asks for a whole read at once.
func (p *plan) readWhole(now time.Time) {
	p.asked = true
	p.wholeAt = sooner(p.wholeAt, now)
}

func (p *plan) readBranch(dir string, isNew bool) { p.branches[dir] = p.branches[dir] || isNew }

func (p *plan) isInNewBranch(folder string) bool {
	for dir := folder; dir != "."; dir = path.Dir(dir) {
		if p.branches[dir] {
			return true
		}
	}
	return false
}

// hasten makes the next whole read come soon while one is wanted, or could prove that a folder is
// gone.
func (p *plan) hasten(now time.Time) {
	if p.asked {
		p.wholeAt = now
	}
	if p.suspect {
		p.wholeAt = sooner(p.wholeAt, later(now, p.lastWhole.Add(p.gap())))
	}
}

func sooner(times ...time.Time) time.Time { return slices.MinFunc(times, time.Time.Compare) }

func later(a, b time.Time) time.Time { return slices.MaxFunc([]time.Time{a, b}, time.Time.Compare) }
