package sandbox

import (
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// access is what an operation asks of the sender (interface section 5).
type access int

const (
	public access = iota
	member        // valid credentials
	editor        // those, and edit permission
)

// operation is one kind of call.
type operation struct {
	name    string // its section of the interface, or a name of its own
	pattern string
	access  access
	// accept is the media type of the answer, which the sender's Accept must allow; empty: not
	// checked.
	accept string
	input  input
	serve  func(http.ResponseWriter, *http.Request) error
}

// input is what the requests of an operation hold, and nothing else.
type input struct {
	query []string // names of parameters, each at most once
	body  bool     // JSON
}

var (
	empty  = input{}
	object = input{body: true}
	// filters are those of interface 4.6 and 4.8.
	filters = input{query: []string{"title", "manufacturer", "sku", "year"}}
	// sizes are those of interface 4.5.
	sizes = input{query: []string{"type", "width", "height"}}
)

const jsonType = "application/json"

func (s *Server) operations() []operation {
	return []operation{
		{CreateProject, "POST /api/v2/projects", member, jsonType, object, s.createProject},
		{CreateProduct, "POST /api/v2/products", member, jsonType, object, s.createProduct},
		{Upload, "POST /{$}", public, "", empty, uploadHost{s.opts, s.store}.upload},
		{FinishUpload, "POST /api/v2/products/{product}/uploaded", member, jsonType, empty, s.finish},
		{Embed, "GET /api/v2/products/{product}/embed", public, "", sizes, s.embed},
		{ListProducts, "GET /api/v2/products", member, jsonType, filters, s.listProducts},
		{ListProjects, "GET /api/v2/projects", member, jsonType, empty, s.listProjects},
		{ListProductsOfProject, "GET /api/v2/projects/{project}", member, jsonType, filters, s.listProducts},
		{UpdateProduct, "PATCH /api/v2/products/{product}", member, jsonType, object, s.updateProduct},
		{DeleteProduct, "DELETE /api/v2/products/{product}", member, jsonType, empty, s.deleteProduct},
		{DownloadSources, "GET /api/v2/products/{file}", member, "application/zip", empty, s.download},
		{ListImages, "GET /api/v2/products/{product}/images", editor, jsonType, empty, s.listImages},
		{SetAltTexts, "PATCH /api/v2/images/{image}", member, jsonType, object, s.updateAltTexts},
		{ReadStatus, "GET /api/v2/products/{product}/status", public, jsonType, empty, s.status},
		{"media", "GET /media/{account}/{path...}", public, "", empty, newMediaHost(s.store).serve},
		{"view", "GET /embed/{embed}", public, "", empty, s.showView},
		{"home", "GET /{$}", public, "", empty, s.showHome},
		{"unknown", "/", public, "", empty, unknown},
	}
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for _, op := range s.operations() {
		answer := s.answer(op)
		if path, ok := op.shared(); ok {
			answer = shareWithSites(answer)
			mux.HandleFunc("OPTIONS "+path, allowSites)
		}
		mux.Handle(op.pattern, s.intercepted(op, answer))
	}
	return mux
}

// shared returns the path of an operation whose answer the pages of every site may read: of all
// that is read without credentials, but the front page, which names every view.
func (op operation) shared() (path string, ok bool) {
	path, ok = strings.CutPrefix(op.pattern, "GET ")
	return path, ok && op.access == public && op.name != "home"
}

func shareWithSites(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Expose-Headers", "*")
		next.ServeHTTP(w, r)
	})
}

// allowSites answers the question that a browser asks before a request with headers of its own.
func allowSites(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Allow-Methods", "GET, HEAD")
	w.Header().Set("Access-Control-Allow-Headers", "*")
	w.WriteHeader(http.StatusNoContent)
}

// answer serves an operation to those who may use it, and logs the call.
func (s *Server) answer(op operation) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		err := s.allow(op, r)
		if err == nil {
			err = op.serve(w, r)
		}
		if err != nil {
			s.replyError(w, r, err)
		}
		s.opts.Log.LogAttrs(r.Context(), slog.LevelDebug, "call", slog.String("operation", op.name),
			slog.String("method", r.Method), slog.String("path", r.URL.Path),
			slog.Duration("took", time.Since(begun)), slog.Any("error", err))
	})
}

func unknown(http.ResponseWriter, *http.Request) error { return nothingHere() }

func nothingHere() error { return refuse(http.StatusNotFound, "there is nothing at this address") }
