package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/control"
	"spinsync/daemon/status"
	"spinsync/watcher"
)

// showRoots prints the roots that the service, started after the given time, cannot publish.
func (s *service) showRoots(ctx context.Context, statePath string, after time.Time) error {
	now, err := askUntilRead(ctx, after, func(ctx context.Context) (status.Status, error) {
		running, err := control.Dial(ctx, statePath)
		if err != nil {
			return status.Status{}, err
		}
		return running.Status(ctx)
	})
	if err != nil {
		return err
	}
	rows, wrong := rootTroubles(now)
	if err := terminal.Table(s.call.Stdout, rows); err != nil || wrong == 0 {
		return err
	}
	return fmt.Errorf("the service runs, and cannot use %s; it goes on by itself once that is corrected",
		status.Counted(wrong, "watched folder"))
}

// askUntilRead asks the service for its status until each root was read once or is offline. After
// ten seconds it returns the status as it is then. The answer of a service that was started before
// the given time does not count: that one is ending.
func askUntilRead(
	ctx context.Context, after time.Time, ask func(context.Context) (status.Status, error),
) (now status.Status, err error) {
	const (
		limit = 10 * time.Second
		pause = 100 * time.Millisecond
	)
	asking, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		found, failed := ask(asking)
		current := failed == nil && !found.Started.Before(after)
		if current {
			now = found
		}
		if current && !slices.ContainsFunc(now.Roots, func(r watcher.RootStatus) bool { return r.Unread }) {
			return now, nil
		}
		select {
		case <-ticker.C:
		case <-asking.Done():
			if now.Started.IsZero() {
				err = cmp.Or(ctx.Err(),
					errors.New("the service does not answer yet; spinsync service status shows its state"))
			}
			return now, err
		}
	}
}

// rootTroubles has a row for each root that was not read yet, is offline or needs a person, and
// counts those that somebody must do something about.
func rootTroubles(s status.Status) (rows [][]string, wrong int) {
	for _, r := range s.Roots {
		switch {
		case r.Unread:
			rows = append(rows, []string{"reading", r.Path + ": not read yet; spinsync status shows when it is"})
		case r.Offline():
			rows = append(rows, []string{"offline", r.Path + ": it " + r.Reason})
			wrong++
		}
	}
	for _, p := range s.Products {
		if p.Folder == "." && p.State == status.Attention {
			rows = append(rows, []string{string(p.State), p.Root + ": " + p.Reason})
			wrong++
		}
	}
	return rows, wrong
}
