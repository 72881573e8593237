package plan

// A program may write into a file and put its time back. On a disk of the machine's own the time of
// its last change tells: it is kept for each frame from before it is sent to the finish, by the
// process that sends it.
type Touch struct {
	Changed int64
	Stood   bool // for as long as settle, when it was about to be sent
	Times   int  // that it was found to be another
}
