package dashboard

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"spinsync/apiclient/servicetest"
	"spinsync/daemon"
)

// TestOneAddressHasFewConnections: who opens one connection after the other takes no descriptor
// from photos, and gets no more than a part of the page's.
func TestOneAddressHasFewConnections(t *testing.T) {
	inStudio(t, "", Options{}, func(t *testing.T, s *studio) {
		network := servicetest.NewNetwork()
		page, err := New(daemon.NewLive(s.d), Options{Listen: "127.0.0.1:8360", Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var serving sync.WaitGroup
		serving.Go(func() { page.Serve(ctx, network) })
		defer serving.Wait()
		defer stop()
		var last net.Conn
		for range mostOfOne + 1 {
			if last, err = network.Dial(ctx, "", ""); err != nil {
				t.Fatal(err)
			}
			defer last.Close()
		}
		last.SetReadDeadline(time.Now().Add(4 * time.Second))
		if _, err := io.Copy(io.Discard, last); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("one more than the most stays open")
		}
	})
}
