package simulation

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
)

// A call is one request of the daemon as the service saw it.
type call struct {
	op, what string // section of the interface, and what it was about
	product  string // UUID, where one is named
	image    string // id, where one is named
	file     string // stored name, of an upload
	asked    string // SKU or title of what is to be created
	life     int
	by       *life
	late     bool   // its sender was paused before
	active   string // the station of the epoch then
	left     time.Duration
	kind     string
	cut      bool // its sender went away
	fault    sandbox.Fault
	began    time.Time
	ended    time.Time // zero while it is under way
}

func (c *call) String() string { return strings.TrimSpace(c.op + " " + c.what) }

type calls struct {
	mu    sync.Mutex
	all   []*call
	names map[string]string // of products and projects, by UUID, in the order of their appearance
}

// count is how many calls there were so far.
func (c *calls) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all)
}

type callKey struct{}

// serve is the service's end of the network. Calls by people pass without a mishap.
func (n *network) serve(out http.ResponseWriter, r *http.Request) {
	if user, _, ok := r.BasicAuth(); ok && user == editor {
		n.w.service.ServeHTTP(out, r)
		return
	}
	l := n.sender(r.Context())
	c := &call{began: time.Now(), by: l, late: l.wasHeld(), life: l.number}
	c.active, c.left = n.w.fleet.epoch()
	c.file, c.asked = fileOf(r), askedFor(r)
	if n.w.isTheirs(c.file) {
		n.w.service.ServeHTTP(out, r)
		return
	}
	defer func() {
		c.cut = r.Context().Err() != nil
		n.w.answered(c)
	}()
	n.w.service.ServeHTTP(out, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
	io.Copy(io.Discard, r.Body) // as the HTTP server does before it sends the answer
	if c.op != "" && n.w.stop(l, "after "+c.String()) {
		panic(http.ErrAbortHandler)
	}
}

// intercept spoils calls as the weather wants it. It runs inside of serve.
func (w *world) intercept(served *sandbox.Call) sandbox.Fault {
	c, ok := served.Request.Context().Value(callKey{}).(*call)
	if !ok {
		return sandbox.Fault{}
	}
	w.note(c, served)
	w.arrived(c.op)
	w.napUpon(c.op)
	if w.fleet != nil {
		w.fleet.checkSender(c)
	}
	if w.stop(c.by, "before "+c.String()) {
		return sandbox.Fault{DropBefore: true}
	}
	c.kind, c.fault = w.spoil(c)
	if w.overtaken(c, served.Request) {
		return sandbox.Fault{DropBefore: true}
	}
	return c.fault
}

// overtaken lets the delay of a change of a product or of an image pass, and reports whether
// another change came in between. Such a request gets lost: the interface names neither form nor
// version, so that nothing protects from an announcement that throws away what was sent since, from
// a finish that closes a later upload, or from fields and alt texts that are older than those there
// are.
func (w *world) overtaken(c *call, r *http.Request) bool {
	changes := c.op == sandbox.UpdateProduct || c.op == sandbox.FinishUpload || c.op == sandbox.SetAltTexts
	if !changes || c.fault.Delay < time.Second {
		return false
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{err}))
	product := cmp.Or(c.product, w.productWith(c.image))
	before := w.changesOf(product, c.image)
	time.Sleep(c.fault.Delay)
	c.fault.Delay = 0
	return w.changesOf(product, c.image) != before
}

// productWith is the UUID of the product that has an image, and empty without one.
func (w *world) productWith(image string) string {
	products, err := w.service.Products()
	w.studio.must(err)
	for _, p := range products {
		if slices.ContainsFunc(p.Images, func(i apiclient.Image) bool { return fmt.Sprint(i.ID) == image }) {
			return p.UUID
		}
	}
	return ""
}

// changesOf counts what was changed of a product, but for its files, and of one of its images. Fields may
// have been set to what they are.
func (w *world) changesOf(product, image string) int {
	journal, err := w.service.Journal()
	w.studio.must(err)
	changes := w.calls.updates(product)
	for _, e := range journal {
		switch {
		case e.Product == product && (e.Effect == sandbox.FormIssued || e.Effect == sandbox.ProductUpdated),
			e.Effect == sandbox.AltTextsSet && fmt.Sprint(e.Image) == image:
			changes++
		}
	}
	return changes
}

