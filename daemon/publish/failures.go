package publish

import (
	"errors"
	"sync"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
)

// failures gathers the errors of concurrent tasks.
type failures struct {
	mu  sync.Mutex
	all []error
}

func (f *failures) add(err error) {
	if err == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, err)
}

func (f *failures) any() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.all) > 0
}

// worst is the failure that decides. A change of the folder or a panic comes before all others,
// because it ends the run. The failure with the longest Retry-After comes next.
func (f *failures) worst() error {
	var worst error
	var longest time.Duration
	for _, err := range f.all {
		var remote *apiclient.Error
		switch {
		case outcome.Is(err, outcome.Changed), outcome.Is(err, outcome.Panicked):
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
