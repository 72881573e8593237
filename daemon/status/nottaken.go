package status

import (
	"encoding/json"
	"fmt"

	"spinsync/watcher"
)

// NotTaken names the photos that are no frames, and why; empty for none.
func NotTaken(n *watcher.NotTaken) string {
	if n == nil {
		return ""
	}
	first := fmt.Sprintf("%s (%s)", Name(n.Files[0].File), n.Files[0].Why)
	if n.Count == 1 {
		return "not usable: " + first
	}
	return fmt.Sprintf("%d photos are not usable: %s and %d more", n.Count, first, n.Count-1)
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
