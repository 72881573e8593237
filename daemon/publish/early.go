package publish

import (
	"slices"

	"spinsync/syncstate"
)

// mayHurry reports whether frames of the folder may be sent early. On a network drive the second
// reading costs more than the time that is gained.
func (j *Job) mayHurry() bool { return !j.rash && !j.OnNetwork() }

// wasRash notes that a frame was premature: it was sent early, and came to rest with other content.
func (j *Job) wasRash(sent []syncstate.RunFrame) {
	j.rash = j.rash || slices.ContainsFunc(sent, func(f syncstate.RunFrame) bool { return f.Early })
}
