package control

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
)

// manyCommands are more than the daemon has connections for.
const manyCommands = 2 * mostConnections

// TestCommandsLeaveNothingBehind: no command keeps a connection, neither one that asks again and
// again, as status --watch does, nor a sync that is interrupted long before its folder is published.
func TestCommandsLeaveNothingBehind(t *testing.T) {
	dir := t.TempDir()
	_, service := daemontest.Service(t, sandbox.Options{Processing: time.Hour})
	c := daemontest.Config(t, dir, service, "frames = 1\nquiet = \"20ms\"")
	daemontest.Write(t, filepath.Join(dir, "shoots", "Summer", "SKU-1", "1.jpg"), daemontest.Photo("1"))
	d, end := daemontest.Open(t, daemon.Options{Config: c})
	t.Cleanup(end)
	t.Cleanup(daemontest.Start(t, d))
	serve(t, d, c.State.Path)
	for changed := d.Changed(); len(d.Status().Products) == 0; changed = d.Changed() {
		<-changed
	}
	many := func(name string, command func(*Client)) {
		for n := range manyCommands {
			client, err := Dial(t.Context(), c.State.Path)
			if err != nil {
				t.Fatalf("%s %d: %v", name, n, err)
			}
			command(client)
		}
	}
	many("status", func(client *Client) { _, _ = client.Status(t.Context()) })
	many("sync", func(client *Client) {
		interrupted, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := client.Sync(interrupted); interrupted.Err() == nil {
			t.Fatalf("a sync was not interrupted, but ended with %v", err)
		}
	})
}
