package watcher

// hints are events gathered since the last delivery. Each is only a reason to look.
type hints struct {
	paths map[string]change // slash-separated below the root; "" is the root itself
	lost  string            // why events may be missing, "" = none is known to be
	from  watchSet          // nil in tests
}

// change says what events told about a path; several may be true.
type change uint8

const (
	appeared  change = 1 << iota // made, or moved in
	altered                      // written to
	gone                         // removed, or moved away
	unwatched                    // it was a directory with a watch, which has ended
	touched                      // its times or attributes changed; its bytes may not have
)

// watchSet is the watches on the directories of one root. The tests of the settling have one of
// their own and send the hints themselves.
type watchSet interface {
	// add makes sure that dir is watched, if the number of watches allows it. It may block, so the
	// goroutine that receives the hints must not call it.
	add(dir string, r rank)
	has(dir string) bool
	count() int
	complete() bool // every product folder can be watched, and none was refused
	close()
}

// noWatches is the watchSet of network drives, of Poll, and of a system without watches to spare.
type noWatches struct{}

func (noWatches) add(string, rank) {}
func (noWatches) has(string) bool  { return false }
func (noWatches) count() int       { return 0 }
func (noWatches) complete() bool   { return false }
func (noWatches) close()           {}
