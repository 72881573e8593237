//go:build !windows

package service

import "context"

// Host runs work as the service manager wants it run, and returns its error.
func Host(ctx context.Context, work func(context.Context) error) error { return work(ctx) }

// Complain puts an error into the system's log. Here there is no need: the caller's terminal shows
// the failure.
func Complain(error) {}
