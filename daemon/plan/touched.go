package plan

// A Touch is the time of a file's last change, kept for each frame from before it is sent to the
// finish. A program may write into a file and put its time back, but not this one.
type Touch struct {
	Changed int64
	Stood   bool // for as long as settle, when it was about to be sent
	Times   int  // that it was found to be another
}
