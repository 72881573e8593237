package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spinsync/cmd/spinsync/check"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/demo"
	"spinsync/cmd/spinsync/diagnose"
	"spinsync/cmd/spinsync/inspect"
	"spinsync/cmd/spinsync/remote"
	"spinsync/cmd/spinsync/setup"
	"spinsync/daemon/config"
)

const rootHelp = `spinsync watches folders of photos and publishes each product folder as a 360° view.

  spinsync demo     shows the whole job, with a hosting service of its own
  spinsync setup    asks for address, user, password and folder, and writes sync.toml
  spinsync check    finds problems and says how to fix them
  spinsync run      publishes until it is stopped

A watched folder is one [[watch]] in sync.toml. A product folder lies below it and
holds the photos of one product.

Without --config spinsync reads the first sync.toml that it finds: the person's
own, the system's, or the one in the working directory. spinsync check names it.

Exit codes:
  0    done
  1    something is not published, or a remote call failed
  2    wrong usage or configuration
  3    another spinsync uses the state file or a watched folder, or the state file
       is damaged (spinsync rebuild)
  130  interrupted; a run that Ctrl-C or SIGTERM stops cleanly ends with 0

NO_COLOR and a pipe turn colour and bars off.`

const (
	groupPublish = "publish"
	groupSteer   = "steer"
	groupService = "service"
)

func rootCommand(call *cli.Call, args []string) *cobra.Command {
	cobra.EnableCommandSorting = false // they are in the order in which a person meets them
	root := &cobra.Command{
		Use: "spinsync", Short: "Turn folders of photos into published 360° views",
		Long:          rootHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			err := flagsGoTogether(c)
			call.Understood = err == nil
			return err
		},
		Version:           versionLine(),
		CompletionOptions: cobra.CompletionOptions{DisableDescriptions: false},
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetArgs(args)
	root.SetIn(call.Stdin)
	root.SetOut(call.Stdout)
	root.SetErr(call.Stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		var invalid *pflag.InvalidValueError
		if errors.As(err, &invalid) {
			err = wrongValue(invalid)
		}
		if near := nearestFlags(c, err); len(near) > 0 {
			return fmt.Errorf("%w; did you mean %s?", err, strings.Join(near, " or "))
		}
		return fmt.Errorf("%w; see %s --help", err, c.CommandPath())
	})
	root.PersistentFlags().StringVar(&call.ConfigPath, "config", "",
		"read this `FILE` instead of the default sync.toml")
	root.PersistentFlags().Func("log-level", "log from this `LEVEL` on (debug, info, warn or error), whatever sync.toml says",
		func(s string) error {
			level, err := config.ParseLevel(s)
			call.LogLevel = &level
			return err
		})
	root.AddGroup(
		&cobra.Group{ID: groupPublish, Title: "Publishing:"},
		&cobra.Group{ID: groupSteer, Title: "Product folders:"},
		&cobra.Group{ID: groupService, Title: "The service:"},
	)
	addCommands(root, call)
	cli.OnlyHolds(root)
	explainArgs(root)
	return root
}

func addCommands(root *cobra.Command, call *cli.Call) {
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add(groupPublish, demo.Command(call), setup.Command(call), runCommand(call), syncCommand(call), planCommand(call),
		check.Command(call), inspect.Command(call))
	add(groupSteer, statusCommand(call), exportCommand(call), retryCommand(call), pauseCommand(call),
		resumeCommand(call), rushCommand(call), forgetCommand(call))
	add(groupService, serviceCommand(call), loginCommand(call), logoutCommand(call), diagnose.Command(call),
		rebuildCommand(call), fleetCommand(call), remote.Command(call), demo.SandboxCommand(call))
	root.AddCommand(versionCommand(call))
	root.AddCommand(manCommands()...)
	root.SetHelpCommand(helpCommand())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"})
	cli.OnlyHolds(completion)
}

// helpCommand is cobra's, but fails for a command that does not exist.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Explain a command",
		RunE: func(c *cobra.Command, args []string) error {
			about, unknown, err := c.Root().Find(args)
			switch {
			case err != nil:
				return cli.Usage(err)
			case len(unknown) > 0:
				return cli.Usage(cli.UnknownCommand(about, unknown[0]))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// flagsGoTogether refuses flags that exclude each other.
func flagsGoTogether(c *cobra.Command) error {
	if c.ValidateFlagGroups() == nil {
		return nil
	}
	var exclusive []string
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Annotations["cobra_annotation_mutually_exclusive"] != nil {
			exclusive = append(exclusive, "--"+f.Name)
		}
	})
	return fmt.Errorf("%s exclude each other; use one of them", strings.Join(exclusive, " and "))
}

// wrongValue is the error for the value of a flag, in the words of the flag's help.
func wrongValue(invalid *pflag.InvalidValueError) error {
	flag := invalid.GetFlag()
	wanted, _ := pflag.UnquoteUsage(flag)
	switch flag.Value.Type() {
	case "func": // its error is of this program
		return fmt.Errorf("--%s: %w", flag.Name, invalid.Unwrap())
	case "bool":
		wanted = "true or false"
	case "duration":
		wanted = "duration such as 300ms, 5s or 1m30s"
	case "int", "int64":
		wanted = "whole number"
	}
	return fmt.Errorf("%q is no %s, as --%s takes it", invalid.GetValue(), wanted, flag.Name)
}

// nearestFlags are the flags of a command that resemble the unknown flag in err.
func nearestFlags(c *cobra.Command, err error) []string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || len(unknown.GetSpecifiedName()) < 2 { // too short to compare
		return nil
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return config.Nearest("--"+unknown.GetSpecifiedName(), names)
}

// explainArgs makes every command that does something show how it is written when it gets too many
// or too few arguments.
func explainArgs(c *cobra.Command) {
	for _, held := range c.Commands() {
		explainArgs(held)
	}
	check := c.Args
	if check == nil || c.HasSubCommands() {
		return
	}
	if c.ValidArgsFunction == nil && check(c, []string{"FILE"}) != nil {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	c.Args = func(c *cobra.Command, args []string) error {
		if check(c, args) == nil {
			return nil
		}
		for n := len(args) - 1; n >= 0; n-- {
			if check(c, args[:n]) == nil {
				hint := ""
				if n > 0 {
					hint = "; write a name with spaces between quotes"
				}
				return fmt.Errorf("unexpected argument %q%s; usage: %s", args[n], hint, usageOf(c))
			}
		}
		return fmt.Errorf("an argument is missing; usage: %s", usageOf(c))
	}
}

// usageOf is how a command is written, without its flags.
func usageOf(c *cobra.Command) string { return strings.TrimSuffix(c.UseLine(), " [flags]") }
