//go:build man

package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommands writes the man pages for the packages, with `go run -tags man ./cmd/spinsync man DIR`:
// the program itself carries no parser of Markdown. SOURCE_DATE_EPOCH dates the pages.
func manCommands() []*cobra.Command {
	return []*cobra.Command{{
		Use: "man DIR", Short: "Write the man pages into DIR", Args: cobra.ExactArgs(1), Hidden: true,
		RunE: func(c *cobra.Command, args []string) error { return writeManPages(c.Root(), args[0]) },
	}}
}

// writeManPages writes the page of a command and of those it holds, as spinsync-run.1.
func writeManPages(root *cobra.Command, dir string) error {
	root.DisableAutoGenTag = true
	indentBlocks(root)
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "spinsync", Manual: "spinsync"}, dir)
}

// indentBlocks has Markdown, which the pages are made by way of, keep indented lines as they stand.
func indentBlocks(c *cobra.Command) {
	c.Long = strings.ReplaceAll(c.Long, "\n  ", "\n    ")
	for _, sub := range c.Commands() {
		indentBlocks(sub)
	}
}
