package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
)

func versionCommand(call *cli.Call) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return terminal.JSON(call.Stdout, thisVersion())
			}
			_, err := fmt.Fprintln(call.Stdout, versionLine())
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// A programVersion is the version of this program.
type programVersion struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"` // empty where the build knew none
	Modified bool   `json:"modified"`
	Time     string `json:"time"` // of the commit
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

func thisVersion() programVersion {
	v := programVersion{Version: cli.Version(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		case "vcs.time":
			v.Time = s.Value
		}
	}
	return v
}

func versionLine() string {
	return fmt.Sprintf("spinsync %s %s %s/%s", cli.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
