package control

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

// TestImpostorLearnsNothing: another program may get the port of a daemon that was killed, and know
// its process. It does not know the token, so the client rejects it and sends it no token.
func TestImpostorLearnsNothing(t *testing.T) {
	heard := make(chan string, 1)
	impostor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heard <- r.Header.Get("Authorization")
		json.NewEncoder(w).Encode(map[string]any{"pid": os.Getpid(), "proof": r.Header.Get(nonceHeader)})
	}))
	defer impostor.Close()
	_, statePath := newDaemon(t)
	dead := endpoint{Address: impostor.Listener.Addr().String(), Token: "the token", PID: os.Getpid()}
	if err := dead.write(statePath); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(t.Context(), statePath); !errors.Is(err, ErrNoDaemon) {
		t.Errorf("it is found to be %v", err)
	}
	if text := <-heard; text != "" {
		t.Errorf("it got %q", text)
	}
}

// TestStrangersHoldNoConnections: who does not know the token keeps no connection, and nobody has
// more than a few.
func TestStrangersHoldNoConnections(t *testing.T) {
	d, statePath := newDaemon(t)
	serve(t, d, statePath)
	at := endpointOf(t, statePath)
	ends := func(c net.Conn) error {
		c.SetReadDeadline(time.Now().Add(4 * time.Second))
		_, err := io.Copy(io.Discard, c)
		return err
	}
	dial := func() net.Conn {
		c, err := net.Dial("tcp", at.Address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	for _, path := range []string{"/status", "/hello"} {
		c := dial()
		io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if err := ends(c); err != nil {
			t.Errorf("after %s the connection stays open: %v", path, err)
		}
	}
	for range mostConnections {
		dial()
	}
	if err := ends(dial()); err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("one more than the most stays open: %v", err)
	}
}
