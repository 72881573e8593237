// Command spinsync turns hot folders of photos into published 360° views.
//
// main gives run what the process has and turns its error into an exit code. Each command has a
// file of its own, with its help and the code that keeps what the help promises. This package
// builds the other ones and hands them to each other; it decides nothing about folders, photos or
// requests itself.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/rootlock"
	osservice "spinsync/cmd/spinsync/service"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/station"
	"spinsync/syncstate"
)

// The exit codes that scripts rely on.
const (
	exitDone        = 0
	exitFailed      = 1   // something is not published, or a call failed
	exitUsage       = 2   // usage or configuration
	exitStateFile   = 3   // the state file or a root is in use, or the state file is damaged
	exitInterrupted = 130 // as in shells
)

func main() { os.Exit(execute()) }

func execute() int {
	ctx, stop := untilInterrupted(context.Background())
	defer stop()
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, errEnded) {
		fmt.Fprintln(os.Stderr, "spinsync:", terminal.PrintableLines(err.Error()))
	}
	return managerCode(err, os.Getenv)
}

// managerCode is the exit code for the service manager. A mistake in sync.toml or a damaged state
// file needs a person: launchd, which would start the program again and again, gets no failure, and
// systemd does not start it after the codes 2 and 3. A file or a folder that another program has is
// free in a while, so that systemd gets a plain failure.
func managerCode(err error, env func(string) string) int {
	code := exitCode(err)
	forPerson := code == exitUsage || errors.Is(err, syncstate.ErrDamaged)
	switch {
	case forPerson && osservice.StartsAgain(env):
		return exitDone
	case code == exitStateFile && !forPerson && env("NOTIFY_SOCKET") != "":
		return exitFailed
	}
	return code
}

// run is the whole program. The environment is asked as os.Getenv is.
func run(ctx context.Context, args []string, env func(string) string, stdin io.Reader, stdout, stderr io.Writer) error {
	call := &cli.Call{Env: env, Stdin: stdin, Stdout: stdout, Stderr: stderr}
	err := call.WithRights(rootCommand(call, args).ExecuteContext(ctx))
	switch {
	case err == nil:
		return nil
	case !call.Understood:
		return cli.Usage(err)
	case errors.Is(context.Cause(ctx), errInterrupted) && call.Endless:
		return errEnded
	case errors.Is(context.Cause(ctx), errInterrupted):
		return errInterrupted
	}
	return err
}

func exitCode(err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.Is(err, syncstate.ErrLocked), errors.Is(err, syncstate.ErrDamaged), errors.Is(err, rootlock.ErrHeld),
		errors.Is(err, station.ErrNameTaken):
		return exitStateFile
	case cli.IsUsage(err), errors.Is(err, station.ErrMistake):
		return exitUsage
	}
	return exitFailed
}

var (
	errInterrupted = errors.New("interrupted")
	errEnded       = fmt.Errorf("%w, as intended", errInterrupted) // of a command without an end
)

// untilInterrupted returns a context that ends, with errInterrupted as its cause, at the first
// SIGTERM, Ctrl-C or end of the terminal. A second SIGTERM or Ctrl-C ends the process at once; a
// terminal that goes may send two signals. Call stop when nothing is left to interrupt.
func untilInterrupted(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals, hangups := make(chan os.Signal, 2), make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(hangups, syscall.SIGHUP)
	}
	go func() {
		select {
		case <-signals:
		case <-hangups:
		}
		cancel(errInterrupted)
		<-signals
		os.Exit(exitInterrupted)
	}()
	return ctx, func() {
		signal.Stop(signals)
		signal.Stop(hangups)
		cancel(nil)
	}
}
