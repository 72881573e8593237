// Package dashboard is the page that shows what the daemon does. Call New, then Serve.
//
// The page shows the whole in one word, what needs a person, and every product folder with its
// frames. Programs get the same data. Pages are made on the server and can be read without script.
// A small script keeps them up to date: it listens to server-sent events, each of which carries the
// parts of the page that changed.
//
// The page changes nothing but through the daemon's verbs: retry, pause, resume, rush, forget. It
// shows no password and no upload credentials. It takes requests only under names that are known to
// be its own, and is not served beyond loopback without TLS and a password.
package dashboard

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon"
	"spinsync/daemon/connections"
	"spinsync/daemon/dashboard/thumb"
)

// Options are how the page is served. Listen is needed; the zero value of each other option is a
// good choice.
type Options struct {
	Listen         string           // host:port; the host also decides who may ask
	Hosts          []string         // more names under which the page is asked for, without port
	Password       apiclient.Secret // for HTTP Basic, any user name; empty for none, on loopback only
	Certificate    Certificate      // nil for plain HTTP, on loopback only
	OwnCertificate bool             // the certificate is spinsync's own, and ends within a year
	ReadOnly       bool             // no verbs
	Version        string           // of the program, as the page shows it
	Address        string           // of the page, for other screens; empty where none can reach it
	Log            *slog.Logger     // nil for none
	Reload         func()           // reads sync.toml again, and returns when that is done; nil for no such verb
	Before         *Dashboard       // the page whose activity this one continues; nil for none
}

// A Certificate is asked for at each connection, so that it can be renewed while the page is
// served.
type Certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)

// Dashboard is the page. Make one with New.
type Dashboard struct {
	o       Options
	d       *daemon.Live
	board   *board
	thumbs  *thumb.Cache
	assets  string        // digest of the static files
	open    chan struct{} // holds one for each open stream
	handler http.Handler
}

// New makes the page of the daemon of now. It refuses to be served beyond loopback without TLS and a
// password.
func New(d *daemon.Live, o Options) (*Dashboard, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	guard, err := newGuard(o)
	if err != nil {
		return nil, err
	}
	assets, err := digestAssets()
	if err != nil {
		return nil, err
	}
	p := &Dashboard{
		o:      o,
		d:      d,
		board:  boardOf(d, o.Before),
		thumbs: thumb.New(),
		assets: assets,
		open:   make(chan struct{}, mostStreams),
	}
	p.handler = guard.wrap(p.routes())
	return p, nil
}

func boardOf(d *daemon.Live, before *Dashboard) *board {
	if before != nil {
		return before.board
	}
	return newBoard(d)
}

// ServeHTTP answers one request. Pages stand still unless Serve, or Watch, runs.
func (p *Dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.handler.ServeHTTP(w, r) }

// Watch follows the daemon until the context ends.
func (p *Dashboard) Watch(ctx context.Context) { p.board.watch(ctx) }

// The most connections, in all and from one address. With those of the control channel they are
// half of the 256 descriptors that macOS gives a program.
const (
	mostConnections = 96
	mostOfOne       = 32
)

// Serve serves the page on the listener, which it closes, until the context ends.
func (p *Dashboard) Serve(ctx context.Context, listener net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	watching.Go(func() { p.Watch(ctx) })
	server := &http.Server{
		Handler:           p,
		ErrorLog:          slog.NewLogLogger(p.o.Log.Handler(), slog.LevelDebug),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := p.serve(server, connections.Limit(listener, mostConnections, mostOfOne)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (p *Dashboard) serve(server *http.Server, listener net.Listener) error {
	if p.o.Certificate == nil {
		return server.Serve(listener)
	}
	server.TLSConfig = &tls.Config{GetCertificate: p.o.Certificate, MinVersion: tls.VersionTLS12}
	// With HTTP/2 a browser asks for all pictures of a page at once. They are more than may wait for
	// their password to be judged.
	server.Protocols = new(http.Protocols)
	server.Protocols.SetHTTP1(true)
	return server.ServeTLS(listener, "", "")
}
