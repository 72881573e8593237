package watcher

import (
	"context"
	"sync/atomic"
)

// outbox holds what the receiver has not taken yet: of each folder only the newest.
type outbox struct {
	in, out chan Snapshot
	held    atomic.Int64 // sent and not yet taken in or overtaken by a newer one
}

// put queues a snapshot.
func (o *outbox) put(ctx context.Context, s Snapshot) {
	o.held.Add(1)
	select {
	case o.in <- s:
	case <-ctx.Done():
		o.held.Add(-1)
	}
}

type folderKey struct{ root, folder string }

// run always takes what comes in, so that a slow receiver holds up no root.
func (o *outbox) run(ctx context.Context) {
	var order []folderKey
	newest := map[folderKey]Snapshot{}
	for {
		var ready chan<- Snapshot
		var next Snapshot
		if len(order) > 0 {
			ready, next = o.out, newest[order[0]]
		}
		select {
		case s := <-o.in:
			key := folderKey{s.Root, s.Folder}
			if _, waits := newest[key]; waits {
				o.held.Add(-1)
			} else {
				order = append(order, key)
			}
			newest[key] = s
		case ready <- next:
			delete(newest, order[0])
			order = order[1:]
		case <-ctx.Done():
			return
		}
	}
}
