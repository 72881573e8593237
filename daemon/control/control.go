// Package control lets the other commands reach a running daemon. The daemon calls Serve, a command
// calls Dial.
//
// They speak HTTP with JSON on a loopback port of the system's choice, behind a token. Address and
// token are in a file next to the state file. Only the file's owner can read it, so exactly those
// users who may read the state may steer the daemon.
package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// ErrNoDaemon means that no daemon works on the state file.
var ErrNoDaemon = errors.New("no daemon is running")

// An endpoint is where a daemon listens.
type endpoint struct {
	Address string `json:"address"` // host:port
	Token   string `json:"token"`
	PID     int    `json:"pid"`
}

func endpointFile(statePath string) string { return statePath + ".control" }

// write puts the endpoint in place as a whole, so that no reader sees half of it.
func (e endpoint) write(statePath string) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	name := endpointFile(statePath)
	temporary, err := createPrivate(name)
	if err != nil {
		return err
	}
	_, err = temporary.Write(data)
	err = errors.Join(err, temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), name)
	}
	if err != nil {
		os.Remove(temporary.Name())
	}
	return err
}

func readEndpoint(statePath string) (endpoint, error) {
	data, err := os.ReadFile(endpointFile(statePath))
	if errors.Is(err, os.ErrNotExist) {
		return endpoint{}, ErrNoDaemon
	}
	if err != nil {
		return endpoint{}, err
	}
	var e endpoint
	if err := json.Unmarshal(data, &e); err != nil {
		return endpoint{}, fmt.Errorf("%s: %w; remove it when no daemon is running", endpointFile(statePath), err)
	}
	return e, nil
}
