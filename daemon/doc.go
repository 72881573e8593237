// Package daemon joins the tree of photos, the state file and the hosting service. It gives the
// product folders to workers, shows people the status of each, and takes their commands.
//
//	watcher    ─ Snapshot ─► daemon     a product folder as it is now
//	syncstate  ─ Record   ─► plan       the steps done so far
//	plan       ─ Step     ─► publish    the next thing owed
//	publish    ─ calls    ─► apiclient  one call, one request
//	publish    ─ Update   ─► syncstate  after every step that succeeds
//	daemon     ─ Status   ─► dashboard, command line, export
//
// An event is a hint; the disk and the state file are the truth. The package never creates, changes
// or removes a file below a root, and knows neither the dashboard nor the command line.
package daemon
