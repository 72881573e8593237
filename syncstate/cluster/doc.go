// Package cluster is what the stations of a fleet share: which of them is active, and the decisions
// that all of them know. It knows keys and bytes, and no folder.
//
// One station is active at a time, in an epoch. An epoch begins when the station writes its name to
// the key "active", which hangs on the lease of the station, and ends when the key goes. Each
// transaction of an epoch compares that key, so that nothing of an epoch is written after its end.
//
// A transaction whose answer is lost may still arrive, minutes later. So each one also compares the
// key "counter" and raises it: a late copy finds another counter and does nothing. The counter's
// value has a random id, by which a lost answer is settled: it is read until it tells whether the
// transaction is done.
//
// Time counts from before a lease was renewed, by a clock that runs while the machine sleeps.
package cluster
