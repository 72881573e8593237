package daemon

import (
	"errors"
	"testing"

	"spinsync/apiclient"
	"spinsync/syncstate"
)

// TestRefusalsAreCountedApart: what passes by itself, however often it comes, takes no try away from a refusal.
func TestRefusalsAreCountedApart(t *testing.T) {
	busy, refused := errors.New("connection reset"), &apiclient.Error{Status: 403}
	for _, test := range []struct {
		name     string
		failures []error
		final    bool
	}{
		{"a refusal after many that pass", []error{busy, busy, busy, busy, refused}, false},
		{"refusals in a row", []error{refused, refused, refused}, true},
		{"refusals between those that pass", []error{refused, busy, refused, busy, refused}, true},
		{"one that passes after refusals", []error{refused, refused, busy}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := &job{d: &Daemon{random: func(int64) int64 { return 0 }}}
			var trouble *syncstate.Trouble
			for _, failure := range test.failures {
				trouble = j.troubleOf(trouble, failure)
			}
			if final := trouble.NextTry.IsZero(); final != test.final {
				t.Errorf("final %t after %v: %+v", final, test.failures, trouble)
			}
		})
	}
}
