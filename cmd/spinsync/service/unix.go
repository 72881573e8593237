//go:build !windows

package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// checkVerbatim refuses a text that the library would take for a template.
func checkVerbatim(text string) error {
	if strings.Contains(text, "{{") {
		return errors.New("two braces in a row in a path; move the file to another place")
	}
	return nil
}

// Host runs work under the service manager, and returns its error.
func Host(ctx context.Context, work func(context.Context) error) error { return work(ctx) }

// Complain puts an error into the system's log. Here the caller's terminal shows the failure.
func Complain(error) {}

// OnMappedDrive reports whether a path is on a drive of one person, which only Windows has.
func OnMappedDrive(string) bool { return false }

// Protect has nothing to do: the directories that belong to the system are closed to others
// already.
func Protect(dir, account string) error { return nil }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// stopLimit is longer than launchd gives the service to end.
const stopLimit = 40 * time.Second

// untilEnded waits for a service to end.
func untilEnded(ctx context.Context, runs func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	for runs() {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("the service has not ended yet: %w", ctx.Err())
		}
	}
	return ctx.Err() // nobody could be asked
}

// command runs a program of the system and returns its output without the last line break.
func command(ctx context.Context, name string, args ...string) (string, error) {
	var said, wrong strings.Builder
	c := exec.CommandContext(ctx, name, args...)
	c.Stdout, c.Stderr = &said, &wrong
	err := c.Run()
	if text := strings.TrimSpace(wrong.String()); err != nil && text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimRight(said.String(), "\n"), err
}
