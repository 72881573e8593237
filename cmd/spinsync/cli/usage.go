package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"spinsync/daemon/config"
	"spinsync/syncstate"
)

// A usageError is a mistake in the command line or in the configuration.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usage makes an error a mistake in the command line or in the configuration.
func Usage(err error) error { return usageError{err} }

// Usagef makes a usage error of a text.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }

// IsUsage reports whether an error is a mistake in the command line or in the configuration.
func IsUsage(err error) bool {
	return errors.As(err, new(usageError)) || errors.Is(err, syncstate.ErrPath)
}

// OnlyHolds makes a command that does nothing but hold others show its help, and name the nearest
// for one it lacks.
func OnlyHolds(c *cobra.Command) *cobra.Command {
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return UnknownCommand(c, args[0])
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	return c
}

// UnknownCommand is the error for a command that its holder lacks, with those that resemble it.
func UnknownCommand(holder *cobra.Command, name string) error {
	message := fmt.Sprintf("unknown command %q", name)
	var known []string
	for _, c := range holder.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	if near := config.Nearest(name, known); len(near) > 0 {
		return fmt.Errorf("%s; did you mean %s?", message, strings.Join(near, " or "))
	}
	return fmt.Errorf("%s; see %s --help", message, holder.CommandPath())
}
