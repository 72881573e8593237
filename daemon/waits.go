package daemon

import (
	"time"

	"spinsync/daemon/hosting"
)

const (
	// Work that has not ended by then, when all is to stop, waits for a drive that does not answer.
	stopPatience = hosting.AnswerGrace + 5*time.Second
	// So long the last request of a station that died may take, which had begun before.
	lastRequest = 5 * time.Second
	// A state file that fails this often in a row, each time within reopenMemory of the last, will
	// not heal by itself.
	reopenTries  = 8
	reopenMemory = 10 * time.Minute
	// The disk of the state file is checked for room at least this often.
	fullPause = 5 * time.Second
)
