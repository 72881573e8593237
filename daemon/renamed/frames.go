package renamed

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"spinsync/syncstate"
	"spinsync/watcher"
)

// recorded is a frame of another folder. Its digest is nil as long as it was not sent.
type recorded struct {
	file   syncstate.File
	digest []byte
}

// recordedFrames are the frames of a folder's run, else the published ones, by name.
func recordedFrames(r syncstate.Record) map[string]recorded {
	known := map[string]recorded{}
	switch {
	case r.Run != nil && len(r.Run.Frames) > 0:
		for _, f := range r.Run.Frames {
			known[f.Name] = recorded{f.File, f.Digest}
		}
	case r.Run == nil && r.Published != nil:
		for _, f := range r.Published.Frames {
			known[f.Name] = recorded{f.File, f.Digest}
		}
	}
	return known
}

// listingHash is the listing hash of frames: over their names, sizes and times. It is recorded
// before any frame is sent.
func listingHash(frames []watcher.File) string {
	sum := sha256.New()
	for _, f := range frames {
		fmt.Fprintf(sum, "%q %d %d\n", f.Name, f.Size, f.ModTime.UnixNano())
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// NoteAskedFor records the listing hash of the frames with a create or a reupload.
func NoteAskedFor(r *syncstate.Record, s watcher.Snapshot) {
	if s.Present {
		r.AskedFor = listingHash(s.Frames)
	}
}
