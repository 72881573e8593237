package daemon_test

import (
	"testing"

	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

const shortQuiet = `quiet = "60ms"
`

// count is how many folders are in a state.
func count(products []status.ProductStatus, state status.State) (n int) {
	for _, p := range products {
		if p.State == state {
			n++
		}
	}
	return n
}

// countOp counts the calls of an operation.
func countOp(calls []string, op string) (n int) {
	for _, c := range calls {
		if c == op {
			n++
		}
	}
	return n
}

func retry(t *testing.T, d *daemon.Daemon, key syncstate.Folder) {
	t.Helper()
	order(t, d, daemon.Retry, key)
}

func order(t *testing.T, d *daemon.Daemon, v daemon.Verb, key syncstate.Folder) {
	t.Helper()
	if err := d.Do(v, key); err != nil {
		t.Fatal(err)
	}
}
