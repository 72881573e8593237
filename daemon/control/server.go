package control

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Serve answers other commands until the context ends.
func Serve(ctx context.Context, d *daemon.Live, statePath string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	here := endpoint{Address: listener.Addr().String(), Token: rand.Text(), PID: os.Getpid()}
	if err := here.write(statePath); err != nil {
		return errors.Join(err, listener.Close())
	}
	defer os.Remove(endpointFile(statePath))
	server := &http.Server{
		Handler: here.guard(handler(d)), ReadHeaderTimeout: 5 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// guard admits only callers that could read the endpoint file.
func (e endpoint) guard(next http.Handler) http.Handler {
	want := []byte("Bearer " + e.Token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			http.Error(w, "wrong token", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hello is the answer by which a daemon identifies itself.
type hello struct {
	PID int `json:"pid"`
}

// health says why publishing cannot go on at present; nothing when it can.
type health struct {
	Trouble string `json:"trouble"`
}

// An order is a verb of a person for one product folder, or for all of them. All is never told by
// an empty folder alone.
type order struct {
	Verb   daemon.Verb `json:"verb"`
	Root   string      `json:"root,omitempty"`
	Folder string      `json:"folder,omitempty"`
	All    bool        `json:"all,omitempty"`
}

func (o order) key() syncstate.Folder { return syncstate.Folder{Root: o.Root, Path: o.Folder} }

func handler(d *daemon.Live) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello", func(w http.ResponseWriter, r *http.Request) { reply(w, hello{os.Getpid()}, nil) })
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

// readOrder reads one order and nothing else. It refuses fields that are unknown: they may say
// which folder is meant.
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