func (w *world) note(c *call, served *sandbox.Call) {
	w.calls.mu.Lock()
	defer w.calls.mu.Unlock()
	r := served.Request
	c.op, c.product, c.image = served.Op, r.PathValue("product"), r.PathValue("image")
	if zip, is := strings.CutSuffix(path.Base(r.URL.Path), ".zip"); is && served.Op == sandbox.DownloadSources {
		c.product = zip
	}
	switch {
	case c.product != "":
		c.what = w.name(c.product)
	case c.image != "":
		c.what = "image " + c.image
	case c.file != "":
		product, rest, _ := strings.Cut(c.file, "/")
		c.product, c.what = product, w.name(product)+" "+rest
	case r.PathValue("project") != "":
		c.what = w.name(r.PathValue("project"))
	default:
		c.what = c.asked
	}
	w.calls.all = append(w.calls.all, c)
}

// underWay reports whether any call has not ended yet.
func (c *calls) underWay() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.all, func(c *call) bool { return c.ended.IsZero() })
}

// sent is when the call came that did something to a product at a time.
func (c *calls) sent(op, product string, at time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, call := range c.all {
		if call.op == op && call.product == product && !call.began.After(at) && !call.ended.Before(at) {
			return call.began
		}
	}
	return time.Time{}
}

// asked is when the request came that made a product.
func (c *calls) asked(made sandbox.Entry) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, call := range slices.Backward(c.all) {
		if call.op == sandbox.CreateProduct && call.asked == made.SKU && !call.began.After(made.Time) {
			return call.began
		}
	}
	return made.Time
}

// changed reports whether a product was announced again, or changed, since a time.
func (c *calls) changed(product string, since time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.all, func(c *call) bool {
		return c.op == sandbox.UpdateProduct && c.product == product && c.began.After(since)
	})
}

// updates counts the updates of a product that are over.
func (c *calls) updates(product string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, call := range c.all {
		if call.op == sandbox.UpdateProduct && call.product == product && !call.ended.IsZero() {
			n++
		}
	}
	return n
}

// name gives a UUID a name that is the same at the next run of the seed: what it was created as.
// The mutex is held.
func (w *world) name(uuid string) string {
	if name := w.calls.names[uuid]; name != "" {
		return name
	}
	journal, err := w.service.Journal()
	if err != nil {
		w.breaks("the sandbox has no journal: %v", err)
	}
	for _, e := range journal {
		switch {
		case e.Effect == sandbox.ProjectCreated && e.Project == uuid:
			w.calls.names[uuid] = e.Title
		case e.Effect == sandbox.ProductCreated && e.Product == uuid:
			w.calls.names[uuid] = e.SKU
		}
	}
	return w.calls.names[uuid]
}

// askedFor reads what a request wants to create, and leaves the request as it was.
func askedFor(r *http.Request) string {
	if r.Method != http.MethodPost || r.URL.Path != "/api/v2/products" && r.URL.Path != "/api/v2/projects" {
		return ""
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{err}))
	var asked struct{ SKU, Title string }
	_ = json.Unmarshal(body, &asked)
	return cmp.Or(asked.SKU, asked.Title)
}

// failing is a reader that ends as another one ended.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, cmp.Or(f.err, io.EOF) }

// fileOf reads the key of an upload, which is the first field of its form, and leaves the form as
// it was.
func fileOf(r *http.Request) string {
	if r.Method != http.MethodPost || r.URL.Path != "/" {
		return ""
	}
	body := bufio.NewReaderSize(r.Body, 4096)
	head, err := body.Peek(400)
	var whole io.Reader = body
	if err != nil { // which is told once
		whole = io.MultiReader(bytes.NewReader(slices.Clone(head)), failing{err})
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{whole, r.Body}
	_, value, _ := strings.Cut(string(head), "name=\"key\"\r\n\r\n")
	key, _, _ := strings.Cut(value, "\r\n")
	return key
}

func (w *world) answered(c *call) {
	w.calls.mu.Lock()
	defer w.calls.mu.Unlock()
	c.ended = time.Now()
	how := ""
	if c.kind != "" {
		how = ": " + c.kind
	}
	w.trace.add("call %s%s", c, how)
}
