package servicetest

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"spinsync/apiclient/sandbox"
)

// Options are whom a service serves, and how fast.
type Options struct {
	// Seed chooses all ids, and the habits unless they are given.
	Seed   uint64
	Habits *Habits
	// Host is the host and port of the interface.
	Host string
	// Users are those who may edit every project, with their passwords.
	Users map[string]string
	// Processing and ProcessingPerImage are how long a revision is processed after 4.4.
	Processing, ProcessingPerImage time.Duration
	// FormLifetime is how long an upload form is valid.
	FormLifetime time.Duration
	// ListLag keeps a new project or product out of the lists for so long.
	ListLag time.Duration
	// RemovedLag keeps a removed project or product in the lists for so long.
	RemovedLag time.Duration
	// Around wraps each operation, and gets its section of the interface. Nil wraps none.
	Around func(op string, next http.Handler) http.Handler
}

// Server is the service: HTTP in front of a stock. It serves any number of requests at a time.
type Server struct {
	options    Options
	habits     Habits
	uploadHost string
	operations *http.ServeMux
	serving    sync.WaitGroup
	upload     http.Handler

	mu    sync.Mutex
	stock stock    // guarded by mu
	wrong []string // guarded by mu
}

// A stock is all that the service holds. It does what the operations ask for.
type stock struct {
	options    Options
	habits     Habits
	uploadHost string

	ids      *rand.Rand
	projects []*project
	products []*product
	forms    map[string]*form  // all that were ever issued, by their policy
	contents map[string][]byte // of files, by digest
	images   int64             // the last id
	journal  []sandbox.Entry
}

type project struct {
	uuid, title string
	created     time.Time
	removed     time.Time // zero for as long as it is there
}

// New makes an empty service.
func New(options Options) *Server {
	habits := Drawn(options.Seed)
	if options.Habits != nil {
		habits = *options.Habits
	}
	if options.Around == nil {
		options.Around = func(_ string, next http.Handler) http.Handler { return next }
	}
	s := &Server{options: options, habits: habits, uploadHost: cmp.Or(habits.UploadHost, options.Host)}
	s.stock = stock{
		options: options, habits: habits, uploadHost: s.uploadHost,
		ids: random(options.Seed, "ids"), images: habits.FirstImage,
		forms: map[string]*form{}, contents: map[string][]byte{},
	}
	s.operations = http.NewServeMux()
	for _, op := range operations {
		s.operations.Handle(op.pattern, named(options.Around(op.section, s.serve(op))))
	}
	s.operations.HandleFunc("/", s.unknown)
	s.upload = options.Around(sandbox.Upload, http.HandlerFunc(s.receive))
	return s
}

// named takes the product from the path of an archive: a pattern cannot name it before an extension.
func named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if product, ok := strings.CutSuffix(r.PathValue("archive"), ".zip"); ok {
			r.SetPathValue("product", product)
		}
		next.ServeHTTP(w, r)
	})
}

// random is a generator of its own for one purpose.
func random(seed uint64, purpose string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// ServeHTTP answers the interface and the upload host, each under its own name.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.serving.Add(1)
	defer s.serving.Done()
	w = dated{w, s}
	switch {
	case r.Host == s.uploadHost && r.URL.Path == "/":
		s.upload.ServeHTTP(w, r)
	case r.Host == s.options.Host:
		s.operations.ServeHTTP(w, r)
	default:
		s.unknown(w, r)
	}
}

// Close waits until every request is served, even if its sender is gone.
func (s *Server) Close() error {
	s.serving.Wait()
	return nil
}

// dated adds the time of the service to each answer.
type dated struct {
	http.ResponseWriter
	service *Server
}

func (d dated) WriteHeader(status int) {
	header := d.Header()
	header.Set("Date", d.service.habits.byClock(time.Now()).Format(http.TimeFormat))
	if until, err := http.ParseTime(header.Get("Retry-After")); err == nil {
		header.Set("Retry-After", d.service.habits.byClock(until).Format(http.TimeFormat))
	}
	d.ResponseWriter.WriteHeader(status)
}

func (d dated) Unwrap() http.ResponseWriter { return d.ResponseWriter }

func (s *Server) unknown(w http.ResponseWriter, r *http.Request) {
	s.refuse(w, r, wrong("the interface has no such operation at %s", r.Host))
}

// byClock is a time by the clock of the service.
func (h Habits) byClock(t time.Time) time.Time { return t.Add(h.Clock).UTC() }

// note keeps a request that the interface does not allow.
func (s *Server) note(r *http.Request, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrong = append(s.wrong, fmt.Sprintf("%s %s: %v", r.Method, r.URL, why))
}

// Wrong returns each request that the interface does not allow.
func (s *Server) Wrong() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.wrong)
}

// Habits describes how the service does what the interface leaves open.
func (s *Server) Habits() string { return fmt.Sprintf("%+v", s.habits) }

// newUUID makes the next random id.
func (s *stock) newUUID() string {
	a, b := s.ids.Uint64(), s.ids.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0xfff, b&0xffffffffffff)
}
