package dashboard

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"spinsync/apiclient"
	"spinsync/apiclient/hosts"
)

// A guard decides whose requests are answered.
type guard struct {
	local    bool     // served on loopback alone
	hosts    []string // names under which the page may be asked for, in lower case
	password [sha256.Size]byte
	locked   bool // the password is asked for
	guesses  guesses
	origins  *http.CrossOriginProtection
}

func newGuard(o Options) (*guard, error) {
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	g := &guard{
		local:    hosts.IsLoopback(host),
		hosts:    []string{"localhost"},
		password: digest(o.Password),
		locked:   o.Password != "",
		guesses:  guesses{log: o.Log},
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
			http.Error(w, "this page is not served under that name; ask for it as localhost",
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
		ok, wait := g.guesses.judge(r.RemoteAddr, func() bool { return g.isPassword(password) })
		if wait > 0 {
			w.Header().Set("Retry-After", fmt.Sprintf("%.0f", math.Ceil(wait.Seconds())))
			http.Error(w, "too many wrong passwords; wait a minute", http.StatusTooManyRequests)
		}
		if ok || wait > 0 {
			return ok
		}
	}
	w.Header().Set("WWW-Authenticate", `Basic realm="spinsync", charset="UTF-8"`)
	http.Error(w, "the password of [dashboard] in sync.toml is needed", http.StatusUnauthorized)
	return false
}

// isPassword compares digests, so that the time taken tells nothing of the password.
func (g *guard) isPassword(given string) bool {
	sum := sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(sum[:], g.password[:]) == 1
}

// harden sets the headers of every answer. Pages add the origins of their images to the policy.
// Beyond loopback, where TLS is needed, a browser is told to use nothing else for the next month.
func (g *guard) harden(h http.Header) {
	if !g.local {
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
// beside its own.
func policy(media []string) string {
	from := strings.Join(append([]string{"'self'"}, media...), " ")
	return "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; " +
		"img-src " + from + "; media-src " + from + "; base-uri 'none'; frame-ancestors 'none'"
}
