package sandbox

import (
	"bytes"
	"cmp"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"time"
)

// Call is a call that is about to be served.
type Call struct {
	// Op is a section of the interface, or "media", "view", "home" or "unknown".
	Op      string
	Request *http.Request
	// N counts the calls of this operation since New, from 1 on.
	N int
}

// Fault is how a call goes wrong. The zero value spoils nothing. The faults come in the order of
// the fields.
type Fault struct {
	// RotateKey replaces the access key that signs upload forms. The upload host refuses every
	// older form from now on.
	RotateKey bool
	// Delay passes before the call is served. The body of an upload is not read before that; any
	// other call is served after the delay even when its sender has gone.
	Delay time.Duration
	// CutRequest closes the connection once so many bytes of the body have arrived, with nothing
	// done.
	CutRequest int64
	// DropBefore closes the connection with nothing done.
	DropBefore bool
	// Status and Body replace the answer. Nothing is done, unless Process is set.
	Status int
	Body   string
	// Process executes the request before Status and Body are answered.
	Process bool
	// Header is added to the answer.
	Header http.Header
	// Hold passes between the work and the answer.
	Hold time.Duration
	// DropAfter closes the connection after the work, without an answer.
	DropAfter bool
	// CutBody closes the connection after so many bytes of the answer's body. Negative: after none.
	CutBody int
}

// intercepted serves an operation as Options.Intercept wants it.
func (s *Server) intercepted(op operation, answer http.Handler) http.Handler {
	if s.opts.Intercept == nil {
		return answer
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fault := s.opts.Intercept(&Call{Op: op.name, Request: r, N: s.tally.next(op.name)})
		if fault.RotateKey {
			if err := s.store.rotateKey(); err != nil {
				s.replyError(w, r, err)
				return
			}
		}
		fault.wait(op, r)
		fault.dropRequest(r)
		if !fault.changesAnswer() {
			answer.ServeHTTP(w, r)
			return
		}
		fault.send(w, fault.answered(answer, r))
	})
}

// A tally counts the calls of each operation.
type tally struct {
	mu    sync.Mutex
	calls map[string]int // guarded by mu
}

func (t *tally) next(op string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls[op]++
	return t.calls[op]
}

func (f *Fault) wait(op operation, r *http.Request) {
	if f.Delay <= 0 {
		return
	}
	if op.name != Upload {
		whole, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(whole), failingReader{err}))
	}
	time.Sleep(f.Delay)
}

// failingReader ends with the error that ended an earlier read.
type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) {
	return 0, cmp.Or(f.err, io.EOF)
}

// dropRequest closes the connection: net/http knows this panic and is silent about it.
func (f *Fault) dropRequest(r *http.Request) {
	if f.CutRequest > 0 {
		io.CopyN(io.Discard, r.Body, f.CutRequest)
	}
	if f.CutRequest > 0 || f.DropBefore {
		panic(http.ErrAbortHandler)
	}
}

func (f *Fault) replaces() bool { return f.Status != 0 || f.Body != "" }

func (f *Fault) changesAnswer() bool {
	return f.replaces() || len(f.Header) > 0 || f.Hold > 0 || f.DropAfter || f.CutBody != 0
}

// answered does the work, unless the fault forbids it, and returns the answer to send.
func (f *Fault) answered(answer http.Handler, r *http.Request) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	if !f.replaces() || f.Process {
		answer.ServeHTTP(rec, r)
	}
	if f.replaces() {
		rec = httptest.NewRecorder()
		rec.Code = max(f.Status, http.StatusOK)
		rec.Body.WriteString(f.Body)
	}
	maps.Copy(rec.Header(), f.Header)
	return rec
}

func (f *Fault) send(w http.ResponseWriter, rec *httptest.ResponseRecorder) {
	time.Sleep(f.Hold)
	if f.DropAfter {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), rec.Header())
	data := rec.Body.Bytes()
	if f.CutBody == 0 || f.CutBody >= len(data) {
		w.WriteHeader(rec.Code)
		w.Write(data)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(rec.Code)
	w.Write(data[:max(f.CutBody, 0)])
	http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}
