// Package control lets the other commands reach a running daemon. The daemon calls Serve, a command
// calls Dial.
//
// They speak HTTP with JSON, on Unix systems over a socket beside the state file that its owner alone
// may use, on Windows over a loopback port, behind a token in a file there. So exactly those users who
// may change the state may steer the daemon.
package control

import (
	"errors"
	"net"
	"net/http"
)

// ErrNoDaemon means that no daemon works on the state file.
var ErrNoDaemon = errors.New("no daemon is running")

// meetingFile is where the commands find the daemon of a state file.
func meetingFile(statePath string) string { return statePath + ".control" }

// An entrance is where a daemon can be reached.
type entrance struct {
	listener net.Listener
	handler  http.Handler // of those who may enter
	remove   func()
}
