package daemon

import (
	"encoding/json"
	"fmt"
	"time"

	"spinsync/daemon/status"
	"spinsync/watcher"
)

// notTaken says which photos in the folder are no frames, and why; nil for none.
func (s scene) notTaken() []status.Cause {
	if s.snapshot.NotTaken == nil {
		return nil
	}
	return []status.Cause{{Kind: status.SomeNotTaken, Said: NotTaken(s.snapshot.NotTaken)}}
}

// NotTaken says which photos are no frames, and why; empty for none.
func NotTaken(n *watcher.NotTaken) string {
	if n == nil {
		return ""
	}
	first := fmt.Sprintf("%s (%s)", status.Name(n.Files[0].File), n.Files[0].Why)
	if n.Count == 1 {
		return "not taken: " + first
	}
	return fmt.Sprintf("%d photos not taken: %s and %d more", n.Count, first, n.Count-1)
}

// notTakenText is how photos that are not taken are recorded.
func notTakenText(n *watcher.NotTaken) string {
	if n == nil {
		return ""
	}
	text, err := json.Marshal(n)
	if err != nil {
		panic(err) // a struct of strings and numbers
	}
	return string(text)
}

// notTakenOf reads what notTakenText wrote. What cannot be read is none.
func notTakenOf(text string) *watcher.NotTaken {
	var n watcher.NotTaken
	if json.Unmarshal([]byte(text), &n) != nil || n.Count == 0 || len(n.Files) == 0 {
		return nil
	}
	return &n
}

// planNoFrames is for a folder without frames. Photos that are not taken call a person when nothing
// has come beside them for long enough.
func (s scene) planNoFrames() step {
	others := s.notTaken()
	called := &status.Cause{Kind: status.OnlyNotTaken, Parts: others}
	switch {
	case others == nil:
		return step{action: rest, state: Collecting, cause: because(status.NoFrames)}
	case s.isQuiet(), s.saidBefore(called):
		return attention(called)
	}
	until := s.snapshot.Changed.Add(max(s.rules.quiet, time.Second))
	none := &status.Cause{Kind: status.NoneTaken, Parts: others}
	return step{action: wait, state: Collecting, until: until, quiet: until, cause: none}
}
