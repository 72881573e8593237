package publish

import (
	"testing"
	"testing/synctest"
	"time"

	"spinsync/syncstate"
)

// TestViews: a view counts 90 s after the station joined, or after the record's last change arrived, by
// the station's own clock.
func TestViews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, shoe, boot := NewViews(), syncstate.Folder{Path: "shoe"}, syncstate.Folder{Path: "boot"}
		left := func(f syncstate.Folder) time.Duration {
			return time.Until(v.of(f, time.Now()).From).Round(time.Second)
		}
		time.Sleep(time.Minute)
		v.Changed([]syncstate.Folder{shoe})
		time.Sleep(10 * time.Second)
		if left(shoe) != 80*time.Second || left(boot) != 20*time.Second {
			t.Errorf("left: %v and %v", left(shoe), left(boot))
		}
		v.Believe(shoe)
		if !v.of(shoe, time.Now()).Seen || v.of(boot, time.Now()).Seen {
			t.Error("what was seen is not known")
		}
		v.Begin()
		if v.of(shoe, time.Now()).Seen {
			t.Error("what was seen counts in another epoch")
		}
		shared := syncstate.Folder{Root: "/srv", Path: "shoe"}
		v.Believe(shared, boot)
		v.Mounted("/srv", false)
		v.Believe(shared) // as it was before
		time.Sleep(time.Hour)
		v.Mounted("/srv", true)
		if left(shared) != 90*time.Second || v.of(shared, time.Now()).Seen || !v.of(boot, time.Now()).Seen {
			t.Error("a drive that comes back is believed at once, or another one is not")
		}
		v.Believe(shared)
		v.Mounted("/srv", true)
		if !v.of(shared, time.Now()).Seen {
			t.Error("a drive that stays is not believed")
		}
		v.Changed([]syncstate.Folder{boot})
		if len(v.changed) != 1 {
			t.Errorf("%d changes are kept", len(v.changed))
		}
		if alone := (*Views)(nil); alone.of(shoe, time.Now()) != nil {
			t.Error("a computer alone waits")
		}
	})
}
