//go:build !windows

package service

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// Stop returns when the service has ended, and not when launchd accepts the request: a request under
// way may take seconds.
func TestStopWaitsForTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		if err := untilEnded(t.Context(), func() bool { return time.Since(begin) < 20*time.Second }); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took < 20*time.Second {
			t.Errorf("it ended after %v", took)
		}
		if err := untilEnded(t.Context(), func() bool { return true }); err == nil {
			t.Error("a service that does not end has ended")
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := untilEnded(gone, func() bool { return true }); err == nil {
			t.Error("a stop that was broken off is over")
		}
	})
}
