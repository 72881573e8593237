package renamed

import (
	"spinsync/daemon/plan"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// recorded is a frame of another folder. Its digest is nil as long as it was not sent.
type recorded struct {
	file   syncstate.File
	digest []byte
}

// recordedFrames are the frames of a folder's run, else the published ones, by name. A run that is
// owed may have none.
func recordedFrames(r syncstate.Record) map[string]recorded {
	known := map[string]recorded{}
	switch {
	case r.Run != nil && len(r.Run.Frames) > 0:
		for _, f := range r.Run.Frames {
			known[f.Name] = recorded{f.File, f.Digest}
		}
	case r.Published != nil:
		for _, f := range r.Published.Frames {
			known[f.Name] = recorded{f.File, f.Digest}
		}
	}
	return known
}

// fileAmong is the recorded name of a file, which its id tells; empty for one that is not recorded.
func fileAmong(f watcher.File, known map[string]recorded) string {
	is := plan.FileOf(f)
	if old, ok := known[f.Name]; ok && is.ID != "" && old.file.Same(is) {
		return f.Name
	}
	for name, old := range known {
		if is.Name = name; is.ID != "" && old.file.Same(is) {
			return name
		}
	}
	return ""
}
