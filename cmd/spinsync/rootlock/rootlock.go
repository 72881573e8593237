// Package rootlock keeps two programs with state files of their own from publishing one watched folder on one computer: each
// would make every product, and they would take turns replacing the images.
//
// The lock stands in a place that the whole computer shares, never below the folder, and ends with the process that holds
// it, however that ends. A folder on a network drive can still be watched by another computer.
package rootlock

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// ErrHeld is what Take returns for a folder that another program publishes.
var ErrHeld = errors.New("is published by another program with a state file of its own")

// A Lock is on the folders that were taken. The zero Lock is on none.
type Lock struct {
	releases []func() error
}

// Take locks a folder, which need not be there. It returns ErrHeld when another program has it, and another error when the
// system has no way to tell.
func (l *Lock) Take(folder string) error {
	release, holder, err := hold(nameOf(folder, filepath.EvalSymlinks))
	if errors.Is(err, ErrHeld) {
		return fmt.Errorf("%s %w%s; stop that one, or remove the folder from one of the two", folder, ErrHeld, holder)
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", folder, err)
	}
	l.releases = append(l.releases, release)
	return nil
}

// Release gives all folders free.
func (l *Lock) Release() error {
	var errs []error
	for _, release := range l.releases {
		errs = append(errs, release())
	}
	l.releases = nil
	return errors.Join(errs...)
}

// patience is how long a folder is asked where its links lead. A dead network drive never answers.
const patience = 5 * time.Second

// nameOf is the same for all ways to write the path of a folder. One that does not answer is named by its path alone.
func nameOf(folder string, follow func(string) (string, error)) string {
	answer := make(chan string, 1)
	go func() {
		if real, err := follow(folder); err == nil {
			answer <- real
		} else {
			answer <- folder
		}
	}()
	select {
	case folder = <-answer:
	case <-time.After(patience):
	}
	sum := sha256.Sum256([]byte(folded(filepath.Clean(folder))))
	return "spinsync-root-" + hex.EncodeToString(sum[:12])
}

func process(pid int) string { return fmt.Sprintf(" (process %d)", pid) }
