// Package cli is what the commands share: what the process gave, sync.toml, the hosting service's
// client, and how a mistake in the command line is told.
package cli

import (
	"io"

	"spinsync/cmd/spinsync/terminal"
)

// Call is what the commands share: what the process gave, and the flags of all commands.
type Call struct {
	Env            func(string) string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	ConfigPath     string // as --config names it; empty for the default
	Understood     bool   // the command line was, so that what fails now is not its fault
	Endless        bool   // the command goes on until Ctrl-C, of which nothing is to be told
}

// Fancy tells whether a stream may have colour and bars.
func (call *Call) Fancy(stream any) bool {
	_, ok := terminal.IsTerminal(stream)
	return ok && call.Env("NO_COLOR") == "" && call.Env("TERM") != "dumb"
}
