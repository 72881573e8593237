// Package daemon joins the tree of photos, the state file and the hosting service: it decides what
// is owed for each product folder, does it one step at a time, and records each step as it is done.
//
//	watcher    ─ Snapshot ─► daemon     a product folder as it stands now
//	syncstate  ─ Record   ─► plan       what was done before
//	plan       ─ step     ─► job        the next thing owed
//	job        ─ calls    ─► apiclient  one call, one request
//	job        ─ Update   ─► syncstate  after every step that succeeds
//	daemon     ─ Status   ─► dashboard, command line, export
//
// An event is a hint; the disk and the state file are the truth. plan is pure: it sees a scene and
// says the next step, so that a preview is its output printed. Between any two steps the program
// may die; what is recorded then is enough to go on without repeating what must not be repeated.
//
// The package never creates, changes or removes a file below a root, never retries inside a step (a
// failure is recorded and waited for), and knows neither the dashboard nor the command line.
package daemon
