package apiclient

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
)

// How much of an answer is read.
const (
	maxAnswer = int64(4 << 20)
	maxList   = 64 << 20 // all pages together
)

// call is one request to the service.
type call struct {
	op       string // as errors name it
	method   string
	path     string // below the base URL, each segment escaped
	query    string
	body     any    // sent as JSON; nil sends none
	accept   string // empty means JSON
	limit    int64  // of the answer's size; 0 means maxAnswer
	elements int    // of a list, all pages together; 0 means maxElements
	markup   bool   // the answer may be HTML
	public   bool   // sent without the password
	once     bool   // sent over a connection of its own
	private  bool   // the answer holds what must not be shown
	wrong    error  // why it must not be sent
}

// answer is what came back, whole.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) isJSON() bool { return json.Valid(a.body) }

// isHTML reports whether the answer is a page for people.
func (a answer) isHTML() bool {
	kind, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// exchange sends a call and reads its whole answer. It returns an *Error unless the answer is a 2xx
// without errors. With an error about an answer it returns the answer too.
func (c *Client) exchange(ctx context.Context, k call) (a answer, err error) {
	if k.wrong != nil {
		return answer{}, k.wrong
	}
	err = c.through(ctx, "", k.method, k.op, k.op, func() error {
		a, err = c.exchangeNow(ctx, k)
		return err
	})
	return a, err
}

func (c *Client) exchangeNow(ctx context.Context, k call) (answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, controlTime, stalledError{"no complete answer", controlTime})
	defer cancel()
	resp, err := c.send(ctx, k)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode, header: resp.Header}
	a.body, err = readAtMost(resp.Body, cmp.Or(k.limit, maxAnswer))
	if err != nil {
		return a, c.misunderstood(k, a, causeOf(ctx, err))
	}
	a.body = bytes.TrimPrefix(a.body, []byte("\ufeff"))
	return a, c.check(k, a)
}

// send returns the answer's header, or an *Error that knows whether anything was sent.
func (c *Client) send(ctx context.Context, k call) (*http.Response, error) {
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:      func(got httptrace.GotConnInfo) { c.fence.carries(got.Conn, k.changes()) },
		WroteHeaders: func() { sent.Store(true) },
	})
	req, err := c.request(ctx, k)
	if err != nil {
		return nil, &Error{Op: k.op, Request: c.requestOf(k), Err: err}
	}
	client := c.control
	if k.once {
		client = c.once
	}
	resp, err := client.Do(req)
	if err != nil {
		err = c.redactor().cleanError(causeOf(ctx, withoutURL(err)))
		return nil, &Error{
			Op:        k.op,
			Request:   c.requestOf(k),
			Err:       err,
			temporary: temporaryCause(err),
			unclear:   sent.Load() && k.changes(),
		}
	}
	c.noteClock(resp.Header)
	return resp, nil
}

func (c *Client) request(ctx context.Context, k call) (*http.Request, error) {
	var body io.Reader
	if k.body != nil {
		data, err := json.Marshal(k.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, k.method, c.base.String()+k.path, body)
	if err != nil {
		return nil, err
	}
	req.URL.RawQuery = k.query
	req.Header.Set("Accept", cmp.Or(k.accept, "application/json"))
	req.Header.Set("User-Agent", c.userAgent)
	if k.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if !k.public {
		req.SetBasicAuth(c.username, c.password().Reveal())
	}
	return req, nil
}

// requestOf names a call in an error. The query is left out: it holds what people wrote, and can be
// long.
func (c *Client) requestOf(k call) string { return c.redactor().clean(k.method + " " + k.path) }

// changes reports whether the call asks for more than to read.
func (k call) changes() bool { return k.method != http.MethodGet }

// readAtMost reads everything, or reports that there is more than the limit.
func readAtMost(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return data, fmt.Errorf("the answer was cut off: %w", err)
	case int64(len(data)) > limit:
		return data[:limit], fmt.Errorf("the answer is longer than %d bytes", limit)
	}
	return data, nil
}

// check separates a success from a refusal and from an answer that is not the service's.
func (c *Client) check(k call, a answer) error {
	_, failed := serviceErrors(a.body)
	switch {
	case a.status/100 != 2 || failed:
		return c.refused(k, a)
	case a.isHTML() && len(bytes.TrimSpace(a.body)) > 0 && !a.isJSON() && !k.markup:
		// Some servers label JSON as HTML, so isJSON reads the body.
		return c.misunderstood(k, a,
			errors.New("a page for people came instead of the service's answer (a captive portal or proxy?)"))
	}
	return nil
}

// refused makes the error for a refusing answer.
func (c *Client) refused(k call, a answer) *Error {
	e := &Error{
		Op:         k.op,
		Request:    c.requestOf(k),
		Status:     a.status,
		Messages:   refusalMessages(a.body, c.redactor()),
		RetryAfter: retryAfter(a.header),
		temporary:  temporaryStatus(a.status),
		unclear:    k.changes() && !a.refusesClearly(),
	}
	if len(e.Messages) == 0 {
		e.Sample = c.sample(k, a)
	}
	return e
}

// refusesClearly reports whether the answer proves that nothing was done. A conflict may be with
// what an earlier request did, an answer that is not JSON may come from something between, and a
// 2xx with more than errors may report both.
func (a answer) refusesClearly() bool {
	switch a.status {
	case http.StatusUnauthorized:
		return true
	case http.StatusConflict, http.StatusRequestTimeout:
		return false
	}
	return a.status/100 == 4 && a.isJSON() || a.status/100 == 2 && holdsOnlyErrors(a.body)
}

// misunderstood makes the error for an answer that breaks the interface. A proxy may have sent it,
// so another try may help, and a change may have been made.
func (c *Client) misunderstood(k call, a answer, err error) *Error {
	return &Error{
		Op:         k.op,
		Request:    c.requestOf(k),
		Status:     a.status,
		RetryAfter: retryAfter(a.header),
		Sample:     c.sample(k, a),
		Err:        c.redactor().cleanError(err),
		temporary:  true,
		unclear:    k.changes(),
	}
}

// sample is the beginning of an answer, for the log.
func (c *Client) sample(k call, a answer) string {
	if k.private && !a.isHTML() {
		return fmt.Sprintf("%s (%d bytes, hidden)", Hidden, len(a.body))
	}
	return c.redactor().clean(strings.ToValidUTF8(string(a.body), "�"))
}

// redactor knows every password there was.
func (c *Client) redactor() Redactor { return c.passwords.Load().redactor() }

// decode reads a whole JSON answer.
func decode[T any](c *Client, k call, a answer) (T, error) {
	var value T
	if err := json.Unmarshal(a.body, &value); err != nil {
		var none T
		return none, c.misunderstood(k, a, notPromised(err))
	}
	return value, nil
}

func notPromised(err error) error {
	return fmt.Errorf("the answer is not what the interface promises: %w", err)
}

// at is a call about one resource. An identifier that would name another one makes the call fail.
func (k call) at(kind, id string, rest ...string) call {
	if id == "" || id == "." || id == ".." || strings.ContainsAny(id, `/\`) {
		k.wrong = &Error{Op: k.op, Err: fmt.Errorf("%q names no single one of the %s", id, kind)}
	}
	segments := append([]string{"/api/v2", kind, url.PathEscape(id)}, rest...)
	k.path = strings.Join(segments, "/")
	return k
}
