package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/cli"
)

func versionCommand(call *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(call.Stdout, versionLine())
			return err
		},
	}
}

func versionLine() string {
	return fmt.Sprintf("spinsync %s %s %s/%s", cli.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
