package main

import "io"

// app is what the commands share: what the process gave, and the flags of all commands.
type app struct {
	env            func(string) string
	stdin          io.Reader
	stdout, stderr io.Writer
	configPath     string // as --config names it; empty for the default
	understood     bool   // the command line was, so that what fails now is not its fault
	endless        bool   // the command goes on until Ctrl-C, of which nothing is to be told
}

// fancy tells whether a stream may have colour and bars.
func (a *app) fancy(stream any) bool {
	_, ok := terminal(stream)
	return ok && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb"
}
