package control

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"time"

	"spinsync/daemon"
	"spinsync/syncstate"
)

// Serve answers other commands until the context ends.
func Serve(ctx context.Context, d *daemon.Daemon, statePath string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	here := newEndpoint(listener.Addr().String())
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

// guard lets only those in who could read the endpoint file.
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

// hello is how a daemon makes itself known.
type hello struct {
	PID int `json:"pid"`
}

// A verb is what a person wants done with one product folder, or with all when the folder is empty.
type verb struct {
	Root   string `json:"root"`
	Folder string `json:"folder"`
	AsIs   bool   `json:"as_is,omitempty"`
	First  bool   `json:"first,omitempty"`
}

func (v verb) key() syncstate.Folder { return syncstate.Folder{Root: v.Root, Path: v.Folder} }

func handler(d *daemon.Daemon) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello", func(w http.ResponseWriter, r *http.Request) { reply(w, hello{os.Getpid()}, nil) })
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, r *http.Request) { reply(w, d.Status().InWords(), nil) })
	mux.HandleFunc("GET /export", func(w http.ResponseWriter, r *http.Request) { export(w, d) })
	mux.HandleFunc("GET /runtime", func(w http.ResponseWriter, r *http.Request) {
		own, err := ownRuntime()
		reply(w, own, err)
	})
	mux.HandleFunc("GET /plan", func(w http.ResponseWriter, r *http.Request) {
		previews, err := d.Preview(r.Context())
		reply(w, previews, err)
	})
	mux.HandleFunc("POST /sync", func(w http.ResponseWriter, r *http.Request) { reply(w, struct{}{}, d.Pass(r.Context())) })
	handleVerb(mux, "retry", func(v verb) error { return d.Retry(v.key(), v.AsIs) })
	handleVerb(mux, "pause", func(v verb) error { return d.Pause(v.key()) })
	handleVerb(mux, "resume", func(v verb) error { return d.Resume(v.key()) })
	handleVerb(mux, "rush", func(v verb) error { return d.Rush(v.key(), v.First) })
	return mux
}

func handleVerb(mux *http.ServeMux, name string, do func(verb) error) {
	mux.HandleFunc("POST /"+name, func(w http.ResponseWriter, r *http.Request) {
		var v verb
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(&v); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		reply(w, struct{}{}, do(v))
	})
}

// failure is how an error crosses the wire.
type failure struct {
	Message     string `json:"message"`
	Unpublished bool   `json:"unpublished,omitempty"`
}

func reply(w http.ResponseWriter, answer any, err error) {
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		w.WriteHeader(http.StatusConflict)
		answer = failure{Message: err.Error(), Unpublished: errors.Is(err, daemon.ErrUnpublished)}
	}
	json.NewEncoder(w).Encode(answer)
}

// export streams one product a line, so that a million images need no memory.
func export(w http.ResponseWriter, d *daemon.Daemon) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	encoder := json.NewEncoder(w)
	err := d.Export(func(p daemon.ExportedProduct) error { return encoder.Encode(p) })
	if err != nil {
		panic(http.ErrAbortHandler) // the reader sees a cut answer, never a short list
	}
}
