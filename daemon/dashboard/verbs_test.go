package dashboard

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"spinsync/daemon/status"
)

// A form that cannot be read, or that names neither a folder nor all of them, must never be taken
// for all folders.
func TestUnreadableFormsChangeNothing(t *testing.T) {
	inStudio(t, "frames = 2", Options{}, func(t *testing.T, s *studio) {
		s.shoot("Summer/SKU-1", "1.jpg")
		p := s.untilState("Summer/SKU-1", status.Attention)
		const form = "application/x-www-form-urlencoded"
		before := s.d.Status()
		for name, c := range map[string]struct{ query, kind, body string }{
			"nothing":               {"", "", ""},
			"an empty form":         {"", form, ""},
			"an empty id":           {"", form, "id="},
			"the id in the query":   {"?id=" + p.ID, form, ""},
			"all in the query":      {"?all=yes", form, ""},
			"an id and a query":     {"?as_is=yes", form, "id=" + p.ID},
			"JSON":                  {"", "application/json", `{"id":"` + p.ID + `"}`},
			"JSON as a form":        {"", form, `{"id":"` + p.ID + `"}`},
			"a form as text":        {"", "text/plain", "id=" + p.ID},
			"a form without a type": {"", "", "id=" + p.ID},
			"a form in parts":       {"", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n" + p.ID + "\r\n--x--\r\n"},
			"a form over 4 KB":      {"", form, "back=" + strings.Repeat("a", 5<<10) + "&id=" + p.ID},
			"a broken escape":       {"", form, "back=%zz&id=" + p.ID},
			"a semicolon":           {"", form, "id=" + p.ID + ";as_is=yes"},
			"an id and all":         {"", form, "all=yes&id=" + p.ID},
			"two ids":               {"", form, "id=" + p.ID + "&id=" + p.ID},
			"all=no":                {"", form, "all=no"},
			"all, and no field":     {"", form, "all=yes&of=yes"},
			"as_is=true":            {"", form, "as_is=true&id=" + p.ID},
			"off=1":                 {"", form, "off=1&id=" + p.ID},
		} {
			for _, verb := range []string{"/retry", "/pause", "/resume", "/rush"} {
				r := httptest.NewRequest(http.MethodPost, verb+c.query, io.NopCloser(strings.NewReader(c.body)))
				if r.Header.Set("Content-Type", c.kind); c.kind == "" {
					r.Header.Del("Content-Type")
				}
				if w := s.ask(r); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "all=yes") {
					t.Errorf("%s to %s: %d %s", name, verb, w.Code, w.Body)
				}
			}
		}
		after := s.d.Status()
		if was, is := before.Products[0], after.Products[0]; after.Paused || is.State != was.State || is.Priority || !is.Since.Equal(was.Since) {
			t.Errorf("something changed: %+v, before %+v", is, was)
		}
	})
}
