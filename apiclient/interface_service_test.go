package apiclient_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/servicetest"
)

// Each rule runs against the sandbox and against the strict service of many seeds, in the time of
// synctest bubbles, and against a real test environment when these variables name one:
//
//	SPINSYNC_TEST_URL, SPINSYNC_TEST_USER, SPINSYNC_TEST_PASSWORD
//	SPINSYNC_TEST_READER, SPINSYNC_TEST_READER_PASSWORD   a user without edit rights (optional)
//	SPINSYNC_TEST_ACCESS_KEY_FIELD                        the form field of 4.3 (optional)
//
// What it makes there it deletes, except one project, which the interface has no way to delete.
//
// No rule may make the client send a request that the strict service finds wrong.

const projectTitle = "spinsync interface test"

// service is what a rule is tested on.
type service struct {
	t                      *testing.T
	client                 *apiclient.Client
	raw                    *http.Client
	base                   string
	user, password         string
	reader, readerPassword string // without edit permission; empty when there is none
	project                apiclient.Project
	patience               time.Duration   // for processing to end
	memory                 inMemory        // nil: it is a real service
	strict                 bool            // it is the strict service, which serves no media and no pages
	keyField               string          // of 4.3, with a vendor's prefix; empty: not known
	spoils                 bool            // the rule sends wrong requests on purpose
	wrong                  func() []string // those that the strict service noted
}

// inMemory is the sandbox or the strict service.
type inMemory interface {
	http.Handler
	Close() error
	Journal() ([]sandbox.Entry, error)
	RemoveProject(uuid string) error
}

// strictSeeds is with how many habits of the strict service a rule is tested.
const strictSeeds = 10

// onService runs a rule against both services in memory, and against the real environment if there
// is one.
func onService(t *testing.T, rule func(*testing.T, *service)) {
	onBoth(t, rule)
	if os.Getenv("SPINSYNC_TEST_URL") != "" {
		t.Run("environment", func(t *testing.T) { rule(t, environment(t)) })
	}
}

// onOwnService runs a rule that needs more of a service than a real one grants: its projects, or
// its time.
func onOwnService(t *testing.T, rule func(*testing.T, *service)) {
	onBoth(t, rule)
	t.Run("environment", func(t *testing.T) { t.Skip("a real service cannot be set up for this rule") })
}

// onBoth runs a rule against the sandbox, and against the strict service of some seeds.
func onBoth(t *testing.T, rule func(*testing.T, *service)) {
	t.Run("sandbox", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { rule(t, sandboxed(t, sandbox.Options{})) })
	})
	for seed := range uint64(strictSeeds) {
		t.Run(fmt.Sprint("strict ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { rule(t, strict(t, seed)) })
		})
	}
}

func environment(t *testing.T) *service {
	s := &service{
		t: t, raw: &http.Client{CheckRedirect: noRedirect}, base: os.Getenv("SPINSYNC_TEST_URL"),
		user: os.Getenv("SPINSYNC_TEST_USER"), password: os.Getenv("SPINSYNC_TEST_PASSWORD"),
		reader: os.Getenv("SPINSYNC_TEST_READER"), readerPassword: os.Getenv("SPINSYNC_TEST_READER_PASSWORD"),
		patience: 15 * time.Minute, keyField: os.Getenv("SPINSYNC_TEST_ACCESS_KEY_FIELD"),
	}
	s.connect(nil)
	return s
}

// sandboxed serves a sandbox over connections in memory.
func sandboxed(t *testing.T, opts sandbox.Options) *service {
	s := &service{
		t: t, base: "http://127.0.0.1:8361", user: "studio", password: "pass word:ä", reader: "guest",
		readerPassword: "guest", patience: time.Hour, keyField: "StorageAccessKeyId",
		wrong: func() []string { return nil },
	}
	opts.Dir, opts.NoSync, opts.Journal = t.TempDir(), true, true
	opts.Users = []sandbox.User{
		{Name: s.user, Password: s.password, CanEdit: true}, {Name: s.reader, Password: s.readerPassword},
	}
	box, err := sandbox.New(opts)
	s.must(err)
	s.serve(box)
	return s
}

// strict serves the strict service over connections in memory, with those habits of a seed that let
// rules read at once.
func strict(t *testing.T, seed uint64) *service {
	habits := servicetest.Drawn(seed)
	habits.NumericYear, habits.WrapLists = false, "" // section 2 and 4.6 to 4.8 speak of text and arrays
	habits.StatusDelay, habits.MediaLag, habits.OldImages = 0, 0, false
	if habits.Filters == "nothing" {
		habits.Filters = "part"
	}
	if habits.Raise == "late" {
		habits.Raise = "finish"
	}
	return strictWith(t, servicetest.Options{Seed: seed, Habits: &habits})
}

