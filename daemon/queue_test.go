package daemon

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestLocksAreDropped: of the many products that are ever created no lock is kept.
func TestLocksAreDropped(t *testing.T) {
	var k keyedLock
	unlock, err := k.lock(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.lock(impatient, "a"); err == nil {
		t.Error("a lock was given twice")
	}
	if len(k.locks) != 1 {
		t.Errorf("%d locks while one is held", len(k.locks))
	}
	unlock()
	if len(k.locks) != 0 {
		t.Errorf("%d locks are kept", len(k.locks))
	}
}

// TestWaitsIgnoreTheClockOnTheWall: a wait until a recorded time goes on as it began when the clock is set meanwhile.
func TestWaitsIgnoreTheClockOnTheWall(t *testing.T) {
	var q queue
	f := &folder{root: &root{}}
	q.addAt(f, time.Now().Add(time.Hour).Round(0), false)
	if due := q.place[f].due.String(); !strings.Contains(due, "m=+") {
		t.Errorf("the folder waits until %s on the wall", due)
	}
}
