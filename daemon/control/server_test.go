package control

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
)

// All folders are never meant by what a question leaves out.
func TestUnreadableVerbsChangeNothing(t *testing.T) {
	dir := t.TempDir()
	_, service := daemontest.Service(t, sandbox.Options{})
	c := daemontest.Config(t, dir, service, "frames = 2")
	daemontest.Write(t, filepath.Join(dir, "shoots", "Summer", "SKU-1", "1.jpg"), daemontest.Photo("1"))
	d, end := daemontest.Open(t, daemon.Options{Config: c})
	t.Cleanup(end)
	t.Cleanup(daemontest.Start(t, d))
	for len(d.Status().Products) == 0 {
		<-d.Changed()
	}
	key := d.Status().Products[0].Key()
	folder := `"root":"` + filepath.ToSlash(key.Root) + `","folder":"` + key.Path + `"`
	for name, body := range map[string]string{
		"nothing":           "",
		"null":              "null",
		"an empty question": "{}",
		"a list":            "[]",
		"a form":            "all=yes",
		"a folder and all":  `{` + folder + `,"all":true}`,
		"a root alone":      `{"root":"/shoots"}`,
		"a folder alone":    `{"folder":"Summer/SKU-1"}`,
		"not all":           `{"all":false}`,
		"an unknown field":  `{` + folder + `,"of":1}`,
		"cut off":           `{` + folder,
		"more than one":     `{` + folder + `} {"all":true}`,
		"more than is read": `{` + folder + `}` + strings.Repeat(" ", 70<<10),
		"more than 64 KB":   strings.Repeat(" ", 70<<10) + `{` + folder + `}`,
	} {
		for _, verb := range []string{"/retry", "/pause", "/resume", "/rush"} {
			if name == "a root alone" && verb == "/retry" {
				continue // a root can be accepted
			}
			w := httptest.NewRecorder()
			handler(d).ServeHTTP(w, httptest.NewRequest(http.MethodPost, verb, strings.NewReader(body)))
			if w.Code/100 != 4 || !strings.Contains(w.Body.String(), `"message":`) {
				t.Errorf("%s to %s: %d %s", name, verb, w.Code, w.Body)
			}
		}
	}
	if s := d.Status(); s.Paused || s.Products[0].State == daemon.Paused || s.Products[0].Rush {
		t.Errorf("something changed: %+v", s)
	}
}
