//go:build unix

package processtest

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"encoding/xml"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon/status"
)

const bucket = "shoots"

// storeRoom is how much a file system must have free, in bytes. With less than 2 GiB MinIO refuses
// every upload of a form.
const storeRoom = 3 << 30

// An objectStore is MinIO, and the upload host over https in front of it that stands for the
// bucket.
type objectStore struct {
	t       *testing.T
	program string
	dir     string
	address string
	server  *exec.Cmd
	front   *httptest.Server

	mu          sync.Mutex
	key, secret string
	forms       map[string]apiclient.Credentials // the sandbox's own newest forms, by product; guarded by mu
	answers     []int                            // status codes of the upload host; guarded by mu
}

func newObjectStore(t *testing.T) *objectStore {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s := &objectStore{
		t: t, program: needsTool(t, "minio"), dir: roomyDir(t), address: listener.Addr().String(),
		forms: map[string]apiclient.Credentials{},
	}
	must(t, listener.Close())
	s.rotate("first-key", "first-canary-secret")
	t.Cleanup(s.stop)
	s.ask(http.MethodPut, "/"+bucket, "").Body.Close()
	s.front = httptest.NewTLSServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: s.address})
			r.Out.URL.Path = "/" + bucket
		},
		ModifyResponse: func(r *http.Response) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.answers = append(s.answers, r.StatusCode)
			return nil
		},
	})
	t.Cleanup(s.front.Close)
	return s
}

// roomyDir is a temporary directory with storeRoom: in memory, where the disk has too little.
func roomyDir(t *testing.T) string {
	for _, parent := range []string{os.TempDir(), "/dev/shm"} {
		var s unix.Statfs_t
		if unix.Statfs(parent, &s) != nil || uint64(s.Bavail)*uint64(s.Bsize) < storeRoom {
			continue
		}
		dir, err := os.MkdirTemp(parent, "spinsync-minio-")
		must(t, err)
		t.Cleanup(func() { os.RemoveAll(dir) })
		return dir
	}
	unable(t, "MinIO needs 3 GiB free, on the disk of "+os.TempDir()+" or in /dev/shm")
	return ""
}

// rotate restarts MinIO with another access key, which refuses all that an older one signed.
func (s *objectStore) rotate(key, secret string) {
	s.stop()
	s.mu.Lock()
	s.key, s.secret = key, secret
	s.mu.Unlock()
	s.server = exec.Command(s.program, "server", s.dir, "--address", s.address, "--quiet")
	s.server.Env = append(os.Environ(), "HOME="+s.dir, "MINIO_ROOT_USER="+key, "MINIO_ROOT_PASSWORD="+secret, "MINIO_BROWSER=off")
	must(s.t, s.server.Start())
	stranger := fmt.Sprintf("http://%s/?AWSAccessKeyId=nobody&Signature=none&Expires=%d", s.address, time.Now().Add(time.Hour).Unix())
	wait(s.t, "MinIO knows its own key, and refuses others", time.Minute, func() bool {
		return answers(s.try(http.MethodGet, "/", "")) == http.StatusOK &&
			answers(http.Get(stranger)) == http.StatusForbidden // 503 until its accounts are read
	})
}

