package dashboard

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"spinsync/apiclient"
)

// A guard decides whose requests are answered.
type guard struct {
	local    bool     // served on loopback alone
	strict   bool     // browsers know the certificate, and are to use TLS alone
	hosts    []string // names under which the page may be asked for, in lower case
	password [sha256.Size]byte
	locked   bool          // the password is asked for
	queue    chan struct{} // held by each who waits for the turn, and by who has it
	turn     chan struct{} // held while a password is judged
	logged   time.Time     // when a wrong password was last logged; belongs to who has the turn
	log      *slog.Logger
	origins  *http.CrossOriginProtection
}

func newGuard(o Options) (*guard, error) {
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	g := &guard{
		local:    apiclient.IsLoopback(host),
		strict:   !apiclient.IsLoopback(host) && !o.OwnCertificate,
		hosts:    []string{"localhost"},
		password: digest(o.Password),
		locked:   o.Password != "",
		queue:    make(chan struct{}, guessQueue),
		turn:     make(chan struct{}, 1),
		log:      o.Log,
		origins:  http.NewCrossOriginProtection(),
	}
	for _, name := range append(o.Hosts, host) {
		g.hosts = append(g.hosts, strings.ToLower(name))
	}
	if !g.local && (!g.locked || o.Certificate == nil) {
		return nil, fmt.Errorf(
			"dashboard: %s can be reached from other computers, and the page is not shown there without a password "+
				`and TLS; listen on "127.0.0.1:8360" instead`,
			o.Listen)
	}
	return g, nil
}

func digest(s apiclient.Secret) [sha256.Size]byte { return sha256.Sum256([]byte(s.Reveal())) }

// wrap puts the guard before all pages.
func (g *guard) wrap(next http.Handler) http.Handler {
	next = g.origins.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.harden(w.Header())
		switch {
		case !g.knows(r.Host):
			http.Error(w, "this page is not served under that name; add it to hosts in [dashboard] of sync.toml",
				http.StatusMisdirectedRequest)
		case g.admits(w, r):
			next.ServeHTTP(w, r)
		}
	})
}

// knows reports whether a request was meant for this page. A foreign name that leads here is
// another site's attempt to read it through a visitor's browser (DNS rebinding), which
// CrossOriginProtection alone lets pass; an address in the name's place cannot be one.
func (g *guard) knows(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	name = strings.ToLower(name)
	if slices.Contains(g.hosts, name) {
		return name != ""
	}
	address, err := netip.ParseAddr(name)
	return err == nil && (!g.local || address.Unmap().IsLoopback())
}

// admits reports whether a request has the password of the page. It answers a request that has not.
func (g *guard) admits(w http.ResponseWriter, r *http.Request) bool {
	if !g.locked {
		return true
	}
	if _, password, given := r.BasicAuth(); given {
		select {
		case g.queue <- struct{}{}:
			defer func() { <-g.queue }()
		default:
			w.Header().Set("Retry-After", "10")
			http.Error(w, "too many wrong passwords just now; try again in a moment", http.StatusTooManyRequests)
			return false
		}
		if g.judge(r, password) {
			return true
		}
	}
	w.Header().Set("WWW-Authenticate", `Basic realm="spinsync", charset="UTF-8"`)
	http.Error(w, "the password of [dashboard] in sync.toml is needed; any user name will do", http.StatusUnauthorized)
	return false
}

const (
	// guessGap is how long a wrong password keeps all others waiting.
	guessGap = time.Second
	// guessQueue is how many passwords may wait to be judged, so that each is within the time that a
	// connection has, and few connections wait.
	guessQueue = 16
	// guessLogGap is the least time between two lines of the log about wrong passwords.
	guessLogGap = time.Minute
)

// judge reports whether a password is right. Passwords are judged one at a time, and a wrong one
// takes its time even if its sender does not wait for the answer. So many connections, from many
// addresses, guess no faster than one.
func (g *guard) judge(r *http.Request, password string) bool {
	select {
	case g.turn <- struct{}{}:
	case <-r.Context().Done():
		return false
	}
	defer func() { <-g.turn }()
	if g.isPassword(password) {
		return true
	}
	if now := time.Now(); now.Sub(g.logged) >= guessLogGap {
		g.logged = now
		g.log.Warn("a wrong password for the page", "address", r.RemoteAddr)
	}
	time.Sleep(guessGap)
	return false
}

// isPassword compares digests, so that the time taken reveals nothing of the password.
func (g *guard) isPassword(given string) bool {
	sum := sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(sum[:], g.password[:]) == 1
}

// harden sets the headers of every answer. Pages add the origins of their images to the policy.
// A page with a certificate that browsers know asks them to use TLS alone for a month. With spinsync's
// own it does not: when that certificate ends, the browser would let nobody past its warning.
func (g *guard) harden(h http.Header) {
	if g.strict {
		h.Set("Strict-Transport-Security", "max-age=2592000")
	}
	h.Set("Content-Security-Policy", policy(nil))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// policy is the Content-Security-Policy of a page that shows images and videos of the given origins
// and of its own.
func policy(media []string) string {
	from := strings.Join(append([]string{"'self'"}, media...), " ")
	return "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; " +
		"img-src " + from + "; media-src " + from + "; base-uri 'none'; frame-ancestors 'none'"
}
