package main

import (
	"context"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/engine"
	osservice "spinsync/cmd/spinsync/service"
)

const runHelp = `Publishes in the foreground until it is stopped. SIGTERM or Ctrl-C stops it
cleanly, with exit code 0. A second signal stops it at once, with 130. Its page
is at http://127.0.0.1:8360, or where [dashboard] in sync.toml says.

Changes of [upload] and [[upload.limits]] in sync.toml take effect within some
ten seconds, and so does a new password in password_file. Other changes need a
restart.

Other commands find the running daemon by the state file. A second daemon on
the same state file, or on the same folder, is refused with exit code 3.

The log goes to standard error. [log] in sync.toml sets its level and format. For
each published view it tells frames, revision and upload_to_live_seconds: the
time since the upload began. Where frames are sent while they are shot, that
time includes the shoot.`

func runCommand(call *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use: "run", Short: "Publish until it is stopped", Args: cobra.NoArgs, Long: runHelp,
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
