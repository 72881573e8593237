// Package simulation proves the promises of the daemon by letting it live through days that go
// wrong.
//
// Its tests run the whole daemon, again and again, each time with another seed. The seed
// determines the product folders and the studio's changes to them, the answers of the service
// where the interface leaves them open, the failures of the network and the service, and the
// moments at which the program is killed or a commit of the state file fails. Each kind of fault
// is switched on or off for the whole seed, and a failure names those that were on. Most days are
// minutes long and some hours; most studios have a few folders below up to three roots, and rare
// ones a hundred. The watcher, the state file, the HTTP client and the sandbox are the real ones.
// Only the connections are in memory, each for one request. Time is that of a testing/synctest
// bubble, so that hours pass in a moment. Two of three seeds have the strict service of package
// servicetest in place of the sandbox: it was written from the interface alone, refuses every
// request that the interface does not allow, and answers oddly where it may. Then everything is
// mended, and the daemon must become idle with every folder published. The judge checks its work
// against the service's journal, the history of the folders, the tree, the state file and the log.
//
// The days of a fleet have two or three computers. Each has a daemon, a state file and a mirror of the
// studio, which is late, over clustertest's model of the cluster. A paused process is one whose calls to
// the service and the cluster are held up.
//
//	go test ./daemon/simulation                        the amount for every change
//	go test ./daemon/simulation -seeds 100000          any other
//	go test ./daemon/simulation -seed 4711 -show       one, with all that happened
//	go test ./daemon/simulation -service strict        with the strict service in each of them
//
// A failure prints its seed, which repeats it. The crash sweep plays a few stories of a studio,
// each again and again, each time with one fault at one boundary: the daemon is killed before or
// after a request or a commit, or the request or commit fails. The boundaries are those that a run
// without a fault meets. The planted bugs are builds with a safeguard taken
// out; each must be caught here, or the simulation proves nothing.
//
//	go test ./daemon/simulation -run CrashSweep -story rename       one of the things
//	go test ./daemon/simulation -run CrashSweep -trial 317 -show    one trial, with its trace
//	go test ./daemon/simulation -run PlantedBugs -v                 with what each broke
package simulation
