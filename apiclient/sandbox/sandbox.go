// Package sandbox is the built-in hosting service, for trials, the demo and tests. Call New for an
// http.Handler over one directory: the whole interface (4.1 to 4.14), the upload host, the media host
// and the pages behind embed links.
//
// Its answers follow the
// interface; where the interface says "not shown" it takes the plainest form, and package
// servicetest the others. Everything it holds survives a restart and a kill. It does nothing in the
// background: how far a revision is processed follows from the times stored with it, so it keeps the
// time of a testing/synctest bubble.
//
// Pages of other sites may read what needs no credentials (CORS): status, embed markup, media and
// views.
//
// It refuses to be a public service: its users are those it was given, it has no rate limits, and
// its front page names every view. Let it listen on loopback.
package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options are how a sandbox behaves. The zero value of every field but Dir and Users is a sensible
// choice.
type Options struct {
	// Dir holds everything: the state file, the source files and the image sizes made from them. It
	// is created when missing. One sandbox at a time can have it open.
	Dir string
	// Users may use the interface with HTTP Basic credentials (interface section 5). At least one
	// is needed.
	Users []User
	// PublicURL is the scheme and host in the links of answers. Empty: those of each request.
	PublicURL string
	// Processing is how long a revision is processed after 4.4. 0 is 3 s, negative is no time at
	// all.
	Processing time.Duration
	// ProcessingPerImage comes on top for each image.
	ProcessingPerImage time.Duration
	// PolicyLifetime is how long an upload form is valid. 0 is one hour.
	PolicyLifetime time.Duration
	// MaxFile is the size of the largest file that can be uploaded, in bytes. 0 is 1 GiB.
	MaxFile int64
	// StorageVersion of new products chooses the layout of their media paths, 1 or 2 (interface
	// section 2). 0 is 2.
	StorageVersion int
	// Groups puts an image whose name begins with the key into the image group that is the value.
	// Everything else is in the group "rotation".
	Groups map[string]string
	// Journal keeps every effect for Server.Journal, for as long as the directory exists.
	Journal bool
	// NoSync leaves writing to the disk to the operating system: faster, and safe against a kill of
	// the process, but not against a power failure.
	NoSync bool
	// Intercept is asked before each call and may spoil it. It is called from many goroutines. Nil
	// spoils nothing.
	Intercept func(*Call) Fault
	// Log receives every call; nil discards.
	Log *slog.Logger
}

// User is a person who may use the interface.
type User struct {
	Name, Password string
	// CanEdit is edit permission for the products of every project, which listing images needs
	// (interface 4.12).
	CanEdit bool
}

// Server is an open sandbox. It serves any number of calls at a time.
type Server struct {
	opts    Options
	store   *store
	handler http.Handler
	tally   tally
}

// New opens the sandbox in opts.Dir, or makes one there.
func New(opts Options) (*Server, error) {
	if err := opts.Check(); err != nil {
		return nil, err
	}
	opts.setDefaults()
	opened, err := openStore(opts)
	if err != nil {
		return nil, fmt.Errorf("open the sandbox in %s: %w", opts.Dir, err)
	}
	s := &Server{opts: opts, store: opened, tally: tally{calls: map[string]int{}}}
	s.handler = s.routes()
	return s, nil
}

// Close ends the use of the directory. Calls that come later fail.
func (s *Server) Close() error { return s.store.db.Close() }

// ServeHTTP answers the interface, uploads, media and pages.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// origin is the scheme and host of the links in the answer to r.
func (o *Options) origin(r *http.Request) string {
	switch {
	case o.PublicURL != "":
		return o.PublicURL
	case r.TLS != nil:
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// Check returns the first of the options that make no sense.
func (o *Options) Check() error {
	switch {
	case o.Dir == "":
		return errors.New("the sandbox needs a directory for its data")
	case len(o.Users) == 0:
		return errors.New("the sandbox needs at least one user")
	case o.StorageVersion < 0 || o.StorageVersion > 2:
		return fmt.Errorf("storage version %d does not exist, only 1 and 2 do", o.StorageVersion)
	}
	return o.checkPublicURL()
}

func (o *Options) checkPublicURL() error {
	if o.PublicURL == "" {
		return nil
	}
	u, err := url.Parse(o.PublicURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
		u.Scheme+"://"+u.Host != strings.TrimRight(o.PublicURL, "/") {
		return fmt.Errorf("public address %s: write scheme and host alone, as in https://views.example.com",
			o.PublicURL)
	}
	return nil
}

func (o *Options) setDefaults() {
	o.Processing = max(cmp.Or(o.Processing, 3*time.Second), 0)
	o.PolicyLifetime = cmp.Or(o.PolicyLifetime, time.Hour)
	o.MaxFile = cmp.Or(o.MaxFile, 1<<30)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.PublicURL = strings.TrimRight(o.PublicURL, "/")
	o.StorageVersion = cmp.Or(o.StorageVersion, 2)
}
