package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manCommand is for whoever makes the packages.
func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", Short: "Write the man pages into DIR", Args: cobra.ExactArgs(1), Hidden: true,
		RunE: func(c *cobra.Command, args []string) error { return writeManPages(c.Root(), args[0]) },
	}
}

// writeManPages writes the page of a command and of those it holds, as spinsync-run.1.
func writeManPages(c *cobra.Command, dir string) error {
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	path := filepath.Join(dir, manName(c)+".1")
	if err := os.WriteFile(path, []byte(manPage(c)), 0o644); err != nil {
		return err
	}
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() || sub.Name() == "help" {
			continue
		}
		if err := writeManPages(sub, dir); err != nil {
			return err
		}
	}
	return nil
}

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage is the help of a command in the language of man. Its date stays empty, so that the same sources give the same page.
func manPage(c *cobra.Command) string {
	var b strings.Builder
	title := strings.ToUpper(manName(c))
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"spinsync\" \"spinsync\"\n", roff(title))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(manName(c)), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.nf\n%s\n.fi\n", roff(c.UseLine()))
	b.WriteString(".SH DESCRIPTION\n" + manText(c.Long, c.Short))
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(c.Example))
	}
	manOptions(&b, "OPTIONS", c.NonInheritedFlags())
	manOptions(&b, "OPTIONS OF ALL COMMANDS", c.InheritedFlags())
	manSeeAlso(&b, c)
	return b.String()
}

// manText keeps indented blocks as they stand, and lets man fill the paragraphs.
func manText(long, short string) string {
	if long == "" {
		long = short + "."
	}
	var b strings.Builder
	for i, paragraph := range strings.Split(strings.TrimSpace(long), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if strings.HasPrefix(paragraph, "  ") {
			fmt.Fprintf(&b, ".nf\n%s\n.fi\n", roff(paragraph))
			continue
		}
		b.WriteString(roff(paragraph) + "\n")
	}
	return b.String()
}

func manOptions(b *strings.Builder, heading string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", heading)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if value != "" {
			name += " " + value
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(name), roff(usage))
	})
}

func manSeeAlso(b *strings.Builder, c *cobra.Command) {
	var pages []string
	if c.HasParent() {
		pages = append(pages, manName(c.Parent()))
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			pages = append(pages, manName(sub))
		}
	}
	b.WriteString(".SH SEE ALSO\n")
	for i, page := range pages {
		end := ","
		if i == len(pages)-1 {
			end = ""
		}
		fmt.Fprintf(b, ".BR %s (1)%s\n", roff(page), end)
	}
}

// roff escapes what man would take for a command.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
