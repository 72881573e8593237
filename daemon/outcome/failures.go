package outcome

import (
	"errors"
	"sync"
	"time"

	"spinsync/apiclient"
)

// Failures gather the errors of concurrent tasks.
type Failures struct {
	mu  sync.Mutex
	all []error
}

// Add takes in an error, or nil.
func (f *Failures) Add(err error) {
	if err == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, err)
}

// Any reports whether there is an error so far.
func (f *Failures) Any() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.all) > 0
}

// Worst is the failure that decides. A change of the folder or a panic comes before all others,
// because it ends the run. The failure with the longest Retry-After comes next.
func (f *Failures) Worst() error {
	var worst error
	var longest time.Duration
	for _, err := range f.all {
		var remote *apiclient.Error
		switch {
		case Is(err, Changed), Is(err, Panicked):
			return err
		case worst == nil:
			worst = err
		}
		if errors.As(err, &remote) && remote.RetryAfter > longest {
			worst, longest = err, remote.RetryAfter
		}
	}
	return worst
}
