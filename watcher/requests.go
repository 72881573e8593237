package watcher

import (
	"context"
	"fmt"
	"io/fs"
	"time"
)

// answer is what Look waits for.
type answer struct {
	Snapshot
	err error
}

// lookFor reads a folder for Look. Who wants to know how it stands now does not wait for events.
func (t *tree) lookFor(ctx context.Context, path string, answers chan<- answer) {
	f := t.folders[path]
	switch {
	case t.state == offline:
		answers <- answer{err: fmt.Errorf("%s %s", t.Path, t.reason)}
	case f == nil || !t.surveyed:
		answers <- answer{err: fmt.Errorf("look at %s: no known product folder: %w", path, fs.ErrNotExist)}
	default:
		t.read(ctx, f, noWatches{}.Add, func(ctx context.Context, f *folder, l listing, err error) {
			if err != nil {
				answers <- answer{err: err}
				t.looked(ctx, f, l, err)
				return
			}
			t.merge(ctx, f, l, source{opened: true, answer: func(s Snapshot) { answers <- answer{Snapshot: s} }})
		})
	}
}

func (t *tree) refresh(ctx context.Context, path string) {
	f := t.folders[path]
	switch _, told := t.directories[path]; {
	case f == nil && told:
		t.barredAt = time.Time{}
	case f == nil:
	case f.missed != nil:
		t.tell(ctx, f)
	case f.live != nil && !f.live.last.start.IsZero() && t.state != offline:
		t.tell(ctx, f)
	default:
		t.lookNow(f)
		f.live.resend = true
	}
}

func (t *tree) setIdle(path string, fp Fingerprint) {
	f := t.folders[path]
	if f == nil {
		return
	}
	f.becomeIdle(fp)
	if v := f.live; v != nil && v.last.print == fp && v.still() && !v.resend && v.err == nil && !v.underway {
		t.drop(f)
	}
}

func (t *tree) forget(path string) {
	if f := t.folders[path]; f != nil && (f.missed != nil || f.aside) {
		t.drop(f)
		delete(t.folders, path)
	}
}
