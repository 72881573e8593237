package etcd

import (
	"context"
	"testing"
	"time"
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
