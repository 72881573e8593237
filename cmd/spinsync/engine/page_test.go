package engine

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A page that cannot be served at first comes when it can, and the log is not filled with it.
func TestPageIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var log bytes.Buffer
		tries := 0
		go tryEachMinute(ctx, slog.New(slog.NewTextHandler(&log, nil)), func(ctx context.Context) error {
			if tries++; tries < 4 {
				return errors.New("cannot assign requested address")
			}
			<-ctx.Done()
			return nil
		})
		time.Sleep(time.Hour)
		synctest.Wait()
		cancel()
		synctest.Wait()
		if n := strings.Count(log.String(), "the page cannot be served"); tries != 4 || n != 1 {
			t.Errorf("it was tried %d times and told %d times", tries, n)
		}
	})
}
