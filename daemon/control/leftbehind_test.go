package control

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// manyCommands are more than the daemon has connections for.
const manyCommands = 40

// Commands leave no connection behind: neither one that asks again and again, as status --watch does, nor a sync
// that was interrupted while the service processed a view.
func TestCommandsLeaveNothingBehind(t *testing.T) {
	dir := t.TempDir()
	_, service := daemontest.Service(t, sandbox.Options{Processing: time.Hour})
	c := daemontest.Config(t, dir, service, "frames = 1\nquiet = \"20ms\"")
	daemontest.Write(t, filepath.Join(dir, "shoots", "Summer", "SKU-1", "1.jpg"), daemontest.Photo("1"))
	d, end := daemontest.Open(t, daemon.Options{Config: c})
	t.Cleanup(end)
	t.Cleanup(daemontest.Start(t, d))
	serve(t, d, c.State.Path)
	for len(d.Status().Products) == 0 || d.Status().Products[0].State != status.Processing {
		<-d.Changed()
	}
	commands := map[string]func(context.Context, *Client){
		"status": func(ctx context.Context, client *Client) { _, _ = client.Status(ctx) },
		"sync": func(ctx context.Context, client *Client) {
			interrupted, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
			defer cancel()
			_ = client.Sync(interrupted)
		},
	}
	for name, command := range commands {
		for n := range manyCommands {
			client, err := Dial(t.Context(), c.State.Path)
			if err != nil {
				t.Fatalf("%s %d: %v", name, n, err)
			}
			command(t.Context(), client)
		}
	}
}
