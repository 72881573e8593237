package sandbox

import (
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"
)

// access is what an operation asks of the sender (interface section 5).
type access int

const (
	public access = iota
	member        // valid credentials
	writer        // those, and edit permission with Shapes.StrictRights
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
	serve  func(http.ResponseWriter, *http.Request) error
}

const jsonType = "application/json"

func (s *Server) operations() []operation {
	return []operation{
		{"4.1", "POST /api/v2/projects", member, jsonType, s.createProject},
		{"4.2", "POST /api/v2/products", writer, jsonType, s.createProduct},
		{"4.3", "POST /{$}", public, "", uploadHost{s.store}.upload},
		{"4.4", "POST /api/v2/products/{product}/uploaded", writer, jsonType, s.finish},
		{"4.5", "GET /api/v2/products/{product}/embed", s.opts.Shapes.embedAccess(), "", s.embed},
		{"4.6", "GET /api/v2/products", member, jsonType, s.listProducts},
		{"4.7", "GET /api/v2/projects", member, jsonType, s.listProjects},
		{"4.8", "GET /api/v2/projects/{project}", member, jsonType, s.listProjectProducts},
		{"4.9", "PATCH /api/v2/products/{product}", writer, jsonType, s.updateProduct},
		{"4.10", "DELETE /api/v2/products/{product}", writer, jsonType, s.deleteProduct},
		{"4.11", "GET /api/v2/products/{file}", member, "application/zip", s.download},
		{"4.12", "GET /api/v2/products/{product}/images", editor, jsonType, s.listImages},
		{"4.13", "PATCH /api/v2/images/{image}", writer, jsonType, s.updateAltTexts},
		{"4.14", "GET /api/v2/products/{product}/status", public, jsonType, s.status},
		{"media", "GET /media/{account}/{path...}", public, "", newMediaHost(s.store).serve},
		{"view", "GET /embed/{embed}", public, "", s.showView},
		{"home", "GET /{$}", public, "", s.showHome},
		{"unknown", "/", public, "", unknown},
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

func (s *Server) allow(op operation, r *http.Request) error {
	if op.access == public {
		return allowAccept(op, r)
	}
	user, known := s.user(r)
	if !known {
		return refuse(http.StatusUnauthorized, "unknown user name or password")
	}
	if !user.CanEdit && (op.access == editor || op.access == writer && s.opts.Shapes.StrictRights) {
		return refuse(http.StatusForbidden, user.Name+" has no edit permission")
	}
	return allowAccept(op, r)
}

// allowAccept refuses a sender that does not want what the interface answers (section 1).
func allowAccept(op operation, r *http.Request) error {
	accept := r.Header.Values("Accept")
	if op.accept == "" || len(accept) == 0 {
		return nil
	}
	for wanted := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		mediaType, _, _ := mime.ParseMediaType(wanted)
		if mediaType == op.accept || mediaType == "*/*" || mediaType == "application/*" {
			return nil
		}
	}
	return refuse(http.StatusNotAcceptable, "the answer is "+op.accept+", which Accept does not name")
}

// user finds who sent the request. Every user is compared, and in full, so that the time taken
// tells nothing.
func (s *Server) user(r *http.Request) (user User, known bool) {
	name, password, given := r.BasicAuth()
	for _, u := range s.opts.Users {
		if sameText(u.Name, name)&sameText(u.Password, password) == 1 {
			user, known = u, given
		}
	}
	return user, known
}

// sameText is 1 for equal texts. It compares digests, so that not even the length is told.
func sameText(a, b string) int {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:])
}

func (s *Shapes) embedAccess() access {
	if s.EmbedNeedsUser {
		return member
	}
	return public
}

func unknown(http.ResponseWriter, *http.Request) error { return nothingHere() }

func nothingHere() error { return refuse(http.StatusNotFound, "there is nothing at this address") }
