package publish

// Nothing shows that a state file comes from a backup. What an earlier process began is therefore
// compared with the service before it goes on: nothing may be sent under a form that was closed
// since, and no other revision may pass for the run's own.

// A runCheck remembers whether the folder's run is unchecked: an earlier process began it, and it was not
// compared with the service yet.
type runCheck struct{ owed bool }

// done notes that the run was compared, or has begun in this process.
func (c *runCheck) done() { c.owed = false }

// owe notes that the folder has the run of another one, which may be unchecked.
func (c *runCheck) owe(unchecked bool) { c.owed = unchecked }