// answers is the status of a response, 0 when there is none.
func answers(resp *http.Response, err error) int {
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

func (s *objectStore) stop() {
	if s.server == nil {
		return
	}
	_ = s.server.Process.Kill()
	_ = s.server.Wait() // with the kill as its error
	s.server = nil
}

// sign is an AWS signature of version 2.
func (s *objectStore) sign(text string) string {
	mac := hmac.New(sha1.New, []byte(s.secret))
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// try sends a request of the store's owner.
func (s *objectStore) try(method, path, query string) (*http.Response, error) {
	s.mu.Lock()
	expires := fmt.Sprint(time.Now().Add(time.Hour).Unix())
	signed := url.Values{"AWSAccessKeyId": {s.key}, "Expires": {expires}, "Signature": {s.sign(method + "\n\n\n" + expires + "\n" + path)}}
	s.mu.Unlock()
	req, err := http.NewRequest(method, "http://"+s.address+path+"?"+signed.Encode()+query, nil)
	must(s.t, err)
	return http.DefaultClient.Do(req)
}

// ask sends one that must succeed.
func (s *objectStore) ask(method, path, query string) *http.Response {
	resp, err := s.try(method, path, query)
	must(s.t, err)
	if resp.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(resp.Body)
		s.t.Errorf("MinIO answers %s %s with %d: %s", method, path, resp.StatusCode, said)
	}
	return resp
}

// objects are the keys of what is stored below a path.
func (s *objectStore) objects(below string) []string {
	resp := s.ask(http.MethodGet, "/"+bucket, "&prefix="+url.QueryEscape(below+"/"))
	defer resp.Body.Close()
	var list struct {
		Contents []struct{ Key string }
	}
	must(s.t, xml.NewDecoder(resp.Body).Decode(&list))
	var keys []string
	for _, object := range list.Contents {
		keys = append(keys, object.Key)
	}
	return keys
}

// form is one of the sandbox's made out to this store, signed as stores of version 2 want it.
func (s *objectStore) form(of apiclient.Credentials) apiclient.Credentials {
	policy, err := json.Marshal(map[string]any{
		"expiration": time.Now().Add(time.Hour).UTC().Format(time.RFC3339),
		"conditions": []any{
			map[string]string{"bucket": bucket}, map[string]string{"acl": of.ACL},
			[]string{"starts-with", "$key", of.Path + "/"}, []string{"starts-with", "$Content-Type", ""},
		},
	})
	must(s.t, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forms[of.UUID] = of
	of.Policy = base64.StdEncoding.EncodeToString(policy)
	of.Hostname, of.AccessKeyID, of.Signature = s.front.Listener.Addr().String(), s.key, s.sign(of.Policy)
	return of
}

// before is a sandbox whose upload host is this store: it hands out the store's forms, and takes
// over what is stored when an upload is finished.
func (s *objectStore) before(box http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", box)
	issue := func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		box.ServeHTTP(answer, r)
		var form apiclient.Credentials
		body := answer.Body.Bytes()
		if json.Unmarshal(body, &form) == nil && form.Policy != "" {
			body, _ = json.Marshal(s.form(form))
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(body) // the client may have gone
	}
	mux.HandleFunc("POST /api/v2/products", issue)
	mux.HandleFunc("PATCH /api/v2/products/{product}", issue)
	mux.HandleFunc("POST /api/v2/products/{product}/uploaded", func(w http.ResponseWriter, r *http.Request) {
		s.handOver(r.PathValue("product"), "http://"+r.Host)
		box.ServeHTTP(w, r)
	})
	return mux
}

// handOver uploads what the store has for a product's newest form to the sandbox.
func (s *objectStore) handOver(product, service string) {
	s.mu.Lock()
	form := s.forms[product]
	s.mu.Unlock()
	client, err := apiclient.New(apiclient.Options{BaseURL: service, Username: "studio", Password: canary})
	must(s.t, err)
	defer client.CloseIdle()
	for _, key := range s.objects(form.Path) {
		resp := s.ask(http.MethodGet, "/"+bucket+"/"+key, "")
		must(s.t, client.Upload(s.t.Context(), form, apiclient.File{
			Name: filepath.Base(key), ContentType: resp.Header.Get("Content-Type"), Size: resp.ContentLength,
			Open: func() (io.ReadCloser, error) { return resp.Body, nil },
		}))
	}
}

// answered are the status codes of the upload host since the last time.
func (s *objectStore) answered() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	answers := s.answers
	s.answers = nil
	return answers
}

// storeStudio publishes one folder, of so many frames, through the store. more are lines of
// [service].
func storeStudio(t *testing.T, s *objectStore, frames int, more string) *studio {
	w := &studio{t: t, random: newRandom(t), service: newService(t, s.before)}
	path := filepath.Join(t.TempDir(), "shoots")
	w.roots, w.shoots = []string{path}, []*shoot{newShoot(t, w.random, path, "A", frames)}
	w.installation = install(t, w.service.url, root{path, fmt.Sprintf("frames = %d", frames)})
	ca := filepath.Join(w.dir, "ca.pem")
	must(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.front.Certificate().Raw}), 0o600))
	w.more = fmt.Sprintf("ca_file = %q\n%s", ca, more)
	w.configure()
	return w
}

