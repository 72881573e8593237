package apiclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fileIn returns the content of the file in an upload.
func fileIn(t *testing.T, r request) string {
	t.Helper()
	_, parameters, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	form, err := multipart.NewReader(strings.NewReader(r.body), parameters["boundary"]).ReadForm(32 << 20)
	if err != nil {
		t.Fatal(err)
	}
	file, err := form.File["file"][0].Open()
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestAnUploadIsWholeAtEverySize(t *testing.T) {
	store := newTLSService(t, answering(204, "", ""))
	c := store.client(t)
	for _, size := range []int{0, 1, 4095, 60 << 10, 64 << 10, copyBufferSize - 1, copyBufferSize, copyBufferSize + 1, 3*copyBufferSize + 17, 1 << 20} {
		content := strings.Repeat("0123456789abcdef-", size/17+1)[:size]
		for _, open := range map[string]func(io.Reader) io.Reader{"plain": func(r io.Reader) io.Reader { return r }, "halves": iotest.HalfReader, "early EOF": iotest.DataErrReader} {
			f := textFile("a.jpg", content)
			f.Open = func() (io.ReadCloser, error) { return io.NopCloser(open(strings.NewReader(content))), nil }
			if err := c.Upload(t.Context(), testForm(store.URL), f); err != nil {
				t.Fatalf("%d bytes: %v", size, err)
			}
			seen := store.requests()
			if got := fileIn(t, seen[len(seen)-1]); got != content {
				t.Errorf("%d bytes arrived as %d", size, len(got))
			}
		}
	}
}

// TestManyUploadsShareConnections: with as many uploads side by side as anybody may ask for, the
// next ones find the connections of those before them.
func TestManyUploadsShareConnections(t *testing.T) {
	const sideBySide = 256
	var arrived atomic.Int64
	all := make(chan struct{})
	store := newService(t, func(w http.ResponseWriter, r *http.Request) {
		if arrived.Add(1) == sideBySide {
			close(all)
		}
		<-all
		w.WriteHeader(204)
	})
	c := store.client(t)
	for range 2 {
		var uploads sync.WaitGroup
		for range sideBySide {
			uploads.Go(func() {
				if err := c.Upload(t.Context(), testForm(store.URL), textFile("a.jpg", "x")); err != nil {
					t.Error(err)
				}
			})
		}
		uploads.Wait()
	}
	from := map[string]bool{}
	for _, r := range store.requests() {
		from[r.from] = true
	}
	if len(from) > sideBySide+sideBySide/8 {
		t.Errorf("%d uploads, %d side by side, came over %d connections", 2*sideBySide, sideBySide, len(from))
	}
}

// watched is a file that knows whether it was closed.
type watched struct {
	io.Reader
	closed bool
}

func (w *watched) Close() error { w.closed = true; return nil }

func TestAFileThatChangedIsAnError(t *testing.T) {
	broken := errors.New("input/output error")
	tests := map[string]struct {
		size int64
		r    io.Reader
		want error
	}{
		"shorter":          {100 << 10, strings.NewReader("short"), ErrSizeChanged},
		"longer":           {5, strings.NewReader("longer"), ErrSizeChanged},
		"much longer":      {200 << 10, strings.NewReader(strings.Repeat("x", 300<<10)), ErrSizeChanged},
		"unreadable":       {5, iotest.ErrReader(broken), broken},
		"unreadable later": {300 << 10, io.MultiReader(strings.NewReader(strings.Repeat("x", 200<<10)), iotest.ErrReader(broken)), broken},
		"ends oddly":       {300 << 10, io.MultiReader(strings.NewReader("x"), iotest.ErrReader(io.ErrUnexpectedEOF)), io.ErrUnexpectedEOF},
	}
	for name, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			c := inMemory(t, func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) })
			file := &watched{Reader: test.r}
			f := File{Name: "frame_01.jpg", Size: test.size, Open: func() (io.ReadCloser, error) { return file, nil }}
			err := c.Upload(t.Context(), testForm("localhost"), f)
			e := failure(t, err)
			if !errors.Is(err, test.want) || !e.Local() || !strings.HasPrefix(e.Error(), "upload frame_01.jpg: ") {
				t.Errorf("%s: got %v, local %v, want %v", name, e, e.Local(), test.want)
			}
			if !file.closed {
				t.Errorf("%s: the file was left open", name)
			}
			time.Sleep(time.Second) // until the server has closed its side
		})
	}
}

func TestAFileThatCannotBeOpenedIsALocalFailure(t *testing.T) {
	store := newService(t, answering(204, "", ""))
	f := File{Name: "a.jpg", Open: func() (io.ReadCloser, error) { return os.Open(filepath.Join(t.TempDir(), "gone.jpg")) }}
	err := store.client(t).Upload(t.Context(), testForm(store.URL), f)
	if e := failure(t, err); !errors.Is(err, fs.ErrNotExist) || !e.Local() || e.MayHaveTakenEffect() {
		t.Errorf("got %v", err)
	}
}

