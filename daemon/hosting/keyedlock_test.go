package hosting

import (
	"context"
	"testing"
)

// TestLocksAreDropped: of the many products that are ever created no lock is kept.
func TestLocksAreDropped(t *testing.T) {
	var k KeyedLock
	unlock, err := k.Lock(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.Lock(impatient, "a"); err == nil {
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
