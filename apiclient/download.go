package apiclient

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// DownloadSources writes the ZIP of a product's source files to w and returns its length in bytes
// (4.11). It takes as long as bytes keep coming. After an error w may hold the beginning of the
// ZIP. The names inside the ZIP are not checked: a program that extracts it must not trust them.
func (c *Client) DownloadSources(ctx context.Context, product string, w io.Writer) (int64, error) {
	k := call{op: "download sources", method: http.MethodGet, accept: "application/zip", once: true}.
		at("products", product)
	if k.wrong != nil {
		return 0, k.wrong
	}
	k.path += ".zip"
	ctx, dog, stop := watch(ctx)
	defer stop()
	var resp *http.Response
	var body *bufio.Reader
	err := c.through(ctx, "", k.method, k.op, k.op, func() (err error) { resp, body, err = c.openZIP(ctx, k, dog); return err })
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return c.save(ctx, k, resp, w, body)
}

// openZIP gets as far as the beginning of the ZIP.
func (c *Client) openZIP(ctx context.Context, k call, dog *watchdog) (*http.Response, *bufio.Reader, error) {
	resp, err := c.send(ctx, k)
	if err != nil {
		return nil, nil, err
	}
	body := bufio.NewReader(watchedReader{resp.Body, dog})
	if magic, _ := body.Peek(2); resp.StatusCode/100 != 2 || !bytes.Equal(magic, []byte("PK")) {
		defer resp.Body.Close()
		return nil, nil, c.noZIP(ctx, k, resp, body)
	}
	return resp, body, nil
}

// noZIP makes the error for an answer that is not a ZIP: the service's errors, or something else.
func (c *Client) noZIP(ctx context.Context, k call, resp *http.Response, body io.Reader) error {
	a := answer{status: resp.StatusCode, header: resp.Header}
	var err error
	a.body, err = readAtMost(body, maxAnswer)
	if err != nil {
		return c.misunderstood(k, a, causeOf(ctx, err))
	}
	if err := c.check(k, a); err != nil {
		return err
	}
	return c.misunderstood(k, a, notPromised(errors.New("it is no ZIP")))
}

func (c *Client) save(ctx context.Context, k call, resp *http.Response, w io.Writer, body io.Reader) (int64, error) {
	out := &keptError{w: w}
	n, err := io.Copy(out, body)
	switch {
	case out.err != nil:
		return n, &Error{
			Op: k.op, Request: c.requestOf(k), Status: resp.StatusCode, Err: out.err, temporary: true, local: true,
		}
	case err != nil:
		err = fmt.Errorf("the ZIP was cut off after %d bytes: %w", n, causeOf(ctx, err))
		return n, &Error{Op: k.op, Request: c.requestOf(k), Status: resp.StatusCode, Err: err, temporary: true}
	}
	return n, nil
}

// watchedReader reports every byte to a watchdog.
type watchedReader struct {
	r   io.Reader
	dog *watchdog
}

func (r watchedReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if n > 0 {
		r.dog.moved()
	}
	return n, err
}

// keptError remembers that it was the writer that failed, and not the reader it was copied from.
type keptError struct {
	w   io.Writer
	err error
}

func (k *keptError) Write(p []byte) (int, error) {
	n, err := k.w.Write(p)
	if err != nil {
		k.err = err
	}
	return n, err
}
