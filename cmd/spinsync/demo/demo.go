// Package demo has the commands that bring their own hosting service. Command is the demo, which
// plays a whole shoot; SandboxCommand is the service alone.
package demo

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"spinsync/apiclient/sandbox"
	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/engine"
	"spinsync/cmd/spinsync/show"
	"spinsync/daemon/config"
	"spinsync/daemon/status"
)

const help = `Shows the whole job on this machine: a built-in hosting service, a watched folder,
and a camera that photographs a teapot on a turntable. The camera writes slowly
and under temporary names, as a capture program does. Each photo is uploaded as
soon as it is whole, and the view is published right after the last one. Then the
camera takes two photos again, which makes a new revision of the same view.

The demo runs until Ctrl-C. Turn the view in a browser, or put photos of your own
into the folder. With --once it ends when the first set is published.

Its files go into a temporary directory, which it removes at the end. With --dir
they stay. DIR is a new directory, an empty one, or that of an earlier demo. Other
commands work on them with --config DIR/sync.toml, and spinsync sandbox --data
DIR/service shows the views again.`

const (
	fullTurn    = 36
	user        = "studio"
	usualListen = "127.0.0.1:8361"
	usualPage   = "127.0.0.1:8360"
)

// Command is the command demo.
func Command(call *cli.Call) *cobra.Command {
	d := demo{call: call}
	c := &cobra.Command{
		Use: "demo", Short: "Try spinsync on a built-in hosting service", Args: cobra.NoArgs, Long: help,
		RunE: func(c *cobra.Command, _ []string) error {
			call.Endless = !d.once
			return d.run(c.Context())
		},
	}
	c.Flags().BoolVar(&d.once, "once", false, "end when the first set is published")
	c.Flags().StringVar(&d.dir, "dir", "", "make everything in this `DIR`, and keep it")
	c.Flags().StringVar(&d.listen, "listen", "",
		"let the hosting service listen at this `ADDRESS` (default "+usualListen+", or any free port)")
	return c
}

type demo struct {
	call        *cli.Call
	once        bool
	dir, listen string
}

// run makes the place, plays, and clears up.
func (d demo) run(ctx context.Context) error {
	dir, kept := d.dir, d.dir != ""
	if !kept {
		temporary, err := os.MkdirTemp("", "spinsync-demo-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		dir = temporary
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	listener, err := listenForDemo(d.listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	page, err := freeAddress(usualPage)
	if err != nil {
		return err
	}
	place, err := newStage(dir, "http://"+listener.Addr().String(), page, kept)
	if err != nil && kept {
		return cli.Usagef("%w; name another directory with --dir", err)
	}
	if err != nil {
		return err
	}
	service, err := sandbox.New(place.sandbox())
	if err != nil {
		return err
	}
	return errors.Join(d.play(ctx, place, listener, service), service.Close())
}

func listenForDemo(address string) (net.Listener, error) {
	if address == "" {
		return listenNear(usualListen)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		err = cli.Usagef("%w; name another address with --listen, or leave it out for a free one", err)
	}
	return listener, err
}

// listenNear prefers an address that a person can remember, and that stays the same the next time.
func listenNear(address string) (net.Listener, error) {
	if listener, err := net.Listen("tcp", address); err == nil {
		return listener, nil
	}
	return net.Listen("tcp", "127.0.0.1:0")
}

// freeAddress returns an address at which no program listens.
func freeAddress(preferred string) (string, error) {
	listener, err := listenNear(preferred)
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// play runs the service, the daemon and the play, until the play ends.
func (d demo) play(ctx context.Context, place stage, listener net.Listener, service http.Handler) error {
	c, err := config.Load(place.config(), d.call.Env)
	if err != nil {
		return err
	}
	s := show.NewProgress(d.call, d.call.Stdout)
	defer s.End()
	w, err := engine.Open(d.call, c, s.Log(config.Log{Level: slog.LevelWarn, Format: config.LogText}))
	if err != nil {
		return err
	}
	ctx, curtain := context.WithCancel(ctx)
	defer curtain()
	var g errgroup.Group
	start := func(act func() error) {
		g.Go(func() error {
			defer curtain()
			return act()
		})
	}
	start(func() error { return serveHTTP(ctx, listener, service) })
	start(func() error { return w.Serve(ctx, nil) })
	start(func() error {
		play := &play{client: w.Client, place: place, once: d.once, say: s.Lines, shown: make(chan []status.ProductStatus, 1)}
		s.After = play.see
		status := func(context.Context) (status.Status, error) { return w.Live.Daemon().Status(), nil }
		return s.Follow(ctx, status, play.run)
	})
	return errors.Join(g.Wait(), w.Close())
}
