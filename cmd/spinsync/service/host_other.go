//go:build !windows

package service

import "context"

// Host runs work as the service manager wants it run, and returns its error.
func Host(ctx context.Context, work func(context.Context) error) error { return work(ctx) }
