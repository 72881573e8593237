package sandbox_test

import (
	"testing"

	"spinsync/apiclient/sandbox"
)

// BenchmarkOpenAndClose is what every simulated life pays for its service.
func BenchmarkOpenAndClose(b *testing.B) {
	users := []sandbox.User{{Name: user, Password: password, CanEdit: true}}
	for b.Loop() {
		box, err := sandbox.New(sandbox.Options{Dir: b.TempDir(), Users: users, NoSync: true})
		if err != nil {
			b.Fatal(err)
		}
		box.Close()
	}
}
