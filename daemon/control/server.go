package control

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/connections"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Serve answers other commands until the context ends. While it cannot write where it listens, it
// tries again, and no command finds it.
func Serve(ctx context.Context, d *daemon.Live, statePath string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	here := endpoint{Address: listener.Addr().String(), Token: rand.Text(), PID: os.Getpid()}
	var writing sync.WaitGroup
	defer os.Remove(endpointFile(statePath))
	defer writing.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := here.write(statePath); err != nil {
		d.Daemon().Log.Warn("other commands cannot reach this program yet; trying again", "error", err)
		writing.Go(func() { here.writeLater(ctx, statePath) })
	}
	server := &http.Server{
		Handler: here.guard(handler(d)), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 30 * time.Second,
		ErrorLog:    log.New(io.Discard, "", 0), // those are faults of who asks
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(connections.Limit(listener, mostConnections, mostConnections)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// writePause is the time between two tries to write the endpoint.
const writePause = time.Second

// writeLater writes the endpoint as soon as that can be done. On Windows no file can be replaced that
// a backup or a virus scanner reads.
func (e endpoint) writeLater(ctx context.Context, statePath string) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(writePause):
		}
		if e.write(statePath) == nil {
			return
		}
	}
}

// mostConnections is far more than the commands of people need. All of them come from one address.
const mostConnections = 32

// guard admits only callers that could read the endpoint file. To all others it answers with who it
// is, no more, and ends the connection.
func (e endpoint) guard(next http.Handler) http.Handler {
	want := []byte("Bearer " + e.Token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) == 1 {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		if r.Method == http.MethodGet && r.URL.Path == "/hello" {
			reply(w, hello{e.PID, e.proof(r.Header.Get(nonceHeader))}, nil)
			return
		}
		http.Error(w, "wrong token", http.StatusForbidden)
	})
}

// hello is the answer by which a daemon identifies itself: with a proof that it knows the token.
// Another program may have got its port.
type hello struct {
	PID   int    `json:"pid"`
	Proof []byte `json:"proof"`
}

// nonceHeader names what a proof is asked for, which is never the same twice.
const nonceHeader = "Spinsync-Nonce"

func (e endpoint) proof(nonce string) []byte {
	mac := hmac.New(sha256.New, []byte(e.Token))
	mac.Write([]byte(nonce))
	return mac.Sum(nil)
}

// health is why publishing cannot go on at present; nothing when it can.
type health struct {
	Trouble string `json:"trouble"`
}

// An order is a verb of a person for one product folder, or for all of them. An empty folder alone
// never means all.
type order struct {
	Verb   daemon.Verb `json:"verb"`
	Root   string      `json:"root,omitempty"`
	Folder string      `json:"folder,omitempty"`
	All    bool        `json:"all,omitempty"`
}

func (o order) key() syncstate.Folder { return syncstate.Folder{Root: o.Root, Path: o.Folder} }

func handler(d *daemon.Live) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, r *http.Request) { reply(w, d.Daemon().Status().InWords(), nil) })
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) {
		err := d.Pulse(r.Context())
		reply(w, health{d.Daemon().Status().Trouble()}, err)
	})
	mux.HandleFunc("GET /export", func(w http.ResponseWriter, r *http.Request) { export(w, d.Daemon()) })
	mux.HandleFunc("GET /runtime", func(w http.ResponseWriter, r *http.Request) {
		own, err := ownRuntime()
		reply(w, own, err)
	})
	mux.HandleFunc("GET /profile/{kind}", func(w http.ResponseWriter, r *http.Request) {
		var taken bytes.Buffer
		if err := profile(r.Context(), r.PathValue("kind"), &taken); err != nil {
			refuse(w, http.StatusConflict, err)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		taken.WriteTo(w)
	})
	mux.HandleFunc("GET /plan", func(w http.ResponseWriter, r *http.Request) {
		previews, err := d.Preview(r.Context())
		reply(w, previews, err)
	})
	mux.HandleFunc("POST /sync", func(w http.ResponseWriter, r *http.Request) {
		reply(w, struct{}{}, d.Pass(r.Context()))
	})
	mux.HandleFunc("POST /verb", func(w http.ResponseWriter, r *http.Request) {
		o, err := readOrder(http.MaxBytesReader(w, r.Body, 64<<10))
		if err != nil {
			refuse(w, http.StatusBadRequest, err)
			return
		}
		reply(w, struct{}{}, d.Do(o.Verb, o.key()))
	})
	return mux
}

// readOrder reads one order and nothing else. It refuses fields that are unknown: they may name the
// folder that is meant.
func readOrder(body io.Reader) (o order, err error) {
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&o); err != nil {
		return o, fmt.Errorf("the question cannot be read: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return o, errors.New("the question goes on behind its end")
	}
	if o.All == (o.key() != syncstate.Folder{}) {
		return o, errors.New("the question names neither a folder nor all of them, or both")
	}
	return o, nil
}

// failure is an error as JSON.
type failure struct {
	Message     string `json:"message"`
	Unpublished bool   `json:"unpublished,omitempty"`
}

func reply(w http.ResponseWriter, answer any, err error) {
	if err != nil {
		refuse(w, http.StatusConflict, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(answer)
}

func refuse(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(failure{Message: err.Error(), Unpublished: errors.Is(err, daemon.ErrUnpublished)})
}

// export streams one product a line, so that a million images need no memory.
func export(w http.ResponseWriter, d *daemon.Daemon) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	encoder := json.NewEncoder(w)
	err := d.Export(func(p status.ExportedProduct) error { return encoder.Encode(p) })
	if err != nil {
		panic(http.ErrAbortHandler) // the reader sees a cut answer, never a short list
	}
}
