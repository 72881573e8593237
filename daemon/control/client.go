package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Client speaks to a running daemon.
type Client struct {
	statePath string
	http      *http.Client
	greeting  greeting
}

// address stands for the daemon in the requests. Their transport knows where it is.
const address = "http://spinsync"

// Dial finds the daemon that works on a state file. It returns ErrNoDaemon when there is none, also
// when one died without cleaning up.
func Dial(ctx context.Context, statePath string) (*Client, error) { return dial(ctx, statePath, reach) }

// helloTimeout is far more than a daemon needs to answer, however busy it is.
const helloTimeout = 10 * time.Second

func dial(
	ctx context.Context, statePath string, reach func(context.Context, string) (http.RoundTripper, error),
) (*Client, error) {
	asking, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	c := &Client{statePath: statePath}
	transport, err := reach(asking, statePath)
	if err == nil {
		c.http = &http.Client{Transport: transport}
		err = c.hello(asking)
	}
	switch {
	case err == nil:
		return c, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, c.restart("does not answer")
	}
	return nil, err
}

// hello finds out whether a daemon answers. One that is on its way out does not.
func (c *Client) hello(ctx context.Context) error {
	err := c.ask(ctx, http.MethodGet, "/hello", nil, &c.greeting)
	closed, isClosed := errors.AsType[*fs.PathError](err) // to this account
	switch {
	case isClosed:
		return closed
	case err == nil, errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return ErrNoDaemon
}

// restart is the error of a daemon that does something wrong. It names the process, where it is known.
func (c *Client) restart(wrong string) error {
	who := "the daemon"
	if holder := syncstate.Holder(c.statePath); holder != "" {
		who += " (" + holder + ")"
	}
	return fmt.Errorf("%s %s; restart it", who, wrong)
}

// Status returns the status of the daemon and of all folders.
func (c *Client) Status(ctx context.Context) (status.Status, error) {
	var s status.Status
	err := c.ask(ctx, http.MethodGet, "/status", nil, &s)
	return s, err
}

// Health is why publishing cannot go on at present, or "". A daemon whose loop hangs does not answer
// before the context ends.
func (c *Client) Health(ctx context.Context) (string, error) {
	var h health
	err := c.ask(ctx, http.MethodGet, "/health", nil, &h)
	if errors.Is(err, context.DeadlineExceeded) {
		err = c.restart("hangs")
	}
	return h.Trouble, err
}

// Plan returns the work that a pass would do.
func (c *Client) Plan(ctx context.Context) ([]status.Preview, error) {
	var previews []status.Preview
	err := c.ask(ctx, http.MethodGet, "/plan", nil, &previews)
	return previews, err
}

// Sync makes one pass and waits for its end. Without an answer it returns ErrNoDaemon: a pass may be
// made again. A daemon that runs on may be starting again, and needs the state file.
func (c *Client) Sync(ctx context.Context) error {
	err := c.ask(ctx, http.MethodPost, "/sync", nil, nil)
	if c.greeting.RunsOn && errors.Is(err, ErrNoDaemon) {
		return errors.New("the daemon ended before the pass was over; run sync again")
	}
	return err
}

// Do has the daemon do what a person asks for a folder, or for all with the zero Folder.
func (c *Client) Do(ctx context.Context, v daemon.Verb, key syncstate.Folder) error {
	o := order{Verb: v, Root: key.Root, Folder: key.Path, All: key == syncstate.Folder{}}
	return c.ask(ctx, http.MethodPost, "/verb", o, nil)
}

// Export calls yield for every known product folder.
func (c *Client) Export(ctx context.Context, yield func(status.ExportedProduct) error) error {
	answer, err := c.send(ctx, http.MethodGet, "/export", nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	decoder := json.NewDecoder(answer.Body)
	for {
		var p status.ExportedProduct
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("export from the daemon: %w", err)
		}
		if err := yield(p); err != nil {
			return err
		}
	}
}

func (c *Client) ask(ctx context.Context, method, path string, question, answer any) error {
	got, err := c.send(ctx, method, path, question)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	if answer == nil {
		return nil
	}
	return json.NewDecoder(got.Body).Decode(answer)
}

// send returns the answer to a request that the daemon accepted. A nil question has no body: the daemon
// notices that its client is gone only once a body was read.
func (c *Client) send(ctx context.Context, method, path string, question any) (*http.Response, error) {
	var body io.Reader
	if question != nil {
		encoded, err := json.Marshal(question)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, address+path, body)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(request)
	switch {
	case errors.Is(err, ErrNoDaemon), question == nil && brokeOff(err): // it has ended since its greeting
		return nil, ErrNoDaemon
	case err != nil:
		return nil, fmt.Errorf("reach the daemon: %w", err)
	}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer answer.Body.Close()
	return nil, refusal(answer)
}

// brokeOff reports whether a connection ended before the answer began. A request without a question
// reads, or makes a pass: who sent it may turn to the state file then.
func brokeOff(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, errReset) }

func refusal(answer *http.Response) error {
	var f failure
	if err := json.NewDecoder(io.LimitReader(answer.Body, 64<<10)).Decode(&f); err != nil {
		return fmt.Errorf("the daemon answered %s", answer.Status)
	}
	if f.Unpublished {
		return unpublished(f.Message)
	}
	return errors.New(f.Message)
}

// unpublished is a daemon.ErrUnpublished with the daemon's message.
type unpublished string

func (u unpublished) Error() string        { return string(u) }
func (u unpublished) Is(target error) bool { return target == daemon.ErrUnpublished }

// Profile writes a profile of the daemon's process, for go tool pprof: cpu of a few seconds, heap,
// or goroutine.
func (c *Client) Profile(ctx context.Context, kind string, to io.Writer) error {
	answer, err := c.send(ctx, http.MethodGet, "/profile/"+kind, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(to, answer.Body)
	return err
}

// Runtime returns the state of the daemon's process.
func (c *Client) Runtime(ctx context.Context) (Runtime, error) {
	var r Runtime
	err := c.ask(ctx, http.MethodGet, "/runtime", nil, &r)
	return r, err
}
