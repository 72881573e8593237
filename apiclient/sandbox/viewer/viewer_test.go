package viewer_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient/sandbox/viewer"
)

func page(t *testing.T, v viewer.View) string {
	t.Helper()
	var out strings.Builder
	if err := viewer.Page(&out, v); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// inside returns what is between the only start tag that matches and its end.
func inside(t *testing.T, document, startTag, end string) string {
	t.Helper()
	found := regexp.MustCompile(`(?s)`+startTag+`(.*?)`+end).FindAllStringSubmatch(document, -1)
	if len(found) != 1 {
		t.Fatalf("%d times %s, want once, in\n%s", len(found), startTag, document)
	}
	return found[0][1]
}

var turn = viewer.View{
	Title: "Teapot",
	Frames: []viewer.Frame{
		{URL: "https://media.example.com/a/images/p/1.jpg", Thumb: "https://media.example.com/a/images/p/1.jpg/resize;w_320/image.webp", Alt: "Spout right"},
		{URL: "https://media.example.com/a/frames/p/2;1;2%20b.jpg", Alt: "Spout away"},
	},
}

func TestPolicyAllowsThisStyleAndScriptAlone(t *testing.T) {
	document := page(t, turn)
	policy := html.UnescapeString(inside(t, document, `<meta http-equiv="Content-Security-Policy" content="`, `">`))
	if policy != viewer.Policy() {
		t.Errorf("the page carries %q, want %q", policy, viewer.Policy())
	}
	for directive, content := range map[string]string{
		"style-src":  inside(t, document, `<style>`, `</style>`),
		"script-src": inside(t, document, `<script>`, `</script>`),
	} {
		sum := sha256.Sum256([]byte(content))
		want := directive + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"
		if !strings.Contains(policy, want) {
			t.Errorf("policy %q lacks %q", policy, want)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q is too wide", policy)
	}
}

func TestScriptGetsTheFramesAsTheyAre(t *testing.T) {
	hostile := "</script><!--\u2028\x00 \"'`&lt;"
	view := viewer.View{Title: hostile, Frames: []viewer.Frame{{URL: turn.Frames[1].URL, Alt: hostile}}}
	var got struct {
		Title  string
		Frames []struct{ URL, Alt string }
	}
	data := inside(t, page(t, view), `<script type="application/json" id="data">`, `</script>`)
	if err := json.Unmarshal([]byte(data), &got); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	if got.Title != hostile || len(got.Frames) != 1 {
		t.Fatalf("got %+v", got)
	}
	if diff := cmp.Diff(struct{ URL, Alt string }{turn.Frames[1].URL, hostile}, got.Frames[0]); diff != "" {
		t.Errorf("frame (-want +got):\n%s", diff)
	}
}

func TestHostileTextStaysText(t *testing.T) {
	hostile := `"><script>alert(1)</script>`
	for name, view := range map[string]viewer.View{
		"turn":  {Title: hostile, Frames: []viewer.Frame{{URL: hostile, Thumb: hostile, Alt: hostile}}},
		"video": {Title: hostile, VideoURL: "javascript:alert(1)//" + hostile},
		"empty": {Title: hostile},
	} {
		document := page(t, view)
		if strings.Contains(document, "<script>alert") || strings.Contains(document, "javascript:alert") {
			t.Errorf("%s: hostile text became markup in\n%s", name, document)
		}
	}
}

func TestWithoutScriptTheFirstFrameIsThere(t *testing.T) {
	document := page(t, turn)
	want := `<img id="frame" src="https://media.example.com/a/images/p/1.jpg" alt="Spout right"`
	if !strings.Contains(document, want) || strings.Count(document, "<img") != 1 {
		t.Errorf("no %s in\n%s", want, document)
	}
	if !strings.Contains(document, `<div id="controls" hidden>`) {
		t.Error("controls are shown that would do nothing")
	}
}

func TestAViewIsATurnAVideoOrEmpty(t *testing.T) {
	for name, test := range map[string]struct {
		view viewer.View
		want []string
		not  []string
	}{
		"turn":       {turn, []string{`id="stage"`, `rel="icon" href="https://media.example.com/a/images/p/1.jpg/resize;w_320/image.webp"`}, []string{"<video"}},
		"video":      {viewer.View{Title: "V", VideoURL: "https://m.example.com/v.mp4"}, []string{`<video src="https://m.example.com/v.mp4" aria-label="V" controls`}, []string{"<script"}},
		"empty":      {viewer.View{}, []string{"Nothing is published here yet.", "<title>360° view</title>"}, []string{"<script", "<img", `rel="icon"`}},
		"bounded":    {viewer.View{Width: 800, Height: 600}, []string{`data-width="800" data-height="600"`}, nil},
		"responsive": {viewer.View{Width: 800, Height: 600, Responsive: true}, []string{`data-width="0" data-height="0"`}, nil},
	} {
		document := page(t, test.view)
		for _, want := range test.want {
			if !strings.Contains(document, want) {
				t.Errorf("%s: no %s in\n%s", name, want, document)
			}
		}
		for _, not := range test.not {
			if strings.Contains(document, not) {
				t.Errorf("%s: %s in\n%s", name, not, document)
			}
		}
	}
}
