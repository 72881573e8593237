package daemon

import (
	"testing"

	"spinsync/syncstate"
)

// A folder that is only looked at, and is found as it was, has been in its state all the while.
func TestSinceOutlastsALook(t *testing.T) {
	reading, verifying, uploading := step{action: read}, step{action: verify}, step{action: upload}
	for name, test := range map[string]struct {
		steps []step // with the states that are told meanwhile
		via   State
		kept  bool
	}{
		"nothing done": {nil, "", true},
		"looked at":    {[]step{verifying, reading}, Processing, true},
		"worked on":    {[]step{reading, uploading}, Uploading, false},
		"paused":       {[]step{{action: rest}}, Paused, false},
	} {
		key := syncstate.Folder{Root: "/shoots", Path: "SKU-1"}
		was := ProductStatus{Root: key.Root, Folder: key.Path, State: Published, Since: noon}
		d := &Daemon{folders: map[syncstate.Folder]*folder{key: {status: was}}, news: make(chan struct{})}
		show := func(s step, state State) ProductStatus {
			told := ProductStatus{Root: key.Root, Folder: key.Path, State: state}
			d.show(&told, s.looks())
			return told
		}
		for _, s := range test.steps {
			show(s, test.via)
		}
		if got := show(step{action: rest}, Published); got.Since.Equal(noon) != test.kept {
			t.Errorf("%s: published since %s", name, got.Since)
		}
	}
}
