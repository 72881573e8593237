// Package apiclient speaks the hosting service's interface. Call New, then one method for each
// operation of 4.1 to 4.14. Sections are those of the interface specification.
//
// The package promises:
//
//   - One call is one request (a list that the service pages is one request a page). Nothing is
//     retried, no redirect is followed, and a request that creates something goes over a connection
//     of its own, so that nothing below repeats it.
//   - The password goes to the base URL alone, over TLS or loopback. Uploads and the public
//     status carry none.
//   - An answer is believed only when it is whole, of bounded size, and has the fields that were
//     promised.
//   - Every failure of a request is an *Error. It knows whether another try can help and whether the
//     request may have taken effect nevertheless.
//
// It keeps no state on disk, knows nothing of folders, and decides nothing: the caller knows the
// outstanding work and when to try again.
package apiclient

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options configure a Client. BaseURL and Username are required.
type Options struct {
	// BaseURL is the service's address: https, or http on loopback. It has no user, query or
	// fragment.
	BaseURL  string
	Username string
	Password Secret
	// RootCAs are the certificate authorities trusted for the service and the upload host. Nil
	// means the system's.
	RootCAs *x509.CertPool
	// UserAgent is sent with every request. Empty means "spinsync".
	UserAgent string
	// DialContext replaces the dialer, for connections in memory. Upload hosts are then checked by
	// name only, since the addresses behind the names are not seen. Nil means the network.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
}

// How long the phases of a request may take.
const (
	dialTime    = 15 * time.Second // name lookup and connecting
	tlsTime     = 15 * time.Second // TLS handshake
	answerTime  = time.Minute      // from the request's last byte to the answer's first
	controlTime = 2 * time.Minute  // a whole call other than upload and download
	stallTime   = time.Minute      // an upload or download in which no byte moves
)

// Client calls the service. It may be used by several goroutines at once.
type Client struct {
	// Breaker watches over every request, over a download until its first byte. Nil watches over
	// none. Set it before the first call.
	Breaker Breaker
	// OnlyReads refuses every request but a GET, with ErrOnlyReads. Set it before the first call.
	OnlyReads bool

	fence     *fence
	base      *url.URL
	username  string
	passwords atomic.Pointer[passwords]
	userAgent string

	control *http.Client // pooled connections to the service
	once    *http.Client // a new connection for each request to the service
	store   *http.Client // pooled connections to upload hosts

	clock atomic.Pointer[time.Duration] // server time minus ours, of the newest answer
}

// New returns a client, or an error about the options. It sends nothing.
func New(o Options) (*Client, error) {
	base, err := ParseBaseURL(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("base URL: %w", err)
	}
	if o.Username == "" || strings.ContainsFunc(o.Username, func(r rune) bool { return r < ' ' || r == ':' }) {
		return nil, errors.New("the user name must not be empty or hold a colon or control characters")
	}
	c := &Client{
		fence:     new(fence),
		base:      base,
		username:  o.Username,
		userAgent: cmp.Or(o.UserAgent, "spinsync"),
	}
	c.SetPassword(o.Password)
	t := transports{options: o, base: base, fence: c.fence}
	c.control, c.once, c.store = t.control(), t.once(), t.store()
	return c, nil
}

// passwords are all there were. The last is the one in use.
type passwords struct {
	all      []Secret
	redactor func() Redactor // of all, made when it is first needed
}

// SetPassword makes every request from now on go with another password. Those before it still show
// up in no error.
func (c *Client) SetPassword(password Secret) {
	var all []Secret
	if before := c.passwords.Load(); before != nil {
		all = slices.Clone(before.all)
	}
	all = append(all, password)
	redactor := sync.OnceValue(func() Redactor { return NewRedactor(c.hidden(all)...) })
	c.passwords.Store(&passwords{all, redactor})
}

func (c *Client) password() Secret {
	all := c.passwords.Load().all
	return all[len(all)-1]
}

// hidden are passwords as requests hold them.
func (c *Client) hidden(passwords []Secret) (texts []string) {
	for _, secret := range passwords {
		password := secret.Reveal()
		texts = append(texts, password, base64.StdEncoding.EncodeToString([]byte(c.username+":"+password)))
	}
	return texts
}

// ParseBaseURL reads the service's address and drops a trailing slash. The password must be safe on
// the way there. The error quotes nothing of the address, which may hold a password.
func ParseBaseURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "":
		return nil, errors.New(`this is no web address; write for instance "https://views.example.com"`)
	case u.User != nil:
		return nil, errors.New("an address holds no user and password; use username and password")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New(`"?" and "#" do not belong in the address; remove them and what follows`)
	case strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/api/v2"):
		return nil, errors.New("/api/v2 is added by itself; remove it from the end")
	case u.Scheme == "http" && !IsLoopback(u.Hostname()):
		return nil, errors.New(
			"http would send the password in the clear; write https (http serves this machine alone)")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%s is no scheme for the service; write https", u.Scheme)
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	return u, nil
}

// CloseIdle closes connections that no request uses, for instance after the machine has slept.
func (c *Client) CloseIdle() {
	for _, h := range []*http.Client{c.control, c.once, c.store} {
		h.CloseIdleConnections()
	}
}

// ClockOffset returns how far the service's clock is ahead of ours, to the second, as the newest
// answer showed it. It reports false before the first answer.
func (c *Client) ClockOffset() (time.Duration, bool) {
	offset := c.clock.Load()
	if offset == nil {
		return 0, false
	}
	return *offset, true
}

// TakeClock goes on with the clock that another client knows of the same service.
func (c *Client) TakeClock(before *Client) { c.clock.Store(before.clock.Load()) }

// noteClock reads the answer's Date. A copy from a cache carries an old one, and an Age, which
// reveals it.
func (c *Client) noteClock(header http.Header) {
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil || header.Get("Age") != "" {
		return
	}
	c.clock.Store(new(time.Until(date)))
}
