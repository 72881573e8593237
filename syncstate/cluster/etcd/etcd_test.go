package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"spinsync/syncstate/cluster"
)

// TestClusterThatDoesNotAnswer keeps nobody from making a client, also one of a user, nor from closing it.
func TestClusterThatDoesNotAnswer(t *testing.T) {
	for _, user := range []string{"", "anna"} {
		c, err := Dial(Config{Endpoints: []string{"http://127.0.0.1:1"}, Username: user, Password: user})
		if err != nil {
			t.Fatalf("%q: %v", user, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		if _, err := c.Read(ctx, "a"); err == nil {
			t.Errorf("%q reads", user)
		}
		cancel()
		if err := c.Close(); err != nil {
			t.Errorf("%q: %v", user, err)
		}
	}
}

// TestMemberThatComesBack is found within seconds, however long it was away: each second it is tried again.
func TestMemberThatComesBack(t *testing.T) {
	t.Parallel()
	member, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer member.Close()
	const watched, least = 7 * time.Second, 6 // by itself etcd's client tries four times at most
	tried := make(chan struct{}, 100)
	go func() {
		for {
			conn, err := member.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
			tried <- struct{}{}
		}
	}()
	c, err := Dial(Config{Endpoints: []string{"http://" + member.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	etcd, err := c.etcd()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), watched)
	defer cancel()
	_, _ = etcd.Get(ctx, "a")
	<-ctx.Done()
	if n := len(tried); n < least {
		t.Errorf("it is tried %d times in %v, want at least %d", n, watched, least)
	}
}

// TestMemberThatCannotBeReached is told with the cause and the remedy. etcd's own client knows neither.
func TestMemberThatCannotBeReached(t *testing.T) {
	secure, plain := httptest.NewTLSServer(nil), httptest.NewServer(nil)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer secure.Close()
	defer plain.Close()
	for address, want := range map[string]string{
		"http://127.0.0.1:1": "nothing listens at 127.0.0.1:1; start its members, and see etcd in [fleet]",
		secure.URL:           "unknown authority; correct ca_file, cert_file and key_file in [fleet], and restart spinsync",
		strings.Replace(plain.URL, "http:", "https:", 1): "it speaks http",
	} {
		c, err := Dial(Config{Endpoints: []string{address}, TLS: &tls.Config{MinVersion: tls.VersionTLS12}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		if s := c.Survey(ctx); !strings.HasPrefix(s.Trouble, "the cluster does not answer: ") || !strings.Contains(s.Trouble, want) {
			t.Errorf("%s: %q, want %q", address, s.Trouble, want)
		}
		cancel()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestClusterThatRefuses: its error is another one than that of a cluster that does not answer, and has its remedy once.
func TestClusterThatRefuses(t *testing.T) {
	for _, is := range []error{rpctypes.ErrUserEmpty, rpctypes.ErrAuthFailed, rpctypes.ErrPermissionDenied} {
		err := (&Client{}).remedied(remedied(is), "http://127.0.0.1:1")
		said := unserved(err)
		if !errors.Is(err, cluster.ErrRefused) || !errors.Is(err, is) || strings.Count(said, ";") != 1 ||
			!strings.HasPrefix(said, "the cluster refuses this station: etcdserver: ") {
			t.Error(said)
		}
	}
	err := remedied(fmt.Errorf("%w: %w", cluster.ErrOpen, rpctypes.ErrNoSpace))
	if said := unserved(err); said != full || !errors.Is(err, rpctypes.ErrNoSpace) {
		t.Error("a full cluster:", said)
	}
	if err := remedied(remedied(context.DeadlineExceeded)); strings.Count(err.Error(), "start its members") != 1 {
		t.Error(err)
	}
}

// TestOutcomeInOneLine: it is known to be open, or a lease to be over, and is shown to people in a line.
func TestOutcomeInOneLine(t *testing.T) {
	for is, want := range map[error]error{
		context.DeadlineExceeded: cluster.ErrOpen, rpctypes.ErrLeaseNotFound: cluster.ErrExpired,
	} {
		err := outcomeOf(is)
		if !errors.Is(err, want) || !errors.Is(err, is) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %q", is, err)
		}
	}
}

// TestServes: older servers let strangers renew leases, or tell a user nothing of themselves.
func TestServes(t *testing.T) {
	for version, good := range map[string]bool{
		"3.4.99": false, "3.5.34": false, "3.5.35": true, "3.6.11": false, "3.6.12": true, "3.7.0": true, "4.0.0": true, "": false,
		"3.8.0-alpha.0": true,
	} {
		if serves(version) != good {
			t.Errorf("%q: %t", version, !good)
		}
	}
}
