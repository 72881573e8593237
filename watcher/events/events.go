// Package events turns the events of the operating system into hints about directories below a
// root: Open the root, Add directories, and Drain the hints.
//
// Only this package uses fsnotify, and on Windows ReadDirectoryChangesW. It keeps to the number of
// watches that the system allows, and reports when events may be missing.
package events

// Hints are events gathered since the last delivery. Each is only a reason to read.
type Hints struct {
	Paths map[string]Change // slash-separated below the root; "." is the root itself
	Lost  string            // why events may be missing, "" = none is known to be
	From  *Watches          // nil in tests
}

// Change is what events reported about a path; several may be true.
type Change uint8

// What may have happened to a path.
const (
	Appeared  Change = 1 << iota // made, or moved in
	Altered                      // written to
	Gone                         // removed, or moved away
	Unwatched                    // it was a directory with a watch, which has ended
	Touched                      // its times or attributes changed; its bytes may not have
)

// Rank is the worth of a watch on a directory where the number of watches is limited.
type Rank int

// The ranks, the least first.
const (
	IdleFolder   Rank = iota // a product folder met by a reading of the tree
	ActiveFolder             // a product folder where something happens
	Above                    // the root or a directory between it and product folders
)
