package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// usageError is a mistake in the command line or in the configuration.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usageErrorf(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// onlyHolds makes a command that does nothing but hold others show its help, and name the nearest
// for one it lacks.
func onlyHolds(c *cobra.Command) *cobra.Command {
	c.SuggestionsMinimumDistance = 2
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknownCommand(c, args[0])
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	return c
}

func unknownCommand(holder *cobra.Command, name string) error {
	message := fmt.Sprintf("unknown command %q", name)
	if near := holder.SuggestionsFor(name); len(near) > 0 {
		return fmt.Errorf("%s; did you mean %s?", message, strings.Join(near, " or "))
	}
	return fmt.Errorf("%s; see %s --help", message, holder.CommandPath())
}
