package apiclient

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// newProxy starts a proxy whose tunnels all lead to one address.
func newProxy(t *testing.T, target string) (proxy *url.URL, seen chan *http.Request) {
	seen = make(chan *http.Request, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r
		if target == "" {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		up, err := net.Dial("tcp", target)
		if err != nil {
			t.Error(err)
			return
		}
		defer up.Close()
		w.WriteHeader(http.StatusOK)
		down, early, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer down.Close()
		go io.Copy(up, early) // what came with the request is in its buffer already
		io.Copy(down, up)
	}))
	t.Cleanup(server.Close)
	proxy, _ = url.Parse(server.URL)
	return proxy, seen
}

// useProxy stands in for the environment, which is read once per process.
func useProxy(c *Client, proxy *url.URL) {
	for _, h := range []*http.Client{c.control, c.once, c.store} {
		h.Transport.(*http.Transport).Proxy = http.ProxyURL(proxy)
	}
}

// A studio's proxy is in a private network; service and upload host are not.
func TestUploadsGoThroughAProxy(t *testing.T) {
	store := newTLSService(t, answering(204, "", ""))
	proxy, seen := newProxy(t, store.Listener.Addr().String())
	c := store.client(t, func(o *Options) { o.BaseURL = "https://93.184.215.14" })
	useProxy(c, proxy)
	if err := c.Upload(t.Context(), testForm("example.com"), textFile("a.jpg", "x")); err != nil {
		t.Fatal(err)
	}
	if r := <-seen; r.Method != http.MethodConnect || r.Host != "example.com:443" || r.Header.Get("Authorization") != "" {
		t.Errorf("the proxy saw %s %s %v", r.Method, r.Host, r.Header)
	}
	if e := failure(t, c.Upload(t.Context(), testForm("10.0.0.1"), textFile("a.jpg", "x"))); !strings.Contains(e.Error(), "private network") {
		t.Errorf("a private name went through the proxy: %v", e)
	}
}

func TestAProxyThatWantsAPasswordIsAPermanentFailure(t *testing.T) {
	proxy, _ := newProxy(t, "")
	c := newClient(t, Options{BaseURL: "https://93.184.215.14", Username: testUser})
	useProxy(c, proxy)
	_, create := c.CreateProject(t.Context(), "Summer")
	upload := c.Upload(t.Context(), testForm("example.com"), textFile("a.jpg", "x"))
	for _, err := range []error{create, upload} {
		var refused proxyError
		if e := failure(t, err); !errors.As(err, &refused) || e.Temporary() || e.MayHaveTakenEffect() || e.Unauthorized() {
			t.Errorf("got %v", err)
		}
	}
}