// The key of a real store is rotated, or its secret, while half of the frames are there: the run
// goes on under a new form, and what was sent under the old one does not count.
func TestStoreRotatesItsKey(t *testing.T) {
	t.Parallel()
	for refusal, key := range map[string]string{"InvalidAccessKeyId": "second-key", "SignatureDoesNotMatch": "first-key"} {
		t.Run(refusal, func(t *testing.T) {
			t.Parallel()
			s := newObjectStore(t)
			w := storeStudio(t, s, 6, "")
			if out, _, _ := w.run("check"); !strings.Contains(out, "not known yet; the first upload finds it") {
				t.Errorf("check says %s", out)
			}
			w.shoots[0].shootAll(3)
			p := w.start("run")
			wait(t, "half of the frames", time.Minute, func() bool {
				status, ok := w.status()
				return ok && len(status.Products) == 1 && status.Products[0].Frames.Uploaded == 3
			})
			s.rotate(key, "second-canary-secret")
			for n := range 3 {
				w.shoots[0].shoot(4 + n)
			}
			published(t, w.installation, w.service, w.shoots, time.Minute)
			found := "AWSAccessKeyId for " + s.front.Listener.Addr().String() + ", as the first upload found"
			if out, _, _ := w.run("check"); !strings.Contains(out, found) {
				t.Errorf("check says %s", out)
			}
			p.kill()
			w.check()
			if forms, products := w.service.effects(t, sandbox.FormIssued), w.service.effects(t, sandbox.ProductCreated); forms != 2 || products != 1 {
				t.Errorf("%d forms for %d products, want 2 for 1", forms, products)
			}
			if !strings.Contains(w.logged(), refusal) {
				t.Errorf("nothing says %s", refusal)
			}
			if out, _, _ := w.run("check"); !strings.Contains(out, found) {
				t.Errorf("check says %s without a daemon", out)
			}
			w.keepsSecrets("first-canary-secret", "second-canary-secret")
		})
	}
}

// A wrong name of the access key's field is shown with its key in sync.toml, and "auto" corrects it.
func TestStoreWantsTheAccessKeyUnderItsName(t *testing.T) {
	t.Parallel()
	s := newObjectStore(t)
	w := storeStudio(t, s, 4, `access_key_field = "StorageAccessKeyId"`)
	w.shoots[0].shootAll(4)
	var export struct {
		Products []status.ExportedProduct `json:"products"`
	}
	out, _, code := w.run("sync", "--json")
	must(t, json.Unmarshal([]byte(out), &export))
	if reason := export.Products[0].Reason; code != 1 || !strings.Contains(reason, `access_key_field = "auto"`) || !strings.Contains(reason, "InvalidAccessKeyId") {
		t.Errorf("exit code %d, %s", code, reason)
	}
	s.answered()
	w.more = slices.Collect(strings.Lines(w.more))[0]
	w.configure()
	if _, said, code := w.run("sync"); code != 0 {
		t.Fatalf("exit code %d, %s", code, said)
	}
	w.check()
	want := append([]int{http.StatusForbidden}, slices.Repeat([]int{http.StatusNoContent}, 4)...)
	if answers := s.answered(); !slices.Equal(answers, want) {
		t.Errorf("the upload host answers %d, want 403 to the interface's own name, and one 204 for each frame", answers)
	}
}
