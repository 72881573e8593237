package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/cmd/spinsync/turntable"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/syncstate"
)

const demoHelp = `Does the whole job on this machine alone: a hosting service in a box, a watched folder, and a camera that photographs a
teapot on a turntable into it, slowly and under temporary names, as a capture program does. Each photo is uploaded as soon
as it is whole, and the view is published right after the last one. Then two photos are taken again, which makes a new
revision of the same view.

It goes on until Ctrl-C, so that the view can be turned in a browser, and photos of one's own put into its folder. With
--once it ends when the first set is published.

What it makes goes into a temporary directory that is removed at the end, or into DIR and stays there; the other commands
work on it with --config DIR/sync.toml, and spinsync sandbox --data DIR/service shows its views again.`

const (
	demoFrames  = 36
	demoUser    = "studio"
	demoAddress = "127.0.0.1:8361"
	demoPage    = "127.0.0.1:8360"
)

func (a *app) demoCommand() *cobra.Command {
	var once bool
	var dir, listen string
	c := &cobra.Command{
		Use: "demo", Short: "Show the whole job on a hosting service in a box", Args: cobra.NoArgs, Long: demoHelp,
		RunE: func(c *cobra.Command, _ []string) error {
			a.endless = !once
			return a.demo(c.Context(), dir, listen, once)
		},
	}
	c.Flags().BoolVar(&once, "once", false, "end when the first set is published")
	c.Flags().StringVar(&dir, "dir", "", "make everything in this `DIR`, and keep it")
	c.Flags().StringVar(&listen, "listen", "",
		"let the hosting service listen at this `ADDRESS` (default "+demoAddress+", or any free port)")
	return c
}

// demo makes the place, plays, and clears up.
func (a *app) demo(ctx context.Context, dir, listen string, once bool) error {
	kept := dir != ""
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
	listener, err := listenForDemo(listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	page, err := freeAddress(demoPage)
	if err != nil {
		return err
	}
	place, err := newDemoPlace(dir, "http://"+listener.Addr().String(), page, kept)
	if err != nil {
		return err
	}
	service, err := sandbox.New(place.sandbox())
	if err != nil {
		return err
	}
	return errors.Join(a.playDemo(ctx, place, listener, service, once), service.Close())
}

func listenForDemo(address string) (net.Listener, error) {
	if address == "" {
		return listenNear(demoAddress)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		err = fmt.Errorf("%w; name another address with --listen, or leave it out for a free one", err)
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

// A demoPlace is the demo's directory:
//
//	service/     what the hosting service holds, and its password
//	shoots/      the watched root
//	sync.toml    with state.db beside it
type demoPlace struct {
	dir, password string
	address       string // URL of the hosting service
	page          string // address of the dashboard
	kept          bool   // it stays when the demo is over
}

const demoConfig = `[service]
base_url = %q
username = %q
password_file = "service/password"

[state]
path = "state.db"

[[watch]]
path = "shoots"
layout = "{project}/{sku}"
frames = %d
settle = "1s"
quiet = "5s"

[dashboard]
listen = %q
`

func newDemoPlace(dir, address, page string, kept bool) (demoPlace, error) {
	p := demoPlace{dir: dir, address: address, page: page, kept: kept}
	if err := os.MkdirAll(filepath.Join(dir, "shoots"), 0o755); err != nil {
		return p, err
	}
	password, err := keptPassword(p.service())
	if err != nil {
		return p, err
	}
	p.password = password
	text := fmt.Sprintf(demoConfig, address, demoUser, demoFrames, page)
	return p, os.WriteFile(p.config(), []byte(text), 0o600)
}

func (p demoPlace) config() string { return filepath.Join(p.dir, "sync.toml") }

func (p demoPlace) service() string { return filepath.Join(p.dir, "service") }

// again is how the views are shown when the demo is over.
func (p demoPlace) again() string {
	command := "spinsync sandbox --data " + daemon.ShellWord(p.service())
	if listen := strings.TrimPrefix(p.address, "http://"); listen != demoAddress {
		command += " --listen " + listen
	}
	return command
}

func (p demoPlace) sandbox() sandbox.Options {
	return sandbox.Options{
		Dir:   p.service(),
		Users: []sandbox.User{{Name: demoUser, Password: p.password, CanEdit: true}},
	}
}

// newProduct returns a product folder that does not exist yet: photos of another shoot do not
// belong into an old one.
func (p demoPlace) newProduct() syncstate.Folder {
	root := filepath.Join(p.dir, "shoots")
	for i := 1; ; i++ {
		folder := fmt.Sprintf("Demo/TEAPOT-%d", i)
		if _, err := os.Stat(filepath.Join(root, folder)); err != nil {
			return syncstate.Folder{Root: root, Path: folder}
		}
	}
}

// playDemo runs the service, the daemon and the play, until the play ends.
func (a *app) playDemo(
	ctx context.Context, place demoPlace, listener net.Listener, service http.Handler, once bool,
) error {
	c, err := config.Load(place.config(), a.env)
	if err != nil {
		return err
	}
	s := a.newScreen(a.stdout)
	defer s.end()
	w, err := a.open(c, s.log(config.Log{Level: slog.LevelWarn, Format: config.LogText}))
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
	start(func() error { return w.serve(ctx) })
	start(func() error {
		play := &demoPlay{work: w, place: place, once: once, say: s.lines, shown: make(chan []daemon.ProductStatus, 1)}
		s.after = play.see
		status := func(context.Context) (daemon.Status, error) { return w.Status(), nil }
		return s.follow(ctx, status, play.run)
	})
	return errors.Join(g.Wait(), w.close())
}

// A demoPlay is what happens in front of the camera.
type demoPlay struct {
	*work
	place demoPlace
	once  bool
	say   io.Writer
	shown chan []daemon.ProductStatus // the newest, once it is on the screen
}

// see lets the play wait for what the audience has seen, so that it tells nothing before it.
func (p *demoPlay) see(products []daemon.ProductStatus) {
	select {
	case <-p.shown:
	default:
	}
	p.shown <- products
}

// run plays until the end or Ctrl-C, and then says how the demo can be seen later.
func (p *demoPlay) run(ctx context.Context) error {
	err := p.perform(ctx)
	if err != nil && ctx.Err() == nil {
		return err
	}
	return errors.Join(err, p.farewell())
}

func (p *demoPlay) perform(ctx context.Context) error {
	folder := p.place.newProduct()
	fmt.Fprintf(p.say, "service    %s  (user %s, password %s)\n", p.place.address, demoUser, p.place.password)
	fmt.Fprintf(p.say, "dashboard  http://%s\n", p.place.page)
	fmt.Fprintf(p.say, "photos     %s\n", printable(filepath.Join(folder.Root, folder.Path)))
	fmt.Fprintf(p.say, "camera     takes %d photos in there; each is sent as soon as it is whole\n", demoFrames)
	shoot := turntable.Shoot{Frames: demoFrames, Glaze: turntable.Blue}
	first, err := p.shoot(ctx, folder, shoot, nil, nil)
	if err != nil {
		return err
	}
	if err := p.showView(ctx, first); err != nil || p.once {
		return err
	}
	again := turntable.Reshoot
	fmt.Fprintf(p.say, "again      %s and %s are photographed once more\n", shoot.Name(again[0]), shoot.Name(again[1]))
	shoot.Glaze = turntable.Green
	second, err := p.shoot(ctx, folder, shoot, again, first.PublishedAt)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.say, "revision   %d has become %d, at the same address; Ctrl-C ends the demo\n",
		first.Revision, second.Revision)
	<-ctx.Done()
	return ctx.Err()
}

// shoot photographs all frames, or only some, and tells what becomes of them until they are
// published, later than before.
func (p *demoPlay) shoot(
	ctx context.Context, folder syncstate.Folder, shoot turntable.Shoot, only []int, before *time.Time,
) (product daemon.ProductStatus, err error) {
	// Quick for a turntable, slow enough to watch.
	const every = 400 * time.Millisecond
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		return turntable.Camera(ctx, filepath.Join(folder.Root, folder.Path), shoot, every, only)
	})
	g.Go(func() (err error) {
		product, err = p.published(ctx, folder, before)
		return err
	})
	err = g.Wait()
	return product, err
}

