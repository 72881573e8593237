package plan

import "time"

// How long things wait, each with its reason.
const (
	// A temporary file may become a large export. A file without a write for ten minutes was left
	// behind.
	busyPatience = 10 * time.Minute
	// A network drive may report a write this late (nfs(5), acregmax).
	attributeCache = time.Minute
	// Two reads this far apart distinguish a removed folder from one that is being replaced.
	AbsenceSpan = 5 * time.Second
	// A root that is away is back after hours more often than after seconds.
	elsewherePause = time.Minute
	// A view without a folder may have been deleted by hand.
	verifyPause = 24 * time.Hour
	// A form that ends sooner than this would end during an upload.
	formMargin = time.Minute
	// A folder that changed under a step is planned again when the watcher has seen it, at the
	// latest after this.
	ChangedPause = time.Second
	// A file is tried again that this account may not read.
	AccessPause = 20 * time.Second
	// How often a folder with something to do checks whether its root is back.
	offlinePause = 10 * time.Second
	// A half-written file is waited for before a person is called: a slow writer is done then. The
	// wait begins when the file was last written to or, where the drive does not report that, first
	// read.
	BrokenPatience = time.Minute
)
