package engine

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"spinsync/syncstate"
	"spinsync/watcher"
)

// After work is done its memory is given back to the system, since nothing else would for as long
// as nothing happens: the start of a daemon with 10,000 folders leaves half of its memory unused.
const (
	memoryTick  = 5 * time.Second
	quietAllocs = 1 << 20 // bytes in a tick; with less nothing happens
	worthwhile  = 8 << 20 // bytes since it was last given back; for less it is not done
)

// giveMemoryBack gives memory back to the system whenever the daemon is idle, until the context ends.
func giveMemoryBack(ctx context.Context, store *syncstate.Store) {
	var given uint64
	for before := allocated(); ; {
		select {
		case <-time.After(watcher.UntilTick(time.Now(), memoryTick)):
		case <-ctx.Done():
			return
		}
		now := allocated()
		if now-before < quietAllocs && now-given >= worthwhile {
			debug.FreeOSMemory()
			store.GiveMemoryBack()
			given = now
		}
		before = now
	}
}

// allocated is how many bytes the program has ever taken from its heap.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// recallGCPercent is by how much the heap may grow between collections while the records are read
// at the start. Nearly all that is made of them stays, so that a heap which is collected as often
// as usual would be gone through a dozen times for nothing.
const recallGCPercent = 400

// collectLess lets it grow so until usual is called. It changes nothing where the environment sets how
// much it may grow.
func collectLess(env func(string) string) (usual func()) {
	if env("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(recallGCPercent)
	return func() { debug.SetGCPercent(before) }
}
