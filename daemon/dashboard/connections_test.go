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

	"spinsync/daemon"
)

// TestOneAddressHasFewConnections: who opens one connection after the other takes no descriptor
// from photos, and gets no more than a part of the page's.
func TestOneAddressHasFewConnections(t *testing.T) {
	s := newStudio(t, "", Options{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	page, err := New(daemon.NewLive(s.d), Options{Listen: listener.Addr().String(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	serving.Go(func() { page.Serve(ctx, listener) })
	defer serving.Wait()
	defer stop()
	var last net.Conn
	for range mostOfOne + 1 {
		if last, err = net.Dial("tcp", listener.Addr().String()); err != nil {
			t.Fatal(err)
		}
		defer last.Close()
	}
	last.SetReadDeadline(time.Now().Add(4 * time.Second))
	if _, err := io.Copy(io.Discard, last); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("one more than the most stays open")
	}
}