// strictWith serves the strict service with any habits and lags.
func strictWith(t *testing.T, opts servicetest.Options) *service {
	s := &service{
		t: t, base: "http://127.0.0.1:8361", user: "studio", password: "pass word:ä", patience: time.Hour, strict: true,
		keyField: cmp.Or(opts.Habits, new(servicetest.Drawn(opts.Seed))).KeyField,
	}
	opts.Host, opts.Users = "127.0.0.1:8361", map[string]string{s.user: s.password}
	opts.Processing, opts.FormLifetime = 3*time.Second, time.Hour
	server := servicetest.New(opts)
	s.wrong = server.Wrong
	t.Cleanup(func() {
		if wrong := s.wrong(); len(wrong) > 0 != s.spoils {
			t.Errorf("wrong requests %q, want some: %v", wrong, s.spoils)
		}
	})
	s.serve(server)
	return s
}

// serve connects to a service in memory.
func (s *service) serve(service inMemory) {
	s.memory = service
	s.t.Cleanup(func() { s.must(service.Close()) })
	network := servicetest.Serve(s.t, service)
	s.raw = &http.Client{CheckRedirect: noRedirect, Transport: &http.Transport{DialContext: network.Dial}}
	s.connect(network.Dial)
	s.t.Cleanup(func() {
		s.client.CloseIdle()
		s.raw.CloseIdleConnections()
	})
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// connect makes the client, and finds or makes the project that everything belongs to.
func (s *service) connect(dial func(context.Context, string, string) (net.Conn, error)) {
	s.t.Helper()
	client, err := apiclient.New(apiclient.Options{
		BaseURL: s.base, Username: s.user, Password: apiclient.Secret(s.password), DialContext: dial,
	})
	s.must(err)
	s.client = client
	projects, err := client.Projects(s.t.Context())
	s.must(err)
	at := slices.IndexFunc(projects, func(p apiclient.Project) bool { return p.Title == projectTitle })
	if at >= 0 {
		s.project = projects[at]
		return
	}
	s.project, err = client.CreateProject(s.t.Context(), projectTitle)
	s.must(err)
}

func (s *service) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// create makes a product that is deleted when the test ends.
func (s *service) create(images int) apiclient.Credentials {
	s.t.Helper()
	return s.createAs(apiclient.NewProduct{Title: "Shoe", SKU: "S-1", Manufacturer: "Acme", Year: "2027"}, images)
}

func (s *service) createAs(p apiclient.NewProduct, images int) apiclient.Credentials {
	s.t.Helper()
	p.Project, p.Images = s.project.UUID, images
	form, err := s.client.CreateProduct(s.t.Context(), p)
	s.must(err)
	s.t.Cleanup(func() { s.remove(form.UUID) })
	return form
}

// remove deletes a product, unless the test has done so itself.
func (s *service) remove(product string) {
	ctx := context.Background() // that of the test has ended
	if _, err := s.client.Status(ctx, product); errors.Is(err, apiclient.ErrUnknownProduct) {
		return
	}
	if err := s.client.DeleteProduct(ctx, product); err != nil {
		s.t.Errorf("clean up: %v", err)
	}
}

func (s *service) upload(form apiclient.Credentials, files ...apiclient.File) {
	s.t.Helper()
	for _, f := range files {
		s.must(s.tryUpload(form, f))
	}
}

// tryUpload uploads a file under the name of the access key's field that the host takes.
func (s *service) tryUpload(form apiclient.Credentials, f apiclient.File) error {
	names := form.AccessKeyFields(os.Getenv("SPINSYNC_TEST_ACCESS_KEY_FIELD"))
	_, err := apiclient.TryAccessKeyFields(names, func(name string) error {
		form.AccessKeyField = name
		return s.client.Upload(s.t.Context(), form, f)
	})
	return err
}

// publish goes the typical flow of 4.15 with an issued form, up to the list of the finished images.
func (s *service) publish(form apiclient.Credentials, files ...apiclient.File) []apiclient.Image {
	s.t.Helper()
	before := s.status(form.UUID)
	s.upload(form, files...)
	s.must(s.client.FinishUpload(s.t.Context(), form.UUID))
	s.settle(form.UUID, before)
	return s.images(form.UUID)
}

// settle waits until a finished upload is processed. The status was read before.
func (s *service) settle(product string, before apiclient.Status) {
	s.t.Helper()
	if s.strict { // its status may have been finished before, with this revision
		time.Sleep(time.Minute)
		return
	}
	s.await(product, func(now apiclient.Status) bool {
		return now.Finished() && (!before.Finished() || now.SourceRevision != before.SourceRevision)
	})
}

func (s *service) reupload(product string, images int) apiclient.Credentials {
	s.t.Helper()
	form, err := s.client.Reupload(s.t.Context(), product, apiclient.ProductUpdate{}, images)
	s.must(err)
	return form
}

// await polls with backoff, as 4.14 asks for.
func (s *service) await(product string, done func(apiclient.Status) bool) {
	s.t.Helper()
	end := time.Now().Add(s.patience)
	for wait := time.Second; ; wait = min(2*wait, 30*time.Second) {
		now := s.status(product)
		switch {
		case done(now):
			return
		case time.Now().After(end):
			s.t.Fatalf("the product is still %+v after %v", now, s.patience)
		}
		select {
		case <-time.After(wait):
		case <-s.t.Context().Done():
			s.t.Fatal(s.t.Context().Err())
		}
	}
}

func (s *service) status(product string) apiclient.Status {
	s.t.Helper()
	status, err := s.client.Status(s.t.Context(), product)
	s.must(err)
	return status
}

func (s *service) images(product string) []apiclient.Image {
	s.t.Helper()
	images, err := s.client.Images(s.t.Context(), product)
	s.must(err)
	return images
}

// journal is what a service in memory did.
func (s *service) journal() []sandbox.Entry {
	s.t.Helper()
	journal, err := s.memory.Journal()
	s.must(err)
	return journal
}

// find returns the listed product, or nil.
func (s *service) find(products []apiclient.Product, uuid string) *apiclient.Product {
	for i := range products {
		if products[i].UUID == uuid {
			return &products[i]
		}
	}
	return nil
}

// listed returns the product as 4.8 lists it.
func (s *service) listed(uuid string) apiclient.Product {
	s.t.Helper()
	products, err := s.client.ProjectProducts(s.t.Context(), s.project.UUID, apiclient.Filter{})
	s.must(err)
	p := s.find(products, uuid)
	if p == nil {
		s.t.Fatalf("product %s is not listed", uuid)
	}
	return *p
}

// reply is an answer read whole.
type reply struct {
	*http.Response
	body []byte
}

// request is what the client would not send, or whose answer it would not show. It has credentials.
// A body is text as it is, nil for none, or a value to send as JSON.
func (s *service) request(method, path string, body any) *http.Request {
	s.t.Helper()
	var content io.Reader
	switch body := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(body)
	default:
		data, err := json.Marshal(body)
		s.must(err)
		content = bytes.NewReader(data)
	}
	if !strings.Contains(path, "://") {
		path = s.base + path
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, path, content)
	s.must(err)
	req.Header.Set("Accept", "application/json")
	if content != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.SetBasicAuth(s.user, s.password)
	return req
}

