package main

import (
	"context"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/engine"
	osservice "spinsync/cmd/spinsync/service"
)

const runHelp = `Publishes for as long as it runs, in the foreground. SIGTERM and Ctrl-C stop it cleanly, with exit code 0, and a second one at once,
with 130. Its page is at http://127.0.0.1:8360, or where [dashboard] in sync.toml has it.

What stands under [upload] and [[upload.limits]] in sync.toml, and the password in password_file, hold some ten seconds after they were
changed there; the rest is read at the start. Other commands reach the running daemon by the state file. A second daemon on the same
state file, or on the same folder with another one, is refused with exit code 3.

The log goes to standard error, with level and format of [log] in sync.toml. For each view that goes live it tells frames, revision, and
upload_to_live_seconds: the time since the upload began, and so of the shoot too where frames are sent while they are taken.`

func runCommand(call *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use: "run", Short: "Publish for as long as it runs", Args: cobra.NoArgs, Long: runHelp,
		RunE: func(c *cobra.Command, _ []string) error {
			return osservice.Host(c.Context(), func(ctx context.Context) error {
				configuration, err := call.Config()
				if err != nil {
					return err
				}
				return engine.Run(ctx, call, configuration)
			})
		},
	}
}
