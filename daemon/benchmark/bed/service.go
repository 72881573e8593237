// Package bed is what spinsync is measured on: photos, a hosting service and an upload host that
// cost next to nothing. The service answers at once and refuses nothing, and what it says about
// images is made up: it tests nothing but speed.
package bed

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"sync"
	"time"

	"spinsync/apiclient"
)

// Options are what a Service is made of. Store is needed.
type Options struct {
	Store      string        // where files are sent to, as credentials name it
	Processing time.Duration // from uploaded to finished
	Log        io.Writer     // gets a line of JSON, a Request, for each; nil = none
}

// Service is the hosting service's interface as far as publishing needs it.
type Service struct {
	options Options
	log     *json.Encoder

	mu       sync.Mutex
	projects []apiclient.Project
	products map[string]*product
	members  map[string][]*product // by project
}

type product struct {
	apiclient.Product
	images   int
	revision int64
	finished time.Time // zero: nothing was uploaded yet
}

// Request is a line of the log.
type Request struct {
	At      int64  `json:"at"` // Unix nanoseconds
	Op      string `json:"op"` // method and last word of the path, for instance "POST uploaded"
	Product string `json:"product,omitempty"`
}

// New makes a service that knows nothing yet.
func New(o Options) *Service {
	log := o.Log
	if log == nil {
		log = io.Discard
	}
	return &Service{options: o, log: json.NewEncoder(log), products: map[string]*product{}, members: map[string][]*product{}}
}

// Forget makes the service know nothing again, so that the next program finds what the one before
// it found.
func (s *Service) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.projects = nil
	clear(s.products)
	clear(s.members)
}

// Handler serves the interface.
func (s *Service) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, answer := range map[string]func(*http.Request) (any, error){
		"GET /api/v2/projects":                     s.listProjects,
		"POST /api/v2/projects":                    s.createProject,
		"GET /api/v2/projects/{project}":           s.listProducts,
		"POST /api/v2/products":                    s.createProduct,
		"PATCH /api/v2/products/{product}":         s.updateProduct,
		"POST /api/v2/products/{product}/uploaded": s.finishUpload,
		"GET /api/v2/products/{product}/status":    s.status,
		"GET /api/v2/products/{product}/images":    s.listImages,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, answer) })
	}
	return mux
}

func (s *Service) serve(w http.ResponseWriter, r *http.Request, answer func(*http.Request) (any, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.Encode(Request{At: time.Now().UnixNano(), Op: r.Method + " " + operation(r), Product: r.PathValue("product")})
	said, err := answer(r)
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		w.WriteHeader(http.StatusUnprocessableEntity)
		said = map[string][]string{"errors": {err.Error()}}
	}
	json.NewEncoder(w).Encode(said)
}

// operation is the last word of a path that is not an identifier.
func operation(r *http.Request) string {
	last := path.Base(r.URL.Path)
	if last == r.PathValue("product") || last == r.PathValue("project") {
		return path.Base(path.Dir(r.URL.Path))
	}
	return last
}

func (s *Service) listProjects(*http.Request) (any, error) {
	return append([]apiclient.Project{}, s.projects...), nil
}

func (s *Service) createProject(r *http.Request) (any, error) {
	var asked struct {
		Title string `json:"title"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return nil, err
	}
	p := apiclient.Project{UUID: fmt.Sprintf("project-%d", len(s.projects)+1), Title: asked.Title}
	s.projects = append(s.projects, p)
	return p, nil
}

func (s *Service) listProducts(r *http.Request) (any, error) {
	list := []apiclient.Product{}
	for _, p := range s.members[r.PathValue("project")] {
		list = append(list, p.Product)
	}
	return list, nil
}

func (s *Service) createProduct(r *http.Request) (any, error) {
	var asked apiclient.NewProduct
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return nil, err
	}
	p := &product{images: asked.Images, revision: -1}
	p.Product = apiclient.Product{
		UUID: fmt.Sprintf("product-%d", len(s.products)+1), Title: asked.Title, SKU: asked.SKU, Project: asked.Project,
		Manufacturer: asked.Manufacturer, Year: asked.Year,
	}
	s.products[p.UUID] = p
	s.members[p.Project] = append(s.members[p.Project], p)
	return s.credentials(p), nil
}

func (s *Service) credentials(p *product) apiclient.Credentials {
	return apiclient.Credentials{
		UUID: p.UUID, Title: p.Title, Path: p.UUID + "/rotation/01", Hostname: s.options.Store,
		Policy: "cG9saWN5", Signature: "c2lnbmF0dXJl", AccessKeyID: "key", ACL: "private",
	}
}

func (s *Service) product(r *http.Request) (*product, error) {
	p := s.products[r.PathValue("product")]
	if p == nil {
		return nil, fmt.Errorf("no product %s", r.PathValue("product"))
	}
	return p, nil
}

func (s *Service) updateProduct(r *http.Request) (any, error) {
	p, err := s.product(r)
	if err != nil {
		return nil, err
	}
	var asked struct {
		Images int `json:"images"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return nil, err
	}
	if asked.Images == 0 {
		return map[string]string{"notice": "OK"}, nil
	}
	p.images = asked.Images
	return s.credentials(p), nil
}

func (s *Service) finishUpload(r *http.Request) (any, error) {
	p, err := s.product(r)
	if err != nil {
		return nil, err
	}
	p.revision++
	p.finished = time.Now().Add(s.options.Processing)
	return map[string]string{"notice": "OK"}, nil
}

func (p *product) status() string {
	if p.finished.IsZero() || time.Now().Before(p.finished) {
		return "processing"
	}
	return apiclient.StatusFinished
}

func (s *Service) status(r *http.Request) (any, error) {
	p, err := s.product(r)
	if err != nil {
		return apiclient.StatusAnswer{}, nil
	}
	return apiclient.StatusAnswer{Variant: &apiclient.Status{SourceRevision: max(0, p.revision), ImageStatus: p.status()}}, nil
}

// listImages invents names for the sources: the service was told only how many there are.
func (s *Service) listImages(r *http.Request) (any, error) {
	p, err := s.product(r)
	if err != nil {
		return nil, err
	}
	list := []apiclient.Image{}
	for i := range p.images {
		if p.finished.IsZero() {
			break
		}
		media := fmt.Sprintf("https://media.example.com/account/%s/%04d.jpg", p.UUID, i+1)
		list = append(list, apiclient.Image{
			ID: int64(i + 1), Ordial: i + 1, AltTexts: map[string]string{}, SourceRevision: p.revision, StorageVersion: 2,
			ImageStatus: p.status(), Source: fmt.Sprintf("%04d", i+1), Row: 1, ImageGroup: "rotation",
			MediaReady: p.status() == apiclient.StatusFinished, MediaURL: media, ThumbnailURL: media + "/resize;w_320/image.webp",
		})
	}
	return list, nil
}
