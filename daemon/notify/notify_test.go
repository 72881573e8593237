package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient"
	"spinsync/daemon/status"
)

// TestMain is also the command that gets the news: it writes down what it got.
func TestMain(m *testing.M) {
	if path := os.Getenv("WRITE_DOWN"); path != "" {
		writeDown(path)
		return
	}
	os.Exit(m.Run())
}

func writeDown(path string) {
	body, err := io.ReadAll(os.Stdin)
	if err == nil {
		text := fmt.Sprintf("%s\n%s\n%s", body, strings.Join(os.Environ(), "\n"), strings.Join(os.Args[1:], " "))
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil || len(os.Args) > 2 {
		fmt.Fprintln(os.Stderr, "it does not like its arguments", err)
		os.Exit(7)
	}
}

// A shownStatus is what a test shows the notifier, and changes.
type shownStatus struct {
	mu  sync.Mutex
	now status.Status
}

func (s *shownStatus) status() status.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *shownStatus) publish(folder string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	s.now.Products = append(s.now.Products[:len(s.now.Products):len(s.now.Products)], status.ProductStatus{
		Root: "/shoots", Folder: folder, Project: "Summer", Title: "Teapot", SKU: "T-1", Product: "uuid of " + folder,
		State: status.Published, Live: status.Live{Revision: 3, PublishedAt: &at},
	})
}

const token = "the-token-of-the-hook"

func TestWebhookGetsJSON(t *testing.T) {
	got := make(chan *http.Request, 1)
	body := make(chan []byte, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got <- r
		body <- text
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	at := noon
	sent := Digest{At: noon, Text: "Teapot is live", PublishedCount: 1, Published: []Product{{Root: "/shoots", Folder: "Summer/1", PublishedAt: &at}}, Attention: []Product{}}
	hook := newWebhook(Options{Webhook: apiclient.Secret(server.URL + "/hooks/" + token), Version: "1.2.3", Secret: secret})
	if err := hook.send(t.Context(), sent); err != nil {
		t.Fatal(err)
	}
	r := <-got
	if r.Method != http.MethodPost || r.URL.Path != "/hooks/"+token || r.Header.Get("Content-Type") != "application/json" || r.UserAgent() != "spinsync/1.2.3" {
		t.Errorf("%s %s, %v", r.Method, r.URL, r.Header)
	}
	text := <-body
	sentAt, err := strconv.ParseInt(r.Header.Get("Webhook-Timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(sentAt, 0)).Abs() > time.Minute {
		t.Errorf("sent at %v, %v", time.Unix(sentAt, 0), err)
	}
	again := http.Header{}
	if err := hook.sign(again, sent.id(), time.Unix(sentAt, 0), text); err != nil || again.Get("Webhook-Signature") != r.Header.Get("Webhook-Signature") {
		t.Errorf("it is not signed as sent: %v, %v", r.Header, err)
	}
	var received Digest
	if err := json.Unmarshal(text, &received); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sent, received); diff != "" {
		t.Error(diff)
	}
}

// secret and the signature are those of the specification's example.
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func TestSignature(t *testing.T) {
	header := http.Header{}
	hook := newWebhook(Options{Secret: secret})
	if err := hook.sign(header, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`)); err != nil {
		t.Fatal(err)
	}
	want := http.Header{
		"Webhook-Id": {"msg_p5jXN8AQM9LWM0D4loKWxJek"}, "Webhook-Timestamp": {"1614265330"},
		"Webhook-Signature": {"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
	}
	if diff := cmp.Diff(want, header); diff != "" {
		t.Error(diff)
	}
	unsigned := http.Header{}
	if err := newWebhook(Options{}).sign(unsigned, "msg_1", noon, nil); err != nil || unsigned.Get("Webhook-Signature") != "" || unsigned.Get("Webhook-Id") != "msg_1" {
		t.Error(unsigned, err)
	}
}

// News that are sent again have the same ID, whenever that is, and other news have another.
func TestSameNewsHaveOneID(t *testing.T) {
	later := noon.Add(time.Minute)
	first := Digest{At: noon, Text: "Teapot is live", Published: []Product{{Folder: "Summer/1", PublishedAt: &noon}}}
	again, other := first, first
	again.At = later
	other.Published = []Product{{Folder: "Summer/1", PublishedAt: &later}}
	if first.id() != again.id() || first.id() == other.id() {
		t.Error(first.id(), again.id(), other.id())
	}
}

// A redirect is not followed, and no failure reveals the address, which may hold a token.
func TestWebhookFailures(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer elsewhere.Close()
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", elsewhere.URL+"/"+token)
		w.WriteHeader(status)
	}))
	try := func(address, want string) {
		t.Helper()
		err := newWebhook(Options{Webhook: apiclient.Secret(address)}).send(t.Context(), Digest{})
		if text := fmt.Sprint(err); !strings.Contains(text, want) || strings.Contains(text, token) {
			t.Errorf("the error is %q, want %q", text, want)
		}
	}
	for _, status = range []int{301, 302, 307, 308} {
		try(server.URL+"/"+token, "redirects are not followed")
	}
	status = http.StatusInternalServerError
	try(server.URL+"/"+token, "it answers 500")
	server.Close()
	try(server.URL+"/"+token, "refused")
	try("http://[::1/"+token, "missing ']'")
}

// The command gets the digest and short values, and no password.
func TestCommandGetsTheDigest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sent")
	t.Setenv("SPINSYNC_PASSWORD", "canary-4711")
	t.Setenv("SPINSYNC_ETCD_PASSWORD", "canary-4712")
	t.Setenv("CREDENTIALS_DIRECTORY", "/run/credentials/spinsync")
	c := command{[]string{os.Args[0], "an argument with spaces; $HOME"}, withoutPasswords(append(os.Environ(), "WRITE_DOWN="+path))}
	if err := c.send(t.Context(), Digest{Text: "Teapot is live", PublishedCount: 1}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"published_count":1`, "\nSPINSYNC_TEXT=Teapot is live\n", "\nSPINSYNC_PUBLISHED=1\n", "\nSPINSYNC_ATTENTION=0", "an argument with spaces; $HOME"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("the command did not get %q:\n%s", want, got)
		}
	}
	if strings.Contains(string(got), "canary") || strings.Contains(string(got), "CREDENTIALS_DIRECTORY") {
		t.Errorf("the command got the password:\n%s", got)
	}
}

