package publish

import (
	"testing"

	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A form takes files from exactly its smallest to exactly its largest size.
func TestSizesThatAFormAllows(t *testing.T) {
	form, open := &syncstate.Form{MinSize: 10, MaxSize: 20}, &syncstate.Form{MinSize: 10}
	for _, test := range []struct {
		form *syncstate.Form
		size int64
		fits bool
	}{{form, 9, false}, {form, 10, true}, {form, 20, true}, {form, 21, false}, {open, 21, true}} {
		err := fits(test.form, []watcher.File{{Size: 15}, {Size: test.size}})
		if (err == nil) != test.fits || err != nil && !outcome.Needs(err, status.WrongSize) {
			t.Errorf("%d bytes into %+v: %v", test.size, test.form, err)
		}
	}
}
