package apiclient

import (
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"runtime/metrics"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// roundTrips fails unless a value that was read is written and read again as the same.
func roundTrips[T any](t *testing.T, data []byte) {
	var first, second T
	if json.Unmarshal(data, &first) != nil {
		return
	}
	written, err := json.Marshal(first)
	if err != nil {
		t.Fatalf("%#v cannot be written: %v", first, err)
	}
	if err := json.Unmarshal(written, &second); err != nil {
		t.Fatalf("%s cannot be read again: %v", written, err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Fatalf("%s: %s", written, diff)
	}
}

func FuzzResources(f *testing.F) {
	for _, o := range operations() {
		f.Add([]byte(o.answer))
	}
	f.Add([]byte(imageJSON))
	f.Add([]byte(`{"uuid":"p-1","sku":-1.5e3,"year":null,"created_at":"2027-01-02T03:04:05.678Z"}`))
	f.Add([]byte(`{"id":"9223372036854775807","alt_texts":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		roundTrips[Project](t, data)
		roundTrips[Product](t, data)
		roundTrips[Credentials](t, data)
		roundTrips[Image](t, data)
		roundTrips[ImageAltTexts](t, data)
		roundTrips[StatusAnswer](t, data)
	})
}

func FuzzCredentials(f *testing.F) {
	f.Add([]byte(formJSON))
	f.Add([]byte(`{"a":{"b":{"c":` + formJSON + `}}}`))
	f.Add([]byte(`{"policy":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		form, err := readCredentials(findObjects(data, "policy", maxAnswerDepth))
		if err == nil && (form.Path == "" || form.Policy == "" || form.Signature == "" || form.Hostname == "") {
			t.Fatalf("incomplete: %#v", form)
		}
	})
}

func FuzzList(f *testing.F) {
	f.Add([]byte(`[`+imageJSON+`]`), `</a?page=2>; rel="next"`)
	f.Add([]byte(`{"images":[`+imageJSON+`],"errors":[]}`), `<<>>;rel=next,`)
	f.Add([]byte(`null`), `</a>; rel=prev`)
	f.Add([]byte(`{"data":[],"meta":{"current_page":1,"last_page":1e99,"total":-1},"links":{"next":{"href":"?page=2"}}}`), ``)
	f.Fuzz(func(t *testing.T, data []byte, link string) {
		list, err := appendList([]Image{}, answer{body: data}, 3)
		if err == nil && (list == nil || len(list) > 3) {
			t.Fatalf("a list of %d without an error", len(list))
		}
		c := &Client{base: &url.URL{Scheme: "https", Host: "views.example.com"}}
		k := call{path: "/api/v2/products"}
		next := readPaging(answer{body: data, header: http.Header{"Link": {link}}}).target("sku=1")
		if c.turnPage(&k, next) != nil {
			return
		}
		u, err := url.Parse(c.base.String() + k.path)
		if err != nil || u.Host != c.base.Host || u.Scheme != "https" || u.User != nil {
			t.Fatalf("%q leads to %q", next, k.path)
		}
	})
}

// deepErrors is an answer with many errors inside each other.
func deepErrors(depth, leaves int) string {
	return `{"errors":` + strings.Repeat(`{"a":`, depth) + `[1` + strings.Repeat(`,1`, leaves-1) + `]` + strings.Repeat(`}`, depth) + `}`
}

// allocated returns how many bytes were ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func FuzzErrors(f *testing.F) {
	f.Add([]byte(`{"errors":["a",{"message":"b","code":"c"},{"title":["d","e"]},null,1,true]}`))
	f.Add([]byte(`{"errors":{"title":"x"}}`))
	f.Add([]byte(storeXML("AccessDenied", "Policy expired")))
	f.Add([]byte("\x1b[31m " + testPassword))
	f.Add([]byte(deepErrors(100, 20)))
	f.Add([]byte(`{"errors":"\u0063anary-pass\/word&amp;&lt;1%3E"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		secrets := NewRedactor(testPassword, testPolicy)
		code, message, _ := storeError(data)
		spent := allocated()
		found := refusalMessages(data, secrets)
		if spent = allocated() - spent; spent > 16<<20+200*uint64(len(data)) {
			t.Fatalf("%d bytes were allocated for an answer of %d", spent, len(data))
		}
		if len(found) > maxMessages+1 {
			t.Fatalf("%d messages", len(found))
		}
		shown := append(found, secrets.clean(code), secrets.clean(message), secrets.clean(string(data)))
		for _, text := range shown {
			if utf8.RuneCountInString(text) > 10*messageLength+1 {
				t.Fatalf("a message of %d characters", utf8.RuneCountInString(text))
			}
			if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("%q is not safe to show", text)
			}
			if strings.Contains(text, testPassword) || strings.Contains(text, testPolicy) {
				t.Fatalf("%q shows a secret", text)
			}
		}
	})
}

func FuzzEmbed(f *testing.F) {
	f.Add([]byte(iframe))
	f.Add([]byte(`{"html":"<iframe src='//e.example.com/1'>"}`))
	f.Add([]byte("<iframe src=\"https://e\x00\" =/"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := readEmbed(data)
		if err != nil {
			return
		}
		if u, err := url.Parse(e.Src); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			t.Fatalf("src %q", e.Src)
		}
	})
}

func FuzzPolicyHint(f *testing.F) {
	f.Add("eyJleHBpcmF0aW9uIjoiMjAyNy0wMS0wMlQwMzowNDowNVoiLCJjb25kaXRpb25zIjpbWyJjb250ZW50LWxlbmd0aC1yYW5nZSIsMSwyXV19")
	f.Add("opaque")
	f.Fuzz(func(t *testing.T, policy string) {
		hint, ok := Credentials{Policy: policy}.Hint()
		if ok && (hint.MinSize > hint.MaxSize || hint.MaxSize == 0 && hint.MinSize != 0) {
			t.Fatalf("no file could fit: %+v", hint)
		}
		if !ok && hint != (PolicyHint{}) {
			t.Fatalf("a hint that is none: %+v", hint)
		}
		if ok && hint.MaxSize > math.MaxInt64-1 && hint.MinSize != 0 {
			t.Fatalf("half a range: %+v", hint)
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("120", "")
	f.Add("Sat, 02 Jan 2027 03:04:05 GMT", "Sat, 02 Jan 2027 03:04:00 GMT")
	f.Add("-1", "never")
	f.Add("99999999999999999999", "Mon, 01 Jan 0001 00:00:00 GMT")
	f.Fuzz(func(t *testing.T, after, date string) {
		wait := retryAfter(http.Header{"Retry-After": {after}, "Date": {date}})
		if wait < 0 || wait > maxRetryAfter {
			t.Fatalf("%q at %q is a wait of %s", after, date, wait)
		}
	})
}
