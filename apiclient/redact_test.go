package apiclient

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// An odd password that the service repeats, in whatever field or header, comes into no error.
func TestErrorsHideAnOddPassword(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte(testUser + ":" + oddPassword))
	for _, o := range operations() {
		c, answerWith := oneAnswer(t)
		for name, spelled := range map[string]string{
			"as it is":      oddPassword,
			"JSON in ASCII": strings.Trim(strings.ReplaceAll(strconv.QuoteToASCII(oddPassword), `\U0001f511`, `\ud83d\udd11`), `"`),
			"a URL's query": url.QueryEscape(oddPassword),
		} {
			value, _ := json.Marshal(spelled)
			refusing := []string{spelled, string(value), `{"errors":{` + string(value) + `:` + string(value) + `}}`, `{"a":"` + spelled + `"}`}
			for _, body := range refusing {
				answerWith(http.StatusUnprocessableEntity, body, spelled)
				checkHidden(t, name, o.call(t.Context(), c), basic)
			}
			bodies := append(refusing, strings.Replace(formJSON, `"p-1"`, string(value), 1), `<iframe src="`+spelled+`">`)
			for _, body := range append(bodies, o.repeating(string(value))...) {
				answerWith(http.StatusOK, body, spelled)
				checkHidden(t, name, o.call(t.Context(), c), basic)
			}
		}
	}
}

// repeating are answers to the operation that have a value in each field, alone and in an array.
func (o operation) repeating(value string) (bodies []string) {
	for _, field := range []string{
		"uuid", "title", "sku", "year", "id", "products", "ordial", "created_at", "source_revision", "image_status",
		"alt_texts", "notice", "html", "hostname", "policy",
	} {
		for _, object := range []string{`{"` + field + `":` + value + `}`, `{"uuid":"p-1","` + field + `":["1",` + value + `]}`} {
			switch {
			case o.answer == "[]":
				object = "[" + object + "]"
			case strings.HasPrefix(o.answer, `{"variant"`):
				object = `{"variant":` + object + `}`
			}
			bodies = append(bodies, object)
		}
	}
	return bodies
}

func checkHidden(t *testing.T, name string, err error, basic string) {
	t.Helper()
	if err == nil {
		return
	}
	e := failure(t, err)
	shown := fmt.Sprint(e, e.Code, e.Messages, e.Sample, e.Err)
	for _, part := range []string{"wörd", "rd+", "rd%2B", "ö", "F6", "🔑", basic} {
		if strings.Contains(shown, part) {
			t.Errorf("%s: shows %q: %s", name, part, shown)
		}
	}
}

// oneAnswer returns a client of a service that repeats the odd password, in the body and in the
// headers.
func oneAnswer(t *testing.T) (c *Client, answerWith func(status int, body, spelled string)) {
	var status int
	var body, spelled string
	c = inMemory(t, func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Retry-After", "Date", "ETag", "Last-Modified", "Location", "X-Echo"} {
			w.Header().Set(name, spelled)
		}
		w.Header().Set("Link", "<http://studio:"+spelled+"@up.example.com/>; rel=\"next\"")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}, func(o *Options) { o.Password = oddPassword })
	return c, func(st int, b, sp string) { status, body, spelled = st, b, sp }
}

// An answer full of errors costs no more than the errors that are shown of it.
func TestManyErrorsInsideEachOtherCostLittle(t *testing.T) {
	body := []byte(deepErrors(1500, 16000))
	spent := allocated()
	found := refusalMessages(body, NewRedactor(testPassword))
	if spent = allocated() - spent; spent > 8<<20 {
		t.Errorf("%d bytes were allocated for an answer of %d", spent, len(body))
	}
	if len(found) == 0 || len(found) > maxMessages+1 {
		t.Errorf("%d messages: %.200q", len(found), found)
	}
	found = refusalMessages([]byte(deepErrors(3, 50)), NewRedactor(testPassword))
	if len(found) != maxMessages+1 || found[0] != "a: a: a: 1" || found[maxMessages] != "and more" {
		t.Errorf("%q", found)
	}
}
