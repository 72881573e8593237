package redact

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
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
	for _, secret := range []string{oddPassword, `a\b`, `"`, `\u0041\n`, `100%25`, `a%41b`, `&amp;`, `ßß€€ßß`, basic, strings.Repeat("eyJleHBpcmF0aW9uIjoiMjAyNyJ9", 20)} {
		r := New(secret, "other")
		for name, spelled := range spellings(secret) {
			if got := r.Clean("it is " + spelled + ", no other"); got != "it is ***, no ***" {
				t.Errorf("%s of %s is shown as %q", name, secret, got)
			}
		}
	}
	if got := New("sesame12").Clean(`\ud83dsesame12 \ud83d`); got != `\ud83d*** \ud83d` {
		t.Errorf("half a character before the secret: %q", got)
	}
	if got := New("a&b12345").Clean("a&foo;b12345"); got != "a&foo;b12345" {
		t.Errorf("an entity that is none was taken for the & of the secret: %q", got)
	}
	if got := New(oddPassword).Clean(`a\b "c" 100% &amp; päss`); got != `a\b "c" 100% &amp; päss` {
		t.Errorf("what is no secret became %q", got)
	}
}

func TestEscapeShowsWhatCannotBePrinted(t *testing.T) {
	if got := Escape("a\x1b[2Jä\u202e"); got != `a\x1b[2Jä\u202e` {
		t.Errorf("shown as %s", got)
	}
}

func TestALongTextIsCut(t *testing.T) {
	whole := strings.Repeat("ä", MaxMessage)
	if got := New("sesame").Clean(whole); got != whole {
		t.Errorf("a message became %q", got)
	}
	if got := New("sesame").Clean(whole + "b"); got != whole+"…" {
		t.Errorf("a long message became %q", got)
	}
}

func TestACleanErrorIsStillTheSame(t *testing.T) {
	cause := errors.New("sesame")
	if err := New("sesame").Error(cause); err.Error() != Hidden || !errors.Is(err, cause) {
		t.Errorf("it became %v", err)
	}
	if err := New("other").Error(cause); err != cause {
		t.Errorf("it became %v", err)
	}
}

func TestUserinfoIsHidden(t *testing.T) {
	for raw, want := range map[string]string{
		"studio:hush@up.example.com": "***@up.example.com", "a@b@up": "***@up", "@up": "***@up", "up": "up",
	} {
		if got := Userinfo(raw); got != want {
			t.Errorf("%s is shown as %s, want %s", raw, got, want)
		}
	}
}

// A short password must not be readable from the gaps that it leaves in other words.
func TestShortSecretsAreHiddenAsWordsOnly(t *testing.T) {
	r := New("a", "12345", "sesame", "sesame2027", "zö")
	for text, want := range map[string]string{
		"a banana costs a lot":     "*** banana costs *** lot",
		"the answer is 12345, a":   "the answer is ***, ***",
		`{"password":"12345"}`:     `{"password":"***"}`,
		"order 123456 of 01-12345": "order 123456 of 01-***",
		"sesamestreet, opensesame": "***street, open***",
		"sesame2027":               "***",
		"\ufffdesame":              "\ufffdesame",
		"from a to z":              "from *** to z",
		`from a to z\`:             `from *** to z\`,
	} {
		if got := r.Clean(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
