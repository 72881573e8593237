// Package diagnose has the command that writes a bundle for support, without secrets. Call Command.
package diagnose

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/backend"
	"spinsync/cmd/spinsync/check"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/show"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/config"
	"spinsync/daemon/control"
)

const help = `Writes a ZIP file for support:

  version.txt   the program and the system
  config.toml   the settings as spinsync reads them, without comments
  check.txt     the output of check
  status.json   the output of status --json
  daemon.json   goroutines and memory of the running daemon
  *.pprof       its profiles: processor, memory and goroutines, for go tool pprof
  log.txt       the service's last log lines, or the end of the file at --log

Passwords, signed upload forms and tokens are left out, and removed once more from
every file. Addresses, the user's name, the names of folders and photos, and
titles are in it: read it before you send it. In place of a part that cannot be
had is the reason, and the exit code stays 0.`

// Command is the command diagnose.
func Command(call *cli.Call) *cobra.Command {
	var to, log string
	c := &cobra.Command{
		Use: "diagnose", Short: "Write a bundle for support, without secrets", Args: cobra.NoArgs, Long: help,
		RunE: func(c *cobra.Command, _ []string) error {
			to = cmp.Or(to, "spinsync-diagnose-"+time.Now().Format("20060102-150405")+".zip")
			if err := diagnose(c.Context(), call, to, log); err != nil {
				return err
			}
			_, err := fmt.Fprintf(call.Stdout,
				"%s is written; look at it before you send it: it names folders, photos and addresses\n",
				terminal.Printable(to))
			return err
		},
	}
	c.Flags().StringVar(&to, "to", "",
		"write this `FILE`, which must not exist, instead of spinsync-diagnose-DATE-TIME.zip")
	c.Flags().StringVar(&log, "log", "", "add the end of this log `FILE`")
	return c
}

// A part is one file of the bundle.
type part struct {
	name   string
	write  func(context.Context, io.Writer) error
	binary bool // it holds no text of a person, and must stay as it is
}

func diagnose(ctx context.Context, call *cli.Call, to, log string) (err error) {
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return cli.Usagef("%s is there already; name another file with --to", to)
	}
	if err != nil {
		return cli.Usagef("%w; name another file with --to", err)
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			os.Remove(to)
		}
	}()
	bundle := zip.NewWriter(f)
	secrets, parts := bundleParts(call, log)
	for _, p := range parts {
		if err := addPart(ctx, bundle, p, secrets); err != nil {
			return err
		}
	}
	return bundle.Close()
}

// addPart writes one file, with the reason in place of what cannot be had.
func addPart(ctx context.Context, bundle *zip.Writer, p part, secrets *redactor) error {
	const patience = time.Minute
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var text bytes.Buffer
	if err := p.write(limited, &text); err != nil {
		fmt.Fprintf(&text, "not available: %v\n", err)
		p.binary = false
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	w, err := bundle.CreateHeader(&zip.FileHeader{Name: p.name, Method: zip.Deflate, Modified: time.Now()})
	if err != nil {
		return err
	}
	if p.binary {
		_, err = text.WriteTo(w)
		return err
	}
	_, err = io.WriteString(w, secrets.hide(text.String()))
	return err
}

// bundleParts are the files of the bundle. A configuration that is wrong leaves those that need
// none.
func bundleParts(call *cli.Call, log string) (*redactor, []part) {
	secrets := &redactor{}
	secrets.add(call.Env("SPINSYNC_PASSWORD"), call.Env("SPINSYNC_ETCD_PASSWORD"))
	lines := part{name: "log.txt", write: func(ctx context.Context, w io.Writer) error { return writeLog(ctx, w, log) }}
	about := part{name: "version.txt", write: writeVersion}
	c, err := call.Config()
	if err != nil {
		return secrets, []part{about, {name: "config.toml", write: func(context.Context, io.Writer) error { return err }}, lines}
	}
	secrets.add(c.Notify.Webhook.Reveal())
	secrets.add(c.Notify.WebhookSecret.Reveal())
	if password, err := c.Dashboard.ResolvePassword(); err == nil {
		secrets.add(password.Reveal())
	}
	if password, err := c.Service.ResolvePassword(call.Env, call.Keychain()); err == nil {
		secrets.addPassword(c.Service.Username, password.Reveal())
	}
	if c.Fleet != nil {
		if password, err := c.Fleet.ResolvePassword(call.Env); err == nil {
			secrets.add(password.Reveal())
		}
	}
	secrets.addForms(c)
	return secrets, []part{
		about,
		{name: "config.toml", write: func(_ context.Context, w io.Writer) error { return writeConfig(w, c) }},
		{name: "check.txt", write: func(ctx context.Context, w io.Writer) error {
			return terminal.Table(w, check.Examine(ctx, call, c).Rows)
		}},
		{name: "status.json", write: func(ctx context.Context, w io.Writer) error { return writeStatus(ctx, w, c) }},
		{name: "daemon.json", write: func(ctx context.Context, w io.Writer) error { return writeRuntime(ctx, w, c) }},
		profileOf(c, "cpu"), profileOf(c, "heap"), profileOf(c, "goroutine"),
		lines,
	}
}

func writeVersion(_ context.Context, w io.Writer) error {
	fmt.Fprintf(w, "spinsync %s %s %s/%s, %d processors\n%s\n",
		cli.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(),
		time.Now().Format(time.RFC3339))
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintf(w, "\n%s", info)
	}
	return nil
}

// writeConfig prints the configuration as the program read it, without the arguments of a command,
// which may hold tokens. Secrets would print as *** even where none is set.
func writeConfig(w io.Writer, c *config.Config) error {
	shown := *c
	shown.Service.Password, shown.Notify.Webhook, shown.Notify.WebhookSecret = "", "", ""
	shown.Notify.Command = shown.Notify.Command[:min(1, len(shown.Notify.Command))]
	fmt.Fprintf(w, "# webhook: %t, password in this file: %t\n", c.Notify.Webhook != "", c.Service.Password != "")
	return shown.Encode(w)
}

func writeStatus(ctx context.Context, w io.Writer, c *config.Config) error {
	return backend.Read(ctx, c, func(b backend.Backend) error {
		s, err := b.Status(ctx)
		if err != nil {
			return err
		}
		return show.StatusJSON(w, s)
	})
}

// profileOf is a profile of the running daemon.
func profileOf(c *config.Config, kind string) part {
	return part{name: kind + ".pprof", binary: true, write: func(ctx context.Context, w io.Writer) error {
		running, err := control.Dial(ctx, c.State.Path)
		if err != nil {
			return err
		}
		return running.Profile(ctx, kind, w)
	}}
}

func writeRuntime(ctx context.Context, w io.Writer, c *config.Config) error {
	running, err := control.Dial(ctx, c.State.Path)
	if err != nil {
		return err
	}
	r, err := running.Runtime(ctx)
	if err != nil {
		return err
	}
	return terminal.JSON(w, r)
}
