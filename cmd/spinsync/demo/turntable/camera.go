package turntable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// pieces is in how many writes a frame arrives.
const pieces = 6

// Camera photographs the shoot into dir, which it makes, as a capture program
// does: one frame each time every has passed, written in pieces under a
// temporary name over half of that time, then renamed. The sidecars with the
// alt texts come before the last frame, so that the last one completes the
// folder. With only, just those frames are taken (again) and no sidecars are
// written. When ctx ends, Camera returns its error and leaves no temporary file.
func Camera(ctx context.Context, dir string, s Shoot, every time.Duration, only []int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	frames := only
	if only == nil {
		for i := range s.Frames {
			frames = append(frames, i)
		}
	}
	for n, i := range frames {
		shutter := time.Now()
		last := n == len(frames)-1
		if last && only == nil {
			if err := s.writeSidecars(dir); err != nil {
				return err
			}
		}
		if err := s.take(ctx, filepath.Join(dir, s.Name(i)), i, every/2); err != nil {
			return fmt.Errorf("take %s: %w", s.Name(i), err)
		}
		if last {
			break
		}
		if err := pause(ctx, every-time.Since(shutter)); err != nil {
			return err
		}
	}
	return nil
}

func (s Shoot) writeSidecars(dir string) error {
	sidecars, err := s.sidecars()
	if err != nil {
		return err
	}
	for name, content := range sidecars {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// take writes one frame in the given time and puts it in its place.
func (s Shoot) take(ctx context.Context, path string, i int, within time.Duration) error {
	var frame bytes.Buffer
	if err := s.WriteFrame(&frame, i, time.Now()); err != nil {
		return err
	}
	temporary := path + ".tmp"
	if err := trickle(ctx, temporary, frame.Bytes(), within/pieces); err != nil {
		os.Remove(temporary)
		return err
	}
	return os.Rename(temporary, path)
}

// trickle writes a file in pieces with a gap after each.
func trickle(ctx context.Context, path string, content []byte, gap time.Duration) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for piece := range slices.Chunk(content, len(content)/pieces+1) {
		if _, err := file.Write(piece); err != nil {
			return err
		}
		if err := pause(ctx, gap); err != nil {
			return err
		}
	}
	return nil
}

// pause waits, and reports when ctx has ended even if there is nothing to wait for.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
