package apiclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
)

// maxStoreAnswer is how much of an upload host's answer is read.
const maxStoreAnswer = 64 << 10

// closeGrace is how long an upload that is over waits for a Read of the file that does not return.
const closeGrace = 5 * time.Second

// File is one file to upload.
type File struct {
	Name        string // as it is stored: one segment, without slashes
	ContentType string // for instance image/jpeg; empty means application/octet-stream
	Size        int64  // bytes, exactly
	// Open starts the content again. It is read from another goroutine, and closed before Upload
	// returns, unless a Read hangs: after an error nothing the reader has counted may be relied on.
	Open func() (io.ReadCloser, error)
}

func (f File) check() error {
	switch {
	case f.Name == "" || strings.ContainsAny(f.Name, `/\`) || strings.ContainsFunc(f.Name, unicode.IsControl):
		return errors.New("the stored name must be one segment without control characters")
	case strings.Contains(f.Name, "${filename}"):
		return errors.New("the upload host would replace ${filename} in the stored name")
	case strings.ContainsFunc(f.ContentType, unicode.IsControl):
		return errors.New("the content type holds control characters")
	case f.Size < 0:
		return errors.New("the size is negative")
	}
	return nil
}

// Upload sends one file to the upload host (4.3): streamed, with an exact length, without the
// password. Any 2xx that names no errors is success. It takes as long as bytes keep moving. Sending
// the same file again replaces it.
func (c *Client) Upload(ctx context.Context, form Credentials, f File) error {
	u := upload{client: c, form: form, op: "upload " + printable(f.Name)}
	if err := f.check(); err != nil {
		return &Error{Op: u.op, Err: err, local: true}
	}
	return c.through(ctx, form.Hostname, http.MethodPost, OpUpload, u.op, func() error {
		target, err := c.uploadTarget(ctx, form.Hostname)
		if err != nil {
			return &Error{Op: u.op, UploadHost: form.Hostname, Err: err}
		}
		content, err := f.Open()
		if err != nil {
			return u.fileError(err)
		}
		return u.send(ctx, target, f, content)
	})
}

// uploadTarget returns where to post to. Behind a proxy or a replaced dialer the name is all that
// can be checked; without them the address is checked as well when it is dialled.
func (c *Client) uploadTarget(ctx context.Context, hostname string) (*url.URL, error) {
	target, err := parseUploadHost(hostname, c.base)
	if err != nil {
		return nil, err
	}
	if isInternalName(target.Hostname()) && !resolvesInternally(ctx, c.base.Hostname()) {
		return nil, internalHostError{target.Hostname()}
	}
	return target, nil
}

// upload is one file on its way.
type upload struct {
	client *Client
	form   Credentials
	op     string
}

// outcome is an answer, or why there is none: a cause, not yet an *Error.
type outcome struct {
	answer answer
	err    error
}

// send posts the form. The transport does not come back as long as a Read of the file hangs, as it
// does on a dead drive. That Read is then left alone with its goroutine, which ends when it
// returns.
func (u upload) send(ctx context.Context, target *url.URL, f File, content io.ReadCloser) error {
	ctx, dog, stop := watch(ctx)
	defer stop()
	body := newUploadBody(newForm(u.form, f), f, content, dog)
	ended := make(chan outcome, 1)
	go func() {
		a, err := u.post(ctx, target, body)
		stop()
		<-body.released
		ended <- outcome{a, err}
	}()
	<-ctx.Done()
	hangs := body.isRead()
	select {
	case o := <-ended:
		return u.result(o, body, hangs)
	case <-time.After(closeGrace):
		return u.fileError(fmt.Errorf("read the file: %w", context.Cause(ctx)))
	}
}

// post sends the form and reads the answer.
func (u upload) post(ctx context.Context, target *url.URL, body *uploadBody) (answer, error) {
	req := http.Request{
		Method: http.MethodPost, URL: target, Body: body, ContentLength: body.size,
		Header: http.Header{"Content-Type": {body.contentType}, "User-Agent": {u.client.userAgent}},
	}
	resp, err := u.client.store.Do(req.WithContext(ctx))
	if err != nil {
		return answer{}, causeOf(ctx, withoutURL(err))
	}
	defer resp.Body.Close()
	u.client.noteClock(resp.Header)
	a := answer{status: resp.StatusCode, header: resp.Header}
	a.body, err = io.ReadAll(io.LimitReader(resp.Body, maxStoreAnswer))
	if err != nil {
		return a, fmt.Errorf("the answer was cut off: %w", causeOf(ctx, err))
	}
	return a, nil
}

// result judges how an upload ended. A failing file comes first: the network's error is then only
// what followed.
func (u upload) result(o outcome, body *uploadBody, hangs bool) error {
	a, err := o.answer, o.err
	var stalled stalledError
	switch {
	case body.content.failure != nil:
		return u.fileError(body.content.failure)
	case hangs && errors.As(err, &stalled):
		return u.fileError(fmt.Errorf("read the file: %w", stalled))
	}
	code, message, isXML := storeError(a.body)
	_, failed := serviceErrors(a.body)
	switch {
	case err != nil:
		return &Error{
			Op:         u.op,
			Status:     a.status,
			Err:        u.redactor().cleanError(err),
			temporary:  temporaryCause(err),
			unclear:    body.started(),
			UploadHost: u.form.Hostname,
		}
	case a.status/100 != 2 || isXML || failed:
		return u.refused(a, code, message, isXML)
	case !body.complete():
		return u.misunderstood(a, errors.New("the upload host answered before it had the whole file"))
	case a.isPage():
		return u.misunderstood(a,
			errors.New("a page for people came instead of the upload host's answer (a captive portal or proxy?)"))
	}
	return nil
}

func (u upload) fileError(err error) *Error {
	return &Error{Op: u.op, Err: err, temporary: true, local: true}
}

func (u upload) refused(a answer, code, message string, isXML bool) *Error {
	secrets := u.redactor()
	e := &Error{
		Op:         u.op,
		Status:     a.status,
		Code:       secrets.clean(code),
		RetryAfter: retryAfter(a.header),
		UploadHost: u.form.Hostname,
		unclear:    a.status/100 != 4 || !isXML,
	}
	if message != "" {
		e.Messages = []string{secrets.clean(message)}
	} else {
		e.Messages = refusalMessages(a.body, secrets)
	}
	if !isXML {
		e.Sample = secrets.clean(string(a.body))
	}
	e.temporary = !e.FormExpired() && (temporaryStatus(a.status) || temporaryCode(code))
	return e
}

// temporaryCode reports whether an upload host's error passes by itself although its status is that
// of a permanent one.
func temporaryCode(code string) bool {
	passing := []string{"SlowDown", "RequestTimeout", "InternalError", "ServiceUnavailable", "OperationAborted"}
	return slices.Contains(passing, code)
}

func (u upload) misunderstood(a answer, err error) *Error {
	return &Error{
		Op: u.op, Status: a.status, Err: u.redactor().cleanError(err), Sample: u.redactor().clean(string(a.body)),
		temporary: true, unclear: true, UploadHost: u.form.Hostname,
	}
}

// redactor also knows the passwords: the upload host may be the service itself.
func (u upload) redactor() Redactor {
	passwords := u.client.hidden(u.client.passwords.Load().all)
	return NewRedactor(append(passwords, u.form.Policy, u.form.Signature, u.form.AccessKeyID)...)
}

// isPage reports whether the answer is HTML with something in it. Some hosts label an empty success
// so.
func (a answer) isPage() bool {
	text := strings.ToLower(string(a.body))
	return a.isHTML() && (strings.Contains(text, "<html") || strings.Contains(text, "<!doctype"))
}
