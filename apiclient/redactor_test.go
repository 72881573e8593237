package apiclient

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"html"
	"net/url"
	"strings"
	"testing"
)

const oddPassword = `päss"<=/\ &%25;wörd+🔑`

// spelledByHosts are the odd password and a header of Basic as the encoders of hosts write them.
var spelledByHosts = map[string][2]string{
	"as it is":       {oddPassword, "Basic c3R1+GlvOn/BhMOfPj8="},
	"JavaScript":     {`päss\"<=/\\ &%25;wörd+🔑`, "Basic c3R1+GlvOn/BhMOfPj8="},
	"Go":             {`päss\"\u003c=/\\ \u0026%25;wörd+🔑`, "Basic c3R1+GlvOn/BhMOfPj8="},
	"Gson":           {`päss\"\u003c\u003d/\\ \u0026%25;wörd+🔑`, `Basic c3R1+GlvOn/BhMOfPj8\u003d`},
	"Python":         {`p\u00e4ss\"<=/\\ &%25;w\u00f6rd+\ud83d\udd11`, "Basic c3R1+GlvOn/BhMOfPj8="},
	"PHP":            {`p\u00e4ss\"<=\/\\ &%25;w\u00f6rd+\ud83d\udd11`, `Basic c3R1+GlvOn\/BhMOfPj8=`},
	"PHP in Unicode": {`päss\"<=\/\\ &%25;wörd+🔑`, `Basic c3R1+GlvOn\/BhMOfPj8=`},
	".NET":           {`p\u00E4ss\u0022\u003C=/\\ \u0026%25;w\u00F6rd\u002B\uD83D\uDD11`, `Basic c3R1\u002BGlvOn/BhMOfPj8=`},
	"HTML":           {`päss&quot;&lt;=/\ &amp;%25;wörd+🔑`, "Basic c3R1+GlvOn/BhMOfPj8="},
	"HTML of Go":     {`päss&#34;&lt;=/\ &amp;%25;wörd+🔑`, "Basic c3R1+GlvOn/BhMOfPj8="},
	"text of HTML":   {`päss"&lt;=/\ &amp;%25;wörd+🔑`, "Basic c3R1+GlvOn/BhMOfPj8="},
	"HTML in JSON":   {`päss&quot;&lt;=\/\\ &amp;%25;wörd+🔑`, `Basic c3R1+GlvOn\/BhMOfPj8=`},
	"a query":        {`p%C3%A4ss%22%3C%3D%2F%5C+%26%2525%3Bw%C3%B6rd%2B%F0%9F%94%91`, "Basic c3R1%2BGlvOn%2FBhMOfPj8%3D"},
	"a lower query":  {`p%c3%a4ss%22%3c%3d%2f%5c%20%26%2525%3bw%c3%b6rd%2b%f0%9f%94%91`, "Basic c3R1%2bGlvOn%2fBhMOfPj8%3d"},
	"a path":         {`p%C3%A4ss%22%3C=%2F%5C%20&%2525%3Bw%C3%B6rd+%F0%9F%94%91`, "Basic c3R1+GlvOn%2FBhMOfPj8="},
}

func TestSecretsAreHiddenAsHostsSpellThem(t *testing.T) {
	r := NewRedactor(oddPassword, "c3R1+GlvOn/BhMOfPj8=")
	for name, spelled := range spelledByHosts {
		text := spelled[0] + " in " + spelled[1]
		if got := r.clean(text); got != "*** in Basic ***" {
			t.Errorf("%s is shown as %q", name, got)
		}
		if got := r.clean(jsonString(text)); got != "*** in Basic ***" && name != "HTML in JSON" {
			t.Errorf("%s in JSON is shown as %q", name, got)
		}
	}
}

// Hosts write quotes in HTML in several ways.
func TestSecretsWithQuotesAreHiddenInHTML(t *testing.T) {
	r := NewRedactor(`it's "hush"`)
	for _, spelled := range []string{
		`it's "hush"`, "it's &quot;hush&quot;", "it&#039;s &quot;hush&quot;", "it&#39;s &quot;hush&quot;",
		"it&#x27;s &quot;hush&quot;", "it&apos;s &quot;hush&quot;", "it&#39;s &#34;hush&#34;",
	} {
		if got := r.clean("<b>" + spelled + "</b>"); got != "<b>***</b>" {
			t.Errorf("%s is shown as %q", spelled, got)
		}
	}
}

