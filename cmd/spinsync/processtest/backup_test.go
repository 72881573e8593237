package processtest

import (
	"os"
	"testing"
)

// With a state file from an old backup the program compares everything with the service: nothing is
// made twice, no mix is published, and in the end the views are as the folders.
func TestRestoredBackup(t *testing.T) {
	t.Parallel()
	random := newRandom(t)
	w := newStudio(t, random)
	for _, s := range w.shoots {
		// SKU and title are what a forgotten product is recognised by, and a text that the state
		// file does not know of counts as somebody else's.
		s.framesOnly = true
	}
	var backups [][]byte
	for range repeats(30, 300) {
		w.killOnce()
		w.check()
		w.service.busy.Wait()
		switch random.IntN(4) {
		case 0, 1:
			if data, err := os.ReadFile(w.state); err == nil { // a kill may come before it was made
				backups = append(backups, data)
			}
		case 2:
			if len(backups) > 0 {
				must(t, os.WriteFile(w.state, backups[random.IntN(len(backups))], 0o600))
			}
		}
	}
	w.replaces = true // a folder that was shot again since the backup
	w.converge()
}
