package hosting

import (
	"context"
	"sync"
)

// A KeyedLock is a lock for each key that can be waited for with a context.
type KeyedLock struct {
	mu    sync.Mutex
	locks map[string]*sharedLock
}

// A sharedLock is dropped once it is neither held nor waited for.
type sharedLock struct {
	held  chan struct{}
	users int
}

// Lock locks a key and returns what unlocks it.
func (k *KeyedLock) Lock(ctx context.Context, key string) (func(), error) {
	l := k.use(key)
	select {
	case l.held <- struct{}{}:
		return func() { <-l.held; k.leave(key, l) }, nil
	case <-ctx.Done():
		k.leave(key, l)
		return nil, ctx.Err()
	}
}

func (k *KeyedLock) use(key string) *sharedLock {
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

func (k *KeyedLock) leave(key string, l *sharedLock) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(k.locks, key)
	}
}
