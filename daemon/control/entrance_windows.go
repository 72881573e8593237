package control

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
)

// errReset is the system's error for a connection that the other side dropped. The ECONNRESET of package
// syscall is a number that Windows does not know.
const errReset = syscall.WSAECONNRESET

// An endpoint is where a daemon listens, and what it asks for.
type endpoint struct {
	Address string `json:"address"` // host:port
	Token   string `json:"token"`
}

// open listens on a loopback port of the system's choice, and writes it down beside the state file.
func open(statePath string, handler http.Handler) (entrance, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return entrance{}, err
	}
	here := endpoint{listener.Addr().String(), rand.Text()}
	if err := here.write(statePath); err != nil {
		return entrance{}, errors.Join(err, listener.Close())
	}
	return entrance{listener, here.guard(handler), func() { os.Remove(meetingFile(statePath)) }}, nil
}

// write puts the endpoint in place as a whole, so that no reader sees half of it.
func (e endpoint) write(statePath string) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	name := meetingFile(statePath)
	temporary, err := createPrivate(name)
	if err != nil {
		return err
	}
	_, err = temporary.Write(data)
	err = errors.Join(err, temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), name)
	}
	if err != nil {
		os.Remove(temporary.Name())
	}
	return err
}

func readEndpoint(statePath string) (endpoint, error) {
	data, err := os.ReadFile(meetingFile(statePath))
	if errors.Is(err, os.ErrNotExist) {
		return endpoint{}, ErrNoDaemon
	}
	if err != nil {
		return endpoint{}, err
	}
	var e endpoint
	if err := json.Unmarshal(data, &e); err != nil {
		return endpoint{}, fmt.Errorf("%s: %w; remove it when no daemon is running", meetingFile(statePath), err)
	}
	return e, nil
}

// guard admits only callers that could read the endpoint file. To all others it proves who it is, no
// more, and ends the connection.
func (e endpoint) guard(next http.Handler) http.Handler {
	want := []byte("Bearer " + e.Token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) == 1 {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		if r.Method == http.MethodGet && r.URL.Path == "/proof" {
			w.Write(e.proof(r.Header.Get(nonceHeader)))
			return
		}
		http.Error(w, "wrong token", http.StatusForbidden)
	})
}

// nonceHeader names what a proof is asked for, which is never the same twice.
const nonceHeader = "Spinsync-Nonce"

// proof shows that its sender knows the token. Another program may have got the port of a daemon that
// was killed.
func (e endpoint) proof(nonce string) []byte {
	mac := hmac.New(sha256.New, []byte(e.Token))
	mac.Write([]byte(nonce))
	return mac.Sum(nil)
}

// reach finds the daemon that wrote the endpoint file. The token is sent only after its proof. No
// connection is kept: a command that asks again and again would hold all that the daemon accepts.
func reach(ctx context.Context, statePath string) (http.RoundTripper, error) {
	at, err := readEndpoint(statePath)
	if err != nil {
		return nil, err
	}
	to := visitor{at, &http.Transport{Proxy: nil, DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", at.Address)
		if err != nil && ctx.Err() == nil {
			return nil, ErrNoDaemon
		}
		return conn, err
	}}}
	switch proved, err := to.proved(ctx); {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return nil, err
	case err != nil, !proved:
		return nil, ErrNoDaemon
	}
	return to, nil
}

// A visitor shows the token of an endpoint with each request.
type visitor struct {
	at        endpoint
	transport http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (v visitor) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+v.at.Token)
	return v.transport.RoundTrip(r)
}

// proved asks who listens to prove that it knows the token.
func (v visitor) proved(ctx context.Context) (bool, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/proof", nil)
	if err != nil {
		return false, err
	}
	nonce := rand.Text()
	request.Header.Set(nonceHeader, nonce)
	answer, err := v.transport.RoundTrip(request)
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	proof, err := io.ReadAll(io.LimitReader(answer.Body, sha256.Size))
	return hmac.Equal(proof, v.at.proof(nonce)), err
}
