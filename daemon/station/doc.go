// Package station is this computer's place in a fleet. It joins the cluster, has the state file follow
// it, and takes the work when package fleet says so: it begins an epoch, has the daemon of that epoch
// made, and ends it again.
//
// One goroutine decides. Beside it one renews the lease for as long as the daemon's loop takes its
// turns, and one follows the cluster.
package station
