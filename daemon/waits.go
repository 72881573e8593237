package daemon

import (
	"time"

	"spinsync/daemon/outcome"
)

// How long things wait, each with its reason.
const (
	// A drive that does not tell within this time whether a folder stands there keeps no folder of
	// another one waiting.
	standsPatience = 2 * time.Second
	// A temporary file may become a large export. A file without a write for ten minutes was left
	// behind.
	busyPatience = 10 * time.Minute
	// A network drive may tell of a write this late (nfs(5), acregmax).
	attributeCache = time.Minute
	// Two looks this far apart tell a removed folder from a folder that is being replaced.
	absenceSpan = 5 * time.Second
	// A view without a folder may have been deleted by hand.
	verifyPause = 24 * time.Hour
	// An upload that a state file from a backup does not know is processed by then, or was never
	// finished.
	unknownPatience = 10 * time.Minute
	// A request whose answer was lost may still arrive for this long.
	deletePatience = 2 * time.Minute
	// A form that ends sooner than this would end during an upload.
	formMargin = time.Minute
	// A form that is too old within this time was never of use.
	formFresh = 10 * time.Second
	// The answer to a create is worth waiting for when the program stops: without it a look for the
	// orphan is due.
	createGrace = 10 * time.Second
	// Work that has not ended by then, when all is to stop, waits for a drive that does not answer.
	stopPatience = createGrace + 5*time.Second
	// A service that refuses the password locks accounts that go on knocking.
	rejectedPause = 5 * time.Minute
	// What waits for a host tries it as soon as its pause is over, or within this time.
	abandonedAfter = 10 * time.Minute
	// A captive portal or a machine whose clock is not set yet is through after this; what bars the
	// way longer needs a person.
	barredPatience = time.Minute
	// Alt texts that were read this long ago may have been changed by others since.
	freshList = 10 * time.Second
	// So many alt texts follow from one list at most: fewer lists cost the service less, more lists
	// lose less of what others write.
	changesPerList = 250
	// A folder that changed under a step is planned again when the watcher has seen it, at the
	// latest after this.
	changedPause = time.Second
	// A file is tried again that this account may not read.
	accessPause = 20 * time.Second
	// A sidecar that another program keeps locked is tried again.
	unreadPause = time.Minute
	// A product that belongs to another folder may get another SKU or title, for instance because
	// that one was renamed.
	ownerPause = time.Minute
	// A folder with something to do below a root that went away looks again whether the root is
	// back.
	offlinePause = 10 * time.Second
	// A state file that fails this often in a row, each time within mendMemory of the last, will
	// not heal by itself.
	mendTries  = 8
	mendMemory = 10 * time.Minute
	// Room on the disk of the state file is looked for this often at least.
	fullPause = 5 * time.Second
	// No try is put off for longer, jitter included, but for that of a status request.
	longestRetry = outcome.LongestRest + time.Minute
	// The interface does not show which refusals pass by themselves, so each is tried this often
	// before a person is asked.
	refusals = 3
	// A list of images that contradicts the manifest gets this many looks before a person is asked.
	wrongLists = 5
)

// brokenPatience is how long a file that a program left half written is waited for before a person
// is told: a slow writer is through by then. It begins when the file was last written to or, where
// the drive does not tell that, first read.
var brokenPatience = time.Minute

// lookPauses are the waits before each look for something whose creation was not answered. A list
// may lag behind the create; after the last look it is certain enough that nothing was made.
var lookPauses = []time.Duration{2 * time.Second, 20 * time.Second, 2 * time.Minute}

// retryPause is the wait before try n (from 1): full jitter below a doubling bound, so that many
// folders that failed together do not come back together.
func retryPause(n int, random func(int64) int64) time.Duration {
	return jitter(doubled(2*time.Second, n-1, 5*time.Minute), random)
}

func doubled(base time.Duration, times int, most time.Duration) time.Duration {
	for range min(times, 32) {
		if base *= 2; base >= most {
			return most
		}
	}
	return base
}

func jitter(most time.Duration, random func(int64) int64) time.Duration {
	const least = 250 * time.Millisecond
	return least + time.Duration(random(int64(most)))
}