func jsonString(s string) string {
	data, _ := json.Marshal(s)
	return string(data[1 : len(data)-1])
}

// Whatever form a secret has, an escape or a part of one, it is hidden.
func TestSecretsThatLookLikeEscapesAreHidden(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte("studio:" + oddPassword + "?>"))
	for _, secret := range []string{`a\b`, `"`, `'it''s'`, `\u0041\n`, `100%25`, `a%41b`, `&amp;`, `ßß€€ßß`, basic, strings.Repeat("eyJleHBpcmF0aW9uIjoiMjAyNyJ9", 20)} {
		r := NewRedactor(secret, "other")
		for name, spelled := range map[string]string{
			"as it is":              secret,
			"JSON":                  jsonString(secret),
			"JSON, slashes escaped": strings.ReplaceAll(jsonString(secret), "/", `\/`),
			"JSON in JSON":          jsonString(jsonString(secret)),
			"HTML":                  html.EscapeString(secret),
			"HTML in JSON":          jsonString(html.EscapeString(secret)),
			"a URL's path":          url.PathEscape(secret),
			"a URL's query":         url.QueryEscape(secret),
		} {
			if got := r.clean("it is " + spelled + ", no other"); got != "it is ***, no ***" {
				t.Errorf("%s of %s is shown as %q", name, secret, got)
			}
		}
	}
	if got := NewRedactor("sesame12").clean(`\ud83dsesame12 \ud83d`); got != `\ud83d*** \ud83d` {
		t.Errorf("half a character before the secret: %q", got)
	}
	if got := NewRedactor("a&b12345").clean("a&foo;b12345"); got != "a&foo;b12345" {
		t.Errorf("an entity that is none was taken for the & of the secret: %q", got)
	}
	if got := NewRedactor(oddPassword).clean(`a\b "c" 100% &amp; päss`); got != `a\b "c" 100% &amp; päss` {
		t.Errorf("what is no secret became %q", got)
	}
}

func TestWhatCannotBePrintedIsEscaped(t *testing.T) {
	if got := printable("a\x1b[2Jä\u202e"); got != `a\x1b[2Jä\u202e` {
		t.Errorf("shown as %s", got)
	}
}

func TestALongTextIsCut(t *testing.T) {
	whole := strings.Repeat("ä", messageLength)
	if got := NewRedactor("sesame").clean(whole); got != whole {
		t.Errorf("a message became %q", got)
	}
	if got := NewRedactor("sesame").clean(whole + "b"); got != whole+"…" {
		t.Errorf("a long message became %q", got)
	}
	begun := strings.Repeat("ä", messageLength-3)
	if got := NewRedactor("sesame").clean(begun + "sesame street"); got != begun+"***…" {
		t.Errorf("a secret at the end of a long message became %q", got)
	}
}

func TestACleanErrorIsStillTheSame(t *testing.T) {
	cause := errors.New("sesame")
	if err := NewRedactor("sesame").cleanError(cause); err.Error() != Hidden || !errors.Is(err, cause) {
		t.Errorf("it became %v", err)
	}
	if err := NewRedactor("other").cleanError(cause); err != cause {
		t.Errorf("it became %v", err)
	}
}

func TestUserinfoIsHidden(t *testing.T) {
	for raw, want := range map[string]string{
		"studio:hush@up.example.com": "***@up.example.com", "a@b@up": "***@up", "@up": "***@up", "up": "up",
	} {
		if got := withoutUserinfo(raw); got != want {
			t.Errorf("%s is shown as %s, want %s", raw, got, want)
		}
	}
}

// A short password must not be readable from the gaps that it leaves in other words.
func TestShortSecretsAreHiddenAsWordsOnly(t *testing.T) {
	r := NewRedactor("a", "12345", "sesame", "sesame2027", "zö")
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
		if got := r.clean(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
