package apiclient

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const oddPassword = `päss"<=/\ &%25;wörd+🔑`

// spellings are ways in which an answer may repeat a text.
func spellings(secret string) map[string]string {
	quoted := func(s string) string {
		data, _ := json.Marshal(s)
		return string(data[1 : len(data)-1])
	}
	var ascii strings.Builder
	for _, r := range secret {
		if r > 0xffff {
			fmt.Fprint(&ascii, strings.Trim(fmt.Sprintf("%+q", r), "'"))
			continue
		}
		fmt.Fprintf(&ascii, `\u%04X`, r)
	}
	return map[string]string{
		"as it is":               secret,
		"JSON":                   quoted(secret),
		"JSON, slashes escaped":  strings.ReplaceAll(quoted(secret), "/", `\/`),
		"JSON in JSON":           quoted(quoted(secret)),
		"JSON in ASCII":          strings.ReplaceAll(ascii.String(), `\U0001f511`, `\ud83d\udd11`),
		"HTML":                   html.EscapeString(secret),
		"HTML in JSON":           quoted(html.EscapeString(secret)),
		"HTML with names":        strings.ReplaceAll(strings.ReplaceAll(html.EscapeString(secret), "ä", "&auml;"), "ö", "&#xF6;"),
		"a URL's path":           url.PathEscape(secret),
		"a URL's query":          url.QueryEscape(secret),
		"a URL in a URL":         url.QueryEscape(url.QueryEscape(secret)),
		"not UTF-8, as replaced": strings.NewReplacer("ä", "\ufffd", "ö", "\ufffd").Replace(secret),
	}
}

func TestSecretsAreHiddenInEverySpelling(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte("studio:" + oddPassword + "?>"))
	for _, secret := range []string{oddPassword, `a\b`, `"`, `\u0041\n`, `100%25`, `&amp;`, basic, testPolicy} {
		r := newRedactor(secret, "other")
		for name, spelled := range spellings(secret) {
			if got := r.clean("it is " + spelled + ", no other"); got != "it is ***, no ***" {
				t.Errorf("%s of %s is shown as %q", name, secret, got)
			}
		}
	}
	if got := newRedactor(oddPassword).clean(`a\b "c" 100% &amp; päss`); got != `a\b "c" 100% &amp; päss` {
		t.Errorf("what is no secret became %q", got)
	}
}

// A short password must not be readable from the gaps that it leaves in other words.
func TestShortSecretsAreHiddenAsWordsOnly(t *testing.T) {
	r := newRedactor("a", "12345", "sesame")
	for text, want := range map[string]string{
		"a banana costs a lot":     "*** banana costs *** lot",
		"the answer is 12345, a":   "the answer is ***, ***",
		`{"password":"12345"}`:     `{"password":"***"}`,
		"order 123456 of 01-12345": "order 123456 of 01-***",
		"sesamestreet, opensesame": "***street, open***",
	} {
		if got := r.clean(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// An odd password that the service repeats, in whatever field or header, comes into no error.
func TestErrorsHideAnOddPassword(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte(testUser + ":" + oddPassword))
	for _, o := range operations() {
		all := spellings(oddPassword)
		for _, name := range []string{"as it is", "JSON in ASCII", "a URL's query"} {
			spelled := all[name]
			value, _ := json.Marshal(spelled)
			bodies := []string{spelled, string(value), `{"errors":{` + string(value) + `:` + string(value) + `}}`, `{"a":"` + spelled + `"}`}
			for _, field := range []string{"uuid", "title", "sku", "year", "id", "products", "ordial", "created_at", "source_revision", "image_status", "alt_texts", "notice", "html", "hostname", "policy"} {
				object := `{"uuid":"p-1","` + field + `":["1",` + string(value) + `]}`
				bodies = append(bodies, `{"`+field+`":`+string(value)+`}`, object, `[`+object+`]`, `{"variant":`+object+`}`)
			}
			bodies = append(bodies, strings.Replace(formJSON, `"p-1"`, string(value), 1), `<iframe src="`+spelled+`">`)
			c, answerWith := oneAnswer(t)
			for _, body := range bodies {
				answerWith(http.StatusOK, body, spelled)
				checkHidden(t, name, o.call(t.Context(), c), basic)
			}
			for _, body := range bodies[:4] {
				answerWith(http.StatusUnprocessableEntity, body, spelled)
				checkHidden(t, name, o.call(t.Context(), c), basic)
			}
		}
	}
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
	s := newService(t, func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Retry-After", "Date", "ETag", "Last-Modified", "Location", "X-Echo"} {
			w.Header().Set(name, spelled)
		}
		w.Header().Set("Link", "<http://studio:"+spelled+"@up.example.com/>; rel=\"next\"")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
	c = s.client(t, func(o *Options) { o.Password = oddPassword })
	return c, func(st int, b, sp string) { status, body, spelled = st, b, sp }
}

// What an answer of errors costs is no more than what is shown of it.
func TestManyErrorsInsideEachOther(t *testing.T) {
	body := []byte(deepErrors(1500, 16000))
	spent := allocated()
	said := newRedactor(testPassword).refusalMessages(body)
	if spent = allocated() - spent; spent > 8<<20 {
		t.Errorf("%d bytes were allocated for an answer of %d", spent, len(body))
	}
	if len(said) == 0 || len(said) > maxMessages+1 {
		t.Errorf("%d messages: %.200q", len(said), said)
	}
	said = newRedactor(testPassword).refusalMessages([]byte(deepErrors(3, 50)))
	if len(said) != maxMessages+1 || said[0] != "a: a: a: 1" || said[maxMessages] != "and more" {
		t.Errorf("%q", said)
	}
}
