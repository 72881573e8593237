package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/connections"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Serve answers other commands until the context ends. While it has no entrance, it tries again, and
// no command finds it.
func Serve(ctx context.Context, d *daemon.Live, statePath string) error {
	in, err := enter(ctx, d, statePath)
	if err != nil {
		return nil // the context has ended
	}
	remove := sync.OnceFunc(in.remove)
	defer remove()
	server := &http.Server{
		Handler: in.handler, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 30 * time.Second,
		ErrorLog:    log.New(io.Discard, "", 0), // those are faults of who asks
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() {
		remove() // first: what is closed may give its inode to the next daemon's socket
		server.Close()
	})
	defer stop()
	if err := server.Serve(connections.Limit(in.listener, mostConnections, mostConnections)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// The time between two tries to have an entrance grows from the first to the last.
const (
	firstPause = time.Second
	lastPause  = time.Minute
)

// enter opens an entrance as soon as that can be done. A disk may be full, and on Windows no file can
// be replaced that a backup or a virus scanner reads.
func enter(ctx context.Context, d *daemon.Live, statePath string) (entrance, error) {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		in, err := open(statePath, handler(d))
		if err == nil {
			return in, nil
		}
		if pause == firstPause {
			d.Daemon().Log.Warn("other commands cannot reach this program yet; trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return entrance{}, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// mostConnections is far more than the commands of people need. All of them come from one address.
const mostConnections = 32

// greeting tells a daemon that runs on from one that ends with its pass.
type greeting struct {
	RunsOn bool `json:"runs_on"`
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
	mux.HandleFunc("GET /hello", func(w http.ResponseWriter, r *http.Request) { reply(w, greeting{d.TakeSettings != nil}, nil) })
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, r *http.Request) { reply(w, d.Daemon().Status().InWords(), nil) })
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) {
		err := d.Pulse(r.Context())
		reply(w, health{d.Daemon().Status().Trouble()}, err)
	})
	mux.HandleFunc("GET /export", func(w http.ResponseWriter, r *http.Request) { export(w, d.Daemon().Export) })
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

// reply answers a question. A daemon that ends meanwhile gives no answer: who asked may turn to the
// state file.
func reply(w http.ResponseWriter, answer any, err error) {
	if errors.Is(err, daemon.ErrEnded) || errors.Is(err, context.Canceled) {
		panic(http.ErrAbortHandler)
	}
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
func export(w http.ResponseWriter, products func(yield func(status.ExportedProduct) error) error) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	encoder, begun := json.NewEncoder(w), false
	err := products(func(p status.ExportedProduct) error {
		begun = true
		return encoder.Encode(p)
	})
	switch {
	case err == nil:
	case !begun:
		refuse(w, http.StatusConflict, err)
	default: // the reader sees a cut answer, never a short list, and never none: a daemon is there
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}
