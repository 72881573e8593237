package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/engine"
	osservice "spinsync/cmd/spinsync/service"
	"spinsync/cmd/spinsync/terminal"
)

const runHelp = `Publishes in the foreground until it is stopped. SIGTERM or Ctrl-C stops it
cleanly, with exit code 0. A second signal stops it at once, with 130. Its page
is at http://127.0.0.1:8360, or at the address in [dashboard] of sync.toml.

A change of sync.toml takes effect within some ten seconds, and so does a new
password in password_file. A sync has it take effect at once. Uploads under way
are sent again, unless only [upload] or the password was changed. A mistake in
sync.toml changes nothing; the log and the page report it. A file that no longer
watches a folder, or names another account or state file, waits for SIGHUP, which
systemctl reload sends, or for Reload settings on the page. On a terminal SIGHUP
ends the program as Ctrl-C does.

Other commands find the running daemon by the state file. A second daemon on
the same state file, or on the same folder, is refused with exit code 3.

The log goes to standard error. [log] in sync.toml sets its level and format. For
each published view it has frames, revision and upload_to_live_seconds: the
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
				return engine.Run(ctx, call, configuration, hangups(call))
			})
		},
	}
}

// hangups has each SIGHUP reach a service, instead of ending it. A terminal that is closed sends it
// to end the program; nil leaves it at that.
func hangups(call *cli.Call) <-chan os.Signal {
	for _, stream := range []any{call.Stdin, call.Stdout, call.Stderr} {
		if _, is := terminal.IsTerminal(stream); is {
			return nil
		}
	}
	signal.Ignore(syscall.SIGHUP)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	return signals
}