func TestCommandFailures(t *testing.T) {
	if err := (command{args: []string{filepath.Join(t.TempDir(), "none")}}).send(t.Context(), Digest{}); !errors.Is(err, os.ErrNotExist) && !errors.Is(err, exec.ErrNotFound) {
		t.Error(err)
	}
	c := command{[]string{os.Args[0], "two", "arguments"}, append(os.Environ(), "WRITE_DOWN="+filepath.Join(t.TempDir(), "sent"))}
	if err := c.send(t.Context(), Digest{}); !strings.Contains(fmt.Sprint(err), "exit status 7: it does not like its arguments") {
		t.Error(err)
	}
}

// However much happens, one message goes out in its time, and the last one at the end.
func TestDigestsAreGathered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shownStatus
		s.publish("before the start")
		var sent []string
		n := notifier(&s, func(_ context.Context, d Digest) error { sent = append(sent, d.Text); return nil })
		end := n.start(t.Context())
		time.Sleep(time.Second / 2)
		for i := range 90 {
			s.publish(fmt.Sprint(i))
			time.Sleep(time.Second)
		}
		end()
		if diff := cmp.Diff([]string{"60 views are live", "30 views are live"}, sent); diff != "" {
			t.Error(diff)
		}
	})
}

// A receiver that cannot be reached is tried less and less often, gets everything in one message when
// it is back, and keeps nobody from stopping.
func TestUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shownStatus
		var silent atomic.Bool
		var tries, delivered atomic.Int64
		n := notifier(&s, func(ctx context.Context, d Digest) error {
			tries.Add(1)
			if silent.Load() {
				<-ctx.Done()
				return ctx.Err()
			}
			delivered.Add(int64(d.PublishedCount))
			return nil
		})
		end := n.start(t.Context())
		silent.Store(true)
		s.publish("1")
		time.Sleep(50 * time.Minute)
		s.publish("2")
		time.Sleep(50 * time.Minute)
		silent.Store(false)
		time.Sleep(longestPause)
		if delivered.Load() != 2 {
			t.Errorf("%d views were sent", delivered.Load())
		}
		if tries.Load() > 9 {
			t.Errorf("it was tried %d times", tries.Load())
		}
		silent.Store(true)
		s.publish("3")
		for before := tries.Load(); tries.Load() == before; { // into the middle of a try
			time.Sleep(time.Second)
		}
		stopped := time.Now()
		end()
		if took := time.Since(stopped); took > lastPatience {
			t.Errorf("the stop took %s", took)
		}
	})
}

// A notifier in the place of another one sends what that one did not send, whatever the diary has.
func TestNotifierInThePlaceOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shownStatus
		var sent []string
		send := func(_ context.Context, d Digest) error { sent = append(sent, d.Published[0].Folder); return nil }
		first := notifier(&s, send)
		first.receivers[0].name = "webhook"
		end := first.start(t.Context())
		s.publish("1")
		end()
		s.publish("2")
		second := New(s.status, Options{Webhook: "http://127.0.0.1:1", Every: time.Minute, Log: slog.New(slog.DiscardHandler), Diary: noDiary{}, Before: first})
		second.receivers[0].send = send
		second.start(t.Context())()
		if diff := cmp.Diff([]string{"1", "2"}, sent); diff != "" {
			t.Error(diff)
		}
	})
}

func notifier(s *shownStatus, send func(context.Context, Digest) error) *Notifier {
	n := New(s.status, Options{Every: time.Minute, Diary: noDiary{}})
	_, known := memory{}.compare(s.status(), time.Now())
	n.receivers = []*receiver{{notifier: n, send: send, known: known, log: slog.New(slog.DiscardHandler)}}
	return n
}

// start runs it until the returned function is called.
func (n *Notifier) start(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { n.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// From the options to a server that answers only at the third time.
func TestWebhookIsTriedAgain(t *testing.T) {
	arrived := make(chan string)
	tries := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries < 3 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		body, _ := io.ReadAll(r.Body)
		arrived <- string(body)
	}))
	defer server.Close()
	var s shownStatus
	n := New(s.status, Options{Webhook: apiclient.Secret(server.URL), Every: time.Millisecond, Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Diary: noDiary{}})
	end := n.start(t.Context())
	defer end()
	s.publish("Summer/1")
	if body := <-arrived; !strings.Contains(body, `"published":[{"root":"/shoots","folder":"Summer/1","project":"Summer","title":"Teapot","sku":"T-1","uuid":"uuid of Summer/1","revision":3,`) {
		t.Error(body)
	}
}

// noDiary is for tests that end with their process.
type noDiary struct{}

func (noDiary) Delivered() (map[string]time.Time, error) { return nil, nil }
func (noDiary) SetDelivered(string, time.Time) error     { return nil }
