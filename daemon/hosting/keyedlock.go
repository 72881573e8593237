package hosting

import (
	"context"
	"sync"
)

// keyedLock is a lock per key that can be waited for with a context.
type keyedLock struct {
	mu    sync.Mutex
	locks map[string]*sharedLock
}

// A sharedLock is dropped once it is neither held nor waited for.
type sharedLock struct {
	held  chan struct{}
	users int
}

// Lock locks a key and returns what unlocks it.
func (k *keyedLock) Lock(ctx context.Context, key string) (func(), error) {
	l := k.use(key)
	select {
	case l.held <- struct{}{}:
		return func() { <-l.held; k.leave(key, l) }, nil
	case <-ctx.Done():
		k.leave(key, l)
		return nil, ctx.Err()
	}
}

func (k *keyedLock) use(key string) *sharedLock {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.locks == nil {
		k.locks = map[string]*sharedLock{}
	}
	if k.locks[key] == nil {
		k.locks[key] = &sharedLock{held: make(chan struct{}, 1)}
	}
	k.locks[key].users++
	return k.locks[key]
}

func (k *keyedLock) leave(key string, l *sharedLock) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(k.locks, key)
	}
}