// published waits until a folder is published later than at a time, and tells each step on the way.
// On a busy machine the camera may be so slow that frames seem to be missing, which passes.
func (p *demoPlay) published(
	ctx context.Context, folder syncstate.Folder, before *time.Time,
) (daemon.ProductStatus, error) {
	const patience = 20 * time.Second
	told := ""
	for {
		var products []daemon.ProductStatus
		select {
		case products = <-p.shown:
		case <-ctx.Done():
			return daemon.ProductStatus{}, ctx.Err()
		}
		i := slices.IndexFunc(products, func(p daemon.ProductStatus) bool { return p.Key() == folder })
		if i < 0 {
			continue
		}
		switch product := products[i]; {
		case product.State == daemon.Attention && time.Since(product.Since) > patience:
			return product, fmt.Errorf("%s: %s", product.Folder, product.Reason)
		case product.State == daemon.Published && product.PublishedAt != nil &&
			(before == nil || product.PublishedAt.After(*before)):
			return product, nil
		default:
			if step := demoStep(product); step != "" && step != told {
				fmt.Fprintln(p.say, step)
				told = step
			}
		}
	}
}

// demoStep is what to tell of a folder on its way: each quarter that is sent, and that the service
// is at work.
func demoStep(p daemon.ProductStatus) string {
	const quarter = demoFrames / 4
	sent := p.Frames.Uploaded / quarter * quarter
	switch {
	case p.State == daemon.Processing && p.Frames.Uploaded == demoFrames:
		return fmt.Sprintf("processing the service makes the view of %d photos", demoFrames)
	case p.State != daemon.Attention && sent > 0 && sent < demoFrames: // or collecting
		return fmt.Sprintf("uploading  %d of %d photos are sent", sent, demoFrames)
	}
	return ""
}

// farewell says how to see the view after the demo's service has ended.
func (p *demoPlay) farewell() error {
	how := "what the demo made is gone with it; with --dir DIR it stays"
	if p.place.kept {
		how = p.place.again() + "   shows the view again"
	}
	_, err := fmt.Fprintf(p.say, "later      %s\n", printable(how))
	return err
}

func (p *demoPlay) showView(ctx context.Context, product daemon.ProductStatus) error {
	embed, err := p.client.Embed(ctx, product.Product, apiclient.EmbedOptions{Type: apiclient.EmbedResponsive})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.say, "view       %s\n", embed.Src)
	return err
}
