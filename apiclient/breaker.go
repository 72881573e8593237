package apiclient

import (
	"context"
	"errors"
	"net/http"
)

// What a Breaker calls the uploads of files (4.3), and the one operation of the service that is
// sent without the password (4.14). The other operations too have the names that errors begin with.
const (
	OpUpload = "upload"
	OpStatus = "read status"
	OpEmbed  = "embed"
)

// Breaker decides for each request whether it may be sent now, and learns how it went. The host is
// that of the upload credentials, as the service named it, and empty for the service itself.
type Breaker interface {
	// Enter is asked before a request. Its error keeps the request from being sent and is the cause
	// of the *Error that the caller gets, which is temporary.
	Enter(host, op string) error
	// Leave gets the outcome of a request that Enter let through: nil, an *Error, or ErrGivenUp.
	Leave(host, op string, err error)
}

// ErrGivenUp is the outcome of a request whose caller did not wait for its end. It proves nothing
// about the host.
var ErrGivenUp = errors.New("the request was given up")

// through sends a request if the client may send it and the breaker lets it. Errors name the request
// what, the breaker names it op.
func (c *Client) through(ctx context.Context, host, method, op, what string, send func() error) error {
	if c.OnlyReads && method != http.MethodGet {
		return &Error{Op: what, UploadHost: host, Err: ErrOnlyReads}
	}
	if err := c.fence.mayBegin(host, method); err != nil {
		return &Error{Op: what, UploadHost: host, Err: err, temporary: true}
	}
	if c.Breaker == nil {
		return send()
	}
	if err := c.Breaker.Enter(host, op); err != nil {
		return &Error{Op: what, UploadHost: host, Err: err, temporary: true}
	}
	outcome := ErrGivenUp // after a panic too
	defer func() { c.Breaker.Leave(host, op, outcome) }()
	err := send()
	if err == nil || ctx.Err() == nil {
		outcome = err
	}
	return err
}
