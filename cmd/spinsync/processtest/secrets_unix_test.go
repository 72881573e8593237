//go:build unix

package processtest

import (
	"archive/zip"
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
)

// The password and the signed forms are in nothing that the program prints, writes or serves, also when
// the service repeats them and when the program crashes. The state file holds forms, never the password.
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	w := oneFolder(t)
	w.page = true
	w.configure()
	seen := w.service.repeatSecrets()
	p := w.start("run")
	wait(t, "a failure that repeats a secret", time.Minute, func() bool { return strings.Contains(w.logged(), "step failed") })
	w.sayEverything("during")
	published(t, w.installation, w.service, w.shoots, time.Minute)
	w.sayEverything("after")
	must(t, p.Process.Signal(syscall.SIGQUIT)) // the runtime writes all its stacks
	p.exit(t, time.Minute)
	if !strings.Contains(w.logged(), "goroutine ") {
		t.Error("it did not crash")
	}

	secrets := append(seen.all(), base64.StdEncoding.EncodeToString([]byte("studio:"+canary)))
	if len(secrets) < 3 {
		t.Fatalf("only %d secrets are known", len(secrets))
	}
	w.keepsSecrets(secrets...)
}

// spoken are the secrets that went over the wire.
type spoken struct {
	mu      sync.Mutex
	secrets map[string]bool
}

func (s *spoken) add(secrets ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range secrets {
		s.secrets[secret] = true
	}
}

func (s *spoken) all() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for secret := range s.secrets {
		all = append(all, secret)
	}
	return all
}

var formSecret = regexp.MustCompile(`name="(?i:policy|signature)"\r\n\r\n([^\r]+)\r\n`)

// repeatSecrets makes the service answer with what must stay secret: the password once to each
// operation, and the form of the first upload.
func (s *service) repeatSecrets() *spoken {
	seen := &spoken{secrets: map[string]bool{}}
	spoil := func(c *sandbox.Call) sandbox.Fault {
		said := []string{canary, c.Request.Header.Get("Authorization")}
		if c.Op == sandbox.Upload {
			form := bufio.NewReaderSize(c.Request.Body, 4096)
			c.Request.Body = io.NopCloser(form)
			beginning, _ := form.Peek(4096) // a small photo ends before
			for _, found := range formSecret.FindAllSubmatch(beginning, -1) {
				seen.add(string(found[1]))
				said = append(said, string(found[1]))
			}
		}
		if c.N > 1 {
			return sandbox.Fault{}
		}
		status := http.StatusInternalServerError
		if c.Op == sandbox.CreateProject || c.Op == sandbox.CreateProduct {
			status = http.StatusUnprocessableEntity // of what may have been made nobody would know for minutes
		}
		return sandbox.Fault{Status: status, Body: fmt.Sprintf(`{"errors":["no such thing: %s"]}`, strings.Join(said, " "))}
	}
	s.spoil.Store(&spoil)
	return seen
}

// sayEverything lets the program print all that it can, and keeps it with the log.
func (w *studio) sayEverything(when string) {
	w.t.Helper()
	dir := filepath.Join(w.dir, when)
	must(w.t, os.Mkdir(dir, 0o700))
	for n, command := range [][]string{
		{"status"}, {"status", "--json"}, {"export"}, {"export", "--format", "csv"}, {"export", "--format", "ndjson"}, {"plan"}, {"check"},
		{"remote", "--json", "projects", "list"}, {"remote", "products", "list"},
	} {
		out, said, _ := w.run(command...)
		must(w.t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("command-%d", n)), []byte(out+said), 0o600))
	}
	bundle := filepath.Join(dir, "bundle.zip")
	if out, said, code := w.run("diagnose", "--to", bundle, "--log", w.log); code != 0 {
		w.t.Errorf("diagnose exits with %d and says %s%s", code, out, said)
	}
	unzip(w.t, bundle, dir)
	w.savePages(dir)
}

func unzip(t *testing.T, bundle, dir string) {
	t.Helper()
	archive, err := zip.OpenReader(bundle)
	must(t, err)
	defer archive.Close()
	for _, f := range archive.File {
		content, err := f.Open()
		must(t, err)
		data, err := io.ReadAll(content)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, "bundle-"+f.Name), data, 0o600))
	}
}

var link = regexp.MustCompile(`(?:href|src|hx-get)="([^"]+)"`)

// savePages follows the links of the dashboard from its first page on.
func (w *studio) savePages(dir string) {
	w.t.Helper()
	found := regexp.MustCompile(`address=(http\S+)`).FindStringSubmatch(w.logged())
	if found == nil {
		w.t.Fatal("there is no page")
	}
	first, err := url.Parse(found[1] + "/")
	must(w.t, err)
	unread, saved := []*url.URL{first}, map[string]bool{}
	for _, path := range []string{"api/status", "api/export", "metrics", "healthz", "stream"} {
		unread = append(unread, first.JoinPath(path))
	}
	for len(unread) > 0 {
		at := unread[0]
		unread = unread[1:]
		if at.Host != first.Host || saved[at.String()] {
			continue
		}
		saved[at.String()] = true
		body := w.get(at)
		must(w.t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("page-%d", len(saved))), body, 0o600))
		for _, l := range link.FindAllSubmatch(body, -1) {
			if next, err := at.Parse(strings.ReplaceAll(string(l[1]), "&amp;", "&")); err == nil {
				next.Fragment = ""
				unread = append(unread, next)
			}
		}
	}
	if len(saved) < 8 {
		w.t.Errorf("there are only %d pages", len(saved))
	}
}

// get returns the headers and the body of a page, of a stream the beginning.
func (w *studio) get(at *url.URL) []byte {
	w.t.Helper()
	client := http.Client{
		Timeout:       10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // it leads to the service
	}
	answer, err := client.Get(at.String())
	must(w.t, err)
	defer answer.Body.Close()
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		event := make([]byte, 64<<10)
		n, err := answer.Body.Read(event)
		must(w.t, err)
		return event[:n]
	}
	body, err := io.ReadAll(answer.Body)
	must(w.t, err)
	return append(fmt.Appendln(nil, answer.Header), body...)
}
