// Package daemon joins the tree of photos, the state file and the hosting service. It decides which
// step each product folder needs, does one step at a time, and records it.
//
//	watcher    ─ Snapshot ─► daemon     a product folder as it stands now
//	syncstate  ─ Record   ─► plan       the steps done so far
//	plan       ─ step     ─► job        the next thing owed
//	job        ─ calls    ─► apiclient  one call, one request
//	job        ─ Update   ─► syncstate  after every step that succeeds
//	daemon     ─ Status   ─► dashboard, command line, export
//
// An event is a hint; the disk and the state file are the truth. plan is pure: it turns a
// scene into the next step, and a preview prints that step. The program may die between any two
// steps. The record then suffices to go on without repeating a step that must happen once.
//
// The package never creates, changes or removes a file below a root, never retries inside a step (a
// failure is recorded and waited for), and knows neither the dashboard nor the command line.
package daemon
