package demo

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
)

const sandboxHelp = `Runs the built-in hosting service, to try spinsync out: the whole interface, the
upload host, the media host and the pages behind the embed links. Its front page
lists every view. See docs/sandbox.md.

The password comes from --password-file, else from SPINSYNC_PASSWORD. Otherwise
the sandbox makes one and prints it. --data keeps everything in a directory, that
password too. Without --data everything is gone at the end.

Everybody who reaches the sandbox sees its views: leave it on loopback. --tls
serves https with a certificate of its own. Name the printed file as ca_file in
[service] of sync.toml, and trust it in browsers. --public-url is for a sandbox
that is reached under another address, for instance behind a proxy.`

// sandboxFlags are the flags of a sandbox.
type sandboxFlags struct {
	call                               *cli.Call
	listen, user, reader, passwordFile string
	tls                                bool
	certFile, keyFile                  string
	verbose                            bool
	options                            sandbox.Options
}

// SandboxCommand is the command sandbox.
func SandboxCommand(call *cli.Call) *cobra.Command {
	f := sandboxFlags{call: call}
	c := &cobra.Command{
		Use: "sandbox", Short: "Run the built-in hosting service alone", Args: cobra.NoArgs,
		Long: sandboxHelp,
		Example: `  spinsync sandbox --data ~/spinsync-sandbox --user studio
  spinsync sandbox --processing 1m --groups detail_=gallery,still_=additional`,
		RunE: func(c *cobra.Command, _ []string) error {
			call.Endless = true
			return f.serve(c.Context())
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.listen, "listen", usualListen, "listen at this `ADDRESS`")
	flags.StringVar(&f.options.Dir, "data", "", "keep everything in this `DIR`")
	flags.BoolVar(&f.tls, "tls", false, "serve https, with a certificate of its own")
	flags.StringVar(&f.certFile, "cert-file", "", "serve https, with the certificate in this `FILE`")
	flags.StringVar(&f.keyFile, "key-file", "", "the `FILE` that holds the key of --cert-file")
	flags.StringVar(&f.options.PublicURL, "public-url", "", "the `ADDRESS` in all links and upload forms")
	flags.StringVar(&f.user, "user", "studio", "`NAME` of the user")
	flags.StringVar(&f.reader, "reader", "",
		"`NAME` of a second user, without edit permission, with the same password")
	flags.StringVar(&f.passwordFile, "password-file", "", "the `FILE` that holds the password")
	flags.DurationVar(&f.options.Processing, "processing", 3*time.Second, "how long a revision is processed")
	flags.DurationVar(&f.options.ProcessingPerImage, "processing-per-image", 0, "additional time for each image")
	flags.DurationVar(&f.options.PolicyLifetime, "policy-lifetime", time.Hour, "how long upload credentials are valid")
	flags.Int64Var(&f.options.MaxFile, "max-file", 1<<30, "size of the largest file that can be uploaded, in `BYTES`")
	flags.IntVar(&f.options.StorageVersion, "storage-version", 2, "layout of the media paths of new products, 1 or 2")
	flags.StringToStringVar(&f.options.Groups, "groups", nil,
		"image group of the photos whose names begin so, `PREFIX=GROUP`; all others are in rotation")
	flags.BoolVar(&f.verbose, "verbose", false, "log every call")
	return c
}

// serve serves until it is interrupted.
func (f sandboxFlags) serve(ctx context.Context) error {
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return cli.Usagef("%w; name another address with --listen, for instance 127.0.0.1:0 for any free port", err)
	}
	defer listener.Close()
	if f.options.Dir == "" {
		f.options.Dir, err = os.MkdirTemp("", "spinsync-sandbox-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(f.options.Dir)
	}
	password, made, err := f.password()
	if err != nil {
		return cli.Usage(err)
	}
	options, err := f.complete(password)
	if err != nil {
		return cli.Usage(err)
	}
	listener, address, err := f.secure(listener)
	if err != nil {
		return cli.Usage(err)
	}
	if f.verbose {
		options.Log = slog.New(slog.NewTextHandler(f.call.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	server, err := sandbox.New(options)
	if err != nil {
		return err
	}
	f.introduce(address, password, made)
	err = serveHTTP(ctx, listener, server)
	return errors.Join(err, server.Close(), ctx.Err())
}

func (f sandboxFlags) introduce(address, password string, made bool) {
	rows := [][]string{{"address", cmp.Or(f.options.PublicURL, address)}, {"user", f.user}}
	if f.tls {
		rows = append(rows, []string{"ca_file", f.ownFiles().Authority})
	}
	if made {
		rows = append(rows, []string{"password", password})
	}
	terminal.Table(f.call.Stdout, rows)
	host, _, err := net.SplitHostPort(f.listen)
	if err == nil && !apiclient.IsLoopback(host) && strings.HasPrefix(address, "http:") {
		fmt.Fprintln(f.call.Stderr,
			"spinsync: other computers can reach the sandbox without encryption; listen on 127.0.0.1, or add --tls")
	}
}

// password also reports whether the password was made up here.
func (f sandboxFlags) password() (password string, made bool, err error) {
	if f.passwordFile != "" {
		data, err := os.ReadFile(f.passwordFile)
		password = strings.TrimRight(string(data), "\r\n")
		if err == nil && password == "" {
			err = fmt.Errorf("%s is empty; write the password into it", f.passwordFile)
		}
		return password, false, err
	}
	if password := f.call.Env("SPINSYNC_PASSWORD"); password != "" {
		return password, false, nil
	}
	password, err = keptPassword(f.options.Dir)
	return password, true, err
}

// keptPassword makes a password up and keeps it in dir, so that a configuration made with it still
// works tomorrow.
func keptPassword(dir string) (string, error) {
	path := filepath.Join(dir, "password")
	data, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return strings.TrimSpace(string(data)), err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	password := rand.Text()[:16]
	return password, os.WriteFile(path, []byte(password+"\n"), 0o600)
}

// complete fills in the options that the flags give in another form.
func (f sandboxFlags) complete(password string) (sandbox.Options, error) {
	o := f.options
	o.Users = []sandbox.User{{Name: f.user, Password: password, CanEdit: true}}
	if f.reader != "" {
		o.Users = append(o.Users, sandbox.User{Name: f.reader, Password: password})
	}
	if o.Processing == 0 {
		o.Processing = -1 // no time at all, as an option
	}
	return o, o.Check()
}

// serveHTTP serves until the context ends, and lets answers that are under way a moment to end.
func serveHTTP(ctx context.Context, listener net.Listener, handler http.Handler) error {
	const grace = 3 * time.Second
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		server.Close()
	}
	<-served
	return nil
}