func (s *service) do(req *http.Request) reply {
	s.t.Helper()
	resp, err := s.raw.Do(req)
	s.must(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	s.must(err)
	return reply{resp, body}
}

func (s *service) get(path string) reply {
	s.t.Helper()
	return s.do(s.request("GET", path, nil))
}

// public reads what needs no credentials.
func (s *service) public(link string) reply {
	s.t.Helper()
	req := s.request("GET", link, nil)
	req.Header.Del("Authorization")
	return s.do(req)
}

func (r reply) decode(t *testing.T, into any) {
	t.Helper()
	if err := json.Unmarshal(r.body, into); err != nil {
		t.Fatalf("%s %s answers %s %.200q: %v", r.Request.Method, r.Request.URL.Path, r.Status, r.body, err)
	}
}

// isList reports whether the answer is a list: errors may have any status.
func (r reply) isList() bool {
	var list []any
	return json.Unmarshal(r.body, &list) == nil
}

// frames are different photos with names that sort.
func frames(names ...string) []apiclient.File {
	files := make([]apiclient.File, len(names))
	for i, name := range names {
		files[i] = photo(name, uint8(20*i))
	}
	return files
}

func photo(name string, grey uint8) apiclient.File { return servicetest.Photo(name, 320, 240, grey) }

func contentOf(t *testing.T, f apiclient.File) []byte {
	t.Helper()
	content, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(content)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func refusal(t *testing.T, err error) *apiclient.Error {
	t.Helper()
	var refused *apiclient.Error
	if !errors.As(err, &refused) || refused.Status == 0 {
		t.Fatalf("error %v, want a refusal by the service", err)
	}
	return refused
}

const (
	unknownUUID = "00000000-0000-4000-8000-000000000000"
	unknownID   = 1<<53 - 1
)

var isoMillis = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
