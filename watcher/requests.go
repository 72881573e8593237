package watcher

import (
	"context"
	"fmt"
)

// answer is what ReadFolder waits for.
type answer struct {
	found Snapshot
	err   error
}

// readFor reads a folder for ReadFolder, and does not wait for events.
func (s *settler) readFor(ctx context.Context, path string, answers chan<- answer) {
	f := s.folders.all[path]
	switch {
	case s.at.offline():
		answers <- answer{err: fmt.Errorf("%s %s", s.root, s.at.reason)}
	case f == nil || !s.at.surveyed():
		answers <- answer{err: fmt.Errorf("read %s: no known product folder: %w", path, ErrGone)}
	default:
		frames := func() []string { return f.live.frames() } // a cache may be old
		s.read(ctx, f, noWatches{}.Add, frames, func(ctx context.Context, f *folder, l listing, err error) {
			if err != nil {
				answers <- answer{err: err}
				s.takeRead(ctx, f, l, err)
				return
			}
			s.merge(ctx, f, l, source{answer: func(found Snapshot) { answers <- answer{found: found} }})
		})
	}
}

func (s *settler) refresh(ctx context.Context, path string) {
	f := s.folders.all[path]
	switch {
	case f == nil:
	case f.missed != nil && f.missed.absent.Reads > 0:
		s.report(ctx, f)
	case f.live != nil && !f.live.last.start.IsZero() && !s.at.offline():
		s.report(ctx, f)
	default:
		s.readNow(f)
		f.live.resend = true
	}
}

func (s *settler) setIdle(path string, fp Fingerprint) {
	f := s.folders.all[path]
	if f == nil {
		return
	}
	f.becomeIdle(fp)
	if v := f.live; v != nil && v.last.print == fp && v.still() && !v.resend && v.err == nil && !v.underway {
		s.drop(f)
	}
}

func (s *settler) forget(path string) {
	if f := s.folders.all[path]; f != nil && (f.missed != nil || f.aside) {
		s.remove(f)
	}
}