func TestANameThatIsNoSegmentIsNotSent(t *testing.T) {
	store := newService(t, answering(204, "", ""))
	c := store.client(t)
	for _, name := range []string{"", "a/b.jpg", `a\b.jpg`, "a\r\nb.jpg", "${filename}"} {
		failure(t, c.Upload(t.Context(), testForm(store.URL), textFile(name, "x")))
	}
	f := textFile("a.jpg", "x")
	f.ContentType = "image/jpeg\r\nX-Evil: 1"
	failure(t, c.Upload(t.Context(), testForm(store.URL), f))
	if n := len(store.requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func storeXML(code, message string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>` + code + `</Code><Message>` + message + `</Message><RequestId>1</RequestId></Error>`
}

// Only an upload host refuses a form.
func TestRefusalOfTheServiceIsNoRefusedForm(t *testing.T) {
	if e := (&Error{Status: 403, Code: "AccessDenied"}); e.FormRejected() || e.FormExpired() {
		t.Error("a refusal of the service passes for that of a form")
	}
}

func TestARefusalOfTheUploadHostShowsWhatHelps(t *testing.T) {
	tests := []struct {
		status             int
		code, message      string
		expired, rejected  bool
		temporary, slowing bool
	}{
		{403, "AccessDenied", "Invalid according to Policy: Policy expired.", true, false, false, false},
		{400, "ExpiredToken", "The provided token has expired.", true, false, false, false},
		{403, "AccessDenied", "Invalid according to Policy: Policy Condition failed", false, true, false, false},
		{403, "SignatureDoesNotMatch", "The signature does not match", false, true, false, false},
		{403, "InvalidAccessKeyId", "Unknown key", false, true, false, false},
		{400, "InvalidPolicyDocument", "Bad policy", false, true, false, false},
		{403, "RequestTimeTooSkewed", "The clock is wrong", false, false, false, false},
		{400, "InvalidArgument", "Bucket POST must contain a field named 'AWSAccessKeyId'.", false, true, false, false},
		{401, "AccessDenied", "Anonymous caller", false, true, false, false},
		{400, "EntityTooLarge", "Too large", false, false, false, false},
		{400, "EntityTooSmall", "Too small", false, false, false, false},
		{400, "RequestTimeout", "Idle for too long", false, false, true, false},
		{503, "SlowDown", "Reduce your request rate", false, false, true, true},
		{500, "InternalError", "Try again", false, false, true, false},
		{200, "InternalError", "Late failure", false, false, true, false},
		{307, "TemporaryRedirect", "Elsewhere", false, false, true, false},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.status, test.code, test.message), func(t *testing.T) {
			store := newService(t, answering(test.status, "application/xml", storeXML(test.code, test.message)))
			e := failure(t, store.client(t).Upload(t.Context(), testForm(store.URL), textFile("a.jpg", "x")))
			if e.Code != test.code || !cmp.Equal(e.Messages, []string{test.message}) || e.Status != test.status {
				t.Errorf("got %#v", e)
			}
			if e.FormExpired() != test.expired || e.FormRejected() != test.rejected || e.Temporary() != test.temporary || e.Throttled() != test.slowing {
				t.Errorf("%v: expired %v, rejected %v, temporary %v, throttled %v", e, e.FormExpired(), e.FormRejected(), e.Temporary(), e.Throttled())
			}
			if e.Unauthorized() || e.NotFound() {
				t.Error("the upload host's refusal passes for the service's")
			}
			if refused := test.status/100 == 4; e.MayHaveTakenEffect() == refused {
				t.Errorf("MayHaveTakenEffect() = %v", e.MayHaveTakenEffect())
			}
		})
	}
}

func TestAnUploadHostsRefusalWithoutXML(t *testing.T) {
	for _, body := range []string{"", "forbidden", "<html>no</html>", "<Error><Code>Cut", strings.Repeat("x", 1<<20), "<!DOCTYPE x [<!ENTITY a \"b\">]><Error>&a;</Error>"} {
		store := newService(t, answering(403, "text/plain", body))
		e := failure(t, store.client(t).Upload(t.Context(), testForm(store.URL), textFile("a.jpg", "x")))
		if e.Code != "" || !e.FormRejected() || len(e.Sample) > 2000 {
			t.Errorf("%.40q: %#v", body, e)
		}
	}
}

// The key errors is a failure in an answer to any operation (7.1), whatever its status.
func TestAnUploadThatIsRefusedWithOK(t *testing.T) {
	store := newService(t, answering(200, "application/json", `{"errors":["no room"]}`))
	e := failure(t, store.client(t).Upload(t.Context(), testForm(store.URL), textFile("a.jpg", "x")))
	if !cmp.Equal(e.Messages, []string{"no room"}) || e.Temporary() {
		t.Errorf("got %#v", e)
	}
}

// Stores repeat what they were sent when a signature is wrong.
func TestUploadErrorsShowNoSecrets(t *testing.T) {
	for _, body := range []string{
		storeXML("SignatureDoesNotMatch", testPolicy+" "+testSign),
		storeXML(testPolicy, "x&#x9b;"),
		testPolicy + testSign + testKey,
		`{"policy":"` + strings.ReplaceAll(testPolicy, "/", `\/`) + `"}`,
	} {
		for _, status := range []int{200, 400, 500} {
			store := newService(t, answering(status, "text/html", "<html>"+body))
			if strings.HasPrefix(body, "<?xml") {
				store = newService(t, answering(status, "application/xml", body))
			}
			e := failure(t, store.client(t).Upload(t.Context(), testForm(store.URL), textFile("a.jpg", "x")))
			shown := fmt.Sprint(e, e.Code, e.Messages, e.Sample)
			for _, secret := range []string{testPolicy[:20], testSign, testKey, "\u009b"} {
				if strings.Contains(shown, secret) {
					t.Errorf("shows %q: %s", secret, shown)
				}
			}
		}
	}
}

func TestAnySuccessOfTheUploadHostCounts(t *testing.T) {
	for status, contentType := range map[int]string{200: "text/html", 201: "application/xml", 204: "", 206: "text/plain"} {
		body := map[int]string{201: `<PostResponse><Key>k</Key></PostResponse>`, 206: "ok"}[status]
		store := newService(t, answering(status, contentType, body))
		if err := store.client(t).Upload(t.Context(), testForm(store.URL), textFile("a.jpg", "x")); err != nil {
			t.Errorf("%d: %v", status, err)
		}
	}
	store := newService(t, answering(200, "text/html", portalPage))
	e := failure(t, store.client(t).Upload(t.Context(), testForm(store.URL), textFile("a.jpg", "x")))
	if !e.Temporary() || !e.MayHaveTakenEffect() || e.Status != 200 || !strings.HasPrefix(e.Error(), "upload ") {
		t.Errorf("got %v", e)
	}
}

// A store that refuses a form answers at once and closes, while the file is still being sent. Its
// answer must not be lost in the broken pipe.
func TestARefusalBeforeTheFileIsThroughIsHeard(t *testing.T) {
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, buffered, _ := w.(http.Hijacker).Hijack()
		defer conn.Close()
		body := storeXML("AccessDenied", "Invalid according to Policy: Policy expired.")
		fmt.Fprintf(buffered, "HTTP/1.1 403 Forbidden\r\nContent-Type: application/xml\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", len(body), body)
		buffered.Flush()
	}))
	defer store.Close()
	c := newClient(t, Options{BaseURL: store.URL, Username: testUser})
	for range 20 {
		f := File{Name: "a.mp4", Size: 64 << 20, Open: func() (io.ReadCloser, error) { return io.NopCloser(io.LimitReader(zeros{}, 64<<20)), nil }}
		if e := failure(t, c.Upload(t.Context(), testForm(store.URL), f)); !e.FormExpired() {
			t.Fatalf("got %v", e)
		}
	}
}

func TestASuccessBeforeTheFileIsThroughIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inMemory(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) })
		f := File{Name: "a.mp4", Size: 64 << 20, Open: func() (io.ReadCloser, error) { return io.NopCloser(io.LimitReader(zeros{}, 64<<20)), nil }}
		if e := failure(t, c.Upload(t.Context(), testForm("localhost"), f)); !e.Temporary() {
			t.Errorf("got %v", e)
		}
		time.Sleep(time.Second) // until the server has closed its side
	})
}

// zeros is a file without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestHostsInPrivateNetworksAreRefused(t *testing.T) {
	store := newTLSService(t, answering(204, "", ""))
	public := store.client(t, func(o *Options) { o.BaseURL = "https://93.184.215.14" })
	_, port, _ := net.SplitHostPort(store.Listener.Addr().String())
	for _, host := range []string{
		store.URL, "127.0.0.1:" + port, "https://localhost.:" + port, "192.168.1.1:443", "[::1]:" + port, "127.1",
	} {
		e := failure(t, public.Upload(t.Context(), testForm(host), textFile("a.jpg", "x")))
		if e.Temporary() || e.MayHaveTakenEffect() || !e.Barred() || !strings.Contains(e.Error(), "private network") {
			t.Errorf("%s: got %v", host, e)
		}
	}
	if n := len(store.requests()); n != 0 {
		t.Errorf("%d uploads arrived", n)
	}
}

// A public name may point into a private network, so what counts is the address that is dialled.
func TestTheDialledAddressIsChecked(t *testing.T) {
	for base, allowed := range map[string]bool{"93.184.215.14": false, "10.1.2.3": true, "localhost": true} {
		tr := transports{base: &url.URL{Host: base}}
		for _, address := range []string{"127.0.0.1:443", "10.0.0.1:443", "100.100.0.1:443", "[fd00::1]:443", "[64:ff9b::a00:1]:443"} {
			if err := tr.checkAddress(t.Context(), "tcp", address, nil); (err == nil) != allowed {
				t.Errorf("service at %s, upload to %s: %v", base, address, err)
			}
		}
		if err := tr.checkAddress(t.Context(), "tcp", "93.184.215.14:443", nil); err != nil {
			t.Errorf("a public address is refused: %v", err)
		}
	}
	closed := httptest.NewServer(nil)
	defer closed.Close()
	tr := transports{base: &url.URL{Host: "93.184.215.14"}, fence: new(fence)}
	var refused internalHostError
	if _, err := tr.dialPublic(t.Context(), "tcp", closed.Listener.Addr().String()); !errors.As(err, &refused) {
		t.Errorf("dialled: %v", err)
	}
}

func TestNoProgressEndsAnUpload(t *testing.T) {
	tests := map[string]struct {
		serve func(net.Conn) // what the upload host does with a connection
		hangs bool           // the file
		took  time.Duration
	}{
		"the network takes nothing": {func(net.Conn) {}, false, time.Minute},
		"the host never answers":    {func(c net.Conn) { io.Copy(io.Discard, c) }, false, 2 * time.Minute},
		"the file hangs":            {func(c net.Conn) { io.Copy(io.Discard, c) }, true, time.Minute + closeGrace},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dial := func(context.Context, string, string) (net.Conn, error) {
					ours, theirs := net.Pipe()
					go test.serve(theirs)
					return ours, nil
				}
				c := newClient(t, Options{BaseURL: "http://localhost", Username: testUser, DialContext: dial})
				const size = 1 << 20
				var content io.Reader = zeros{}
				if test.hangs {
					drive := make(hanging)
					defer close(drive)
					content = drive
				}
				f := File{Name: "a.jpg", Size: size, Open: func() (io.ReadCloser, error) { return io.NopCloser(io.LimitReader(content, size)), nil }}
				begun := time.Now()
				e := failure(t, c.Upload(t.Context(), testForm("localhost"), f))
				if took := time.Since(begun); took > test.took || took < time.Minute {
					t.Errorf("ended after %v", took)
				}
				if !e.Temporary() || e.Local() != test.hangs {
					t.Errorf("%v: temporary %v, local %v", e, e.Temporary(), e.Local())
				}
			})
		})
	}
}

// hanging is a file on a drive that is dead until the channel is closed.
type hanging chan struct{}

func (h hanging) Read([]byte) (int, error) {
	<-h
	return 0, io.EOF
}

// The transport may close a body while it is being read. Its file is closed after that read, and once.
func TestAFileIsClosedAfterItsLastRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, dog, stop := watch(t.Context())
		defer stop()
		drive := make(hanging)
		file := &watched{Reader: drive}
		f := File{Name: "a.jpg", Size: 1}
		body := newUploadBody(newForm(testForm("localhost"), f), f, file, dog)
		var reading sync.WaitGroup
		reading.Go(func() { io.Copy(io.Discard, body) })
		synctest.Wait()
		body.Close()
		if file.closed {
			t.Error("the file is closed during the read")
		}
		close(drive)
		reading.Wait()
		if !file.closed {
			t.Error("the file is left open")
		}
	})
}

// slowDrive is a file without end. A read of it takes some time.
type slowDrive struct{}

func (slowDrive) Read(p []byte) (int, error) {
	time.Sleep(40 * time.Second)
	return zeros{}.Read(p)
}

// As long as something moves, an upload may take for ever. The drive and the network have their time
// each.
func TestASlowUploadIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
			buffer := make([]byte, 4096)
			for {
				<-time.After(30 * time.Second / (copyBufferSize / 4096))
				if _, err := r.Body.Read(buffer); err != nil {
					break
				}
			}
			w.WriteHeader(204)
		})
		begun := time.Now()
		f := File{Name: "a.mp4", Size: 8 << 20, Open: func() (io.ReadCloser, error) { return io.NopCloser(io.LimitReader(slowDrive{}, 8<<20)), nil }}
		if err := c.Upload(t.Context(), testForm("localhost"), f); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took < 10*time.Minute {
			t.Errorf("took %v, which proves nothing", took)
		}
	})
}
