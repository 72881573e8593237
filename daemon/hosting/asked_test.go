package hosting

import (
	"fmt"
	"testing"
	"time"
)

// The newest status request for a product counts, and requests of long ago take no memory.
func TestAskedForgets(t *testing.T) {
	var a Asked
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	a.Note("old", noon)
	a.Note("shoe", noon.Add(time.Minute))
	a.Note("shoe", noon.Add(askedMemory))
	if !a.At("old").Equal(noon) || !a.At("shoe").Equal(noon.Add(askedMemory)) || !a.At("hat").IsZero() {
		t.Errorf("it remembers %v", a.at)
	}
	for hat := range 10 {
		a.Note(fmt.Sprint("hat", hat), noon.Add(askedMemory+time.Second))
	}
	if len(a.at) != 11 || !a.At("old").IsZero() {
		t.Errorf("after a week it remembers %v", a.at)
	}
}
