//go:build !man

package main

import "github.com/spf13/cobra"

// manCommands are none in the program that people use.
func manCommands() []*cobra.Command { return nil }
