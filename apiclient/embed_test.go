package apiclient

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const iframe = `<iframe width="640" height="480" src="https://e.example.com/abc?a=1&amp;b=2" frameborder="0" scrolling="no" style="border:0" allowfullscreen></iframe>`

func TestEmbedBareOrWrapped(t *testing.T) {
	quoted, _ := json.Marshal(iframe)
	want := Embed{
		Markup: iframe,
		Src:    "https://e.example.com/abc?a=1&b=2",
		Attributes: map[string]string{"width": "640", "height": "480", "src": "https://e.example.com/abc?a=1&b=2",
			"frameborder": "0", "scrolling": "no", "style": "border:0", "allowfullscreen": ""},
	}
	for contentType, bodies := range map[string][]string{
		"text/html":        {iframe, "\n" + iframe + "\n"},
		"application/json": {iframe, string(quoted), `{"embed":` + string(quoted) + `}`, `{"type":"iframe","data":[{"html":` + string(quoted) + `}]}`},
	} {
		for _, body := range bodies {
			s := newService(t, answering(200, contentType, body))
			got, err := s.client(t).Embed(t.Context(), "p-1", EmbedOptions{})
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s: %v %s", body, err, diff)
			}
		}
	}
}

func TestIframesInOtherHands(t *testing.T) {
	for markup, src := range map[string]string{
		`<div><IFRAME SRC='https://e.example.com/1'></IFRAME></div>`:      "https://e.example.com/1",
		"<iframe\n\tsrc = https://e.example.com/1>":                       "https://e.example.com/1",
		`<iframe src=https://e.example.com/1 />`:                          "https://e.example.com/1",
		`<iframe src="//e.example.com/1">`:                                "https://e.example.com/1",
		`<iframe src="https://e.example.com/1" src="https://x.com">`:      "https://e.example.com/1",
		`<iframe data-src="https://x.com" src="https://e.example.com/1">`: "https://e.example.com/1",
		`<iframe title="a>b" src="http://127.0.0.1:1/2">`:                 "http://127.0.0.1:1/2",
	} {
		if got, err := readEmbed([]byte(markup)); err != nil || got.Src != src {
			t.Errorf("%s: got %q, %v", markup, got.Src, err)
		}
	}
	for _, markup := range []string{
		``, `{}`, `"x"`, `<p>no</p>`, `<iframe>`, `<iframe`, `<iframe src>`, `<iframe src="">`, `<iframe src="javascript:alert(1)">`,
		`<iframe src="/relative">`, `<iframe src="https://u:p@e.example.com/">`, `<iframe src="data:text/html,x">`, portalPage,
	} {
		if got, err := readEmbed([]byte(markup)); err == nil {
			t.Errorf("%s: got %v", markup, got)
		}
	}
}
