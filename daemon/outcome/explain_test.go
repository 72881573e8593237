package outcome

import (
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"spinsync/apiclient"
	"spinsync/daemon/status"
)

// TestExplain: what a technician can do about each kind of failure, from real answers and
// connections.
func TestExplain(t *testing.T) {
	const html = "<html>please log in</html>"
	for _, test := range []struct {
		name         string
		status       int
		body         string
		says, remedy string
	}{
		{"a wrong password", 401, "", "rejects the user name or password", "PASSWORD"},
		{"no permission", 403, `{"errors":["not yours"]}`, "let this user list the projects: not yours", "edit permission for the project"},
		{"a firewall", 403, html, "does not let this user list the projects", "proxy or firewall blocks"},
		{"another address", 404, html, "has nothing at this address", "correct base_url"},
		{"a refusal", 422, `{"errors":["no"]}`, "refuses to list the projects: no", "ask the support"},
		{"a refusal with 200", 200, `{"errors":["no"]}`, "refuses to list the projects: no", "ask the support"},
		{"too many requests", 429, "", "asks for a pause", ""},
		{"maintenance", 503, `{"errors":["until noon"]}`, "asks for a pause: until noon", ""},
		{"a full disk", 507, "", "has no room left on its disk", "ask the support"},
		{"a fault", 500, "", "reports an error of its own", ""},
		{"a redirect", 301, "", "redirects to another address", "correct base_url"},
		{"a captive portal", 200, html, "is not understood", "log-in page"},
		{"no JSON", 200, "hello", "is not understood", "correct base_url"},
		{"http to an https port", 400, "Client sent an HTTP request to an HTTPS server.", "speaks https, not http", "https://"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if test.body == html {
				w.Header().Set("Content-Type", "text/html")
			}
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.body))
		}))
		explains(t, test.name, server.URL, nil, test.says, test.remedy)
		server.Close()
	}
}

// A download that fails here has other remedies than an upload.
func TestExplainDownload(t *testing.T) {
	if x := explainFile(&apiclient.Error{Op: "download the sources"}); !strings.Contains(x.Remedy, "make room") {
		t.Errorf("explained as %+v", x)
	}
	if x := explainFile(&apiclient.Error{Op: apiclient.OpUpload + " 1.jpg"}); !strings.HasPrefix(x.Says, "1.jpg") {
		t.Errorf("explained as %+v", x)
	}
}

// TestExplainConnections: the same where there is no answer.
func TestExplainConnections(t *testing.T) {
	plain, secured := httptest.NewServer(nil), httptest.NewTLSServer(nil)
	defer plain.Close()
	defer secured.Close()
	nobody := httptest.NewServer(nil)
	nobody.Close()
	trusted := x509.NewCertPool()
	trusted.AddCert(secured.Certificate())
	_, port, _ := strings.Cut(strings.TrimPrefix(secured.URL, "https://"), ":")
	explains(t, "nobody there", nobody.URL, nil, "does not answer", "check network, proxy and firewall")
	explains(t, "https to an http port", strings.Replace(plain.URL, "http:", "https:", 1), nil, "speaks http, not https", "http://")
	explains(t, "another authority", secured.URL, nil, "an authority that this computer does not trust", "ca_file in [service]")
	explains(t, "another name", "https://localhost:"+port, trusted, "is for another name", "correct base_url")
}

func explains(t *testing.T, name, url string, roots *x509.CertPool, says, remedy string) {
	t.Helper()
	client, err := apiclient.New(apiclient.Options{BaseURL: url, Username: "studio", RootCAs: roots})
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdle()
	_, err = client.Projects(t.Context())
	got := Explain(err, "PASSWORD")
	if !strings.Contains(got.Says, says) || !strings.Contains(got.Remedy, remedy) || (remedy == "") != (got.Remedy == "") {
		t.Errorf("%s: of %v people see %q", name, err, got)
	}
}

// TestEveryRefusedOperationHasARemedy: a refusal that needs a person names what it was about and
// what helps.
func TestEveryRefusedOperationHasARemedy(t *testing.T) {
	for op := range operationInWords {
		got := Explain(&apiclient.Error{Op: op, Status: 422, Messages: []string{"no"}}, "")
		if got.Remedy == "" || strings.Contains(got.Says, op+":") {
			t.Errorf("of %s people see %q", op, got)
		}
	}
	mistyped := &apiclient.Error{Op: "list projects", Err: &net.DNSError{Name: "views.invalid", IsNotFound: true}}
	if got := Explain(mistyped, ""); !strings.Contains(got.String(), "no computer has the name views.invalid; correct base_url") {
		t.Errorf("of a mistyped name people see %q", got)
	}
	for name, failure := range map[string]error{
		"a file that was taken away": errors.New("file does not exist"),
		"a refused upload":           &apiclient.Error{Op: "upload 1.jpg", UploadHost: "uploads.example.com", Status: 400, Code: "EntityTooLarge"},
	} {
		if got := status.Sentence(ForGood(Explain(failure, "").Cause()), func(verb string) string { return "`spinsync " + verb + " SKU-1`" }); !strings.Contains(got, "`spinsync retry SKU-1`") {
			t.Errorf("of %s people see %q", name, got)
		}
	}
}
