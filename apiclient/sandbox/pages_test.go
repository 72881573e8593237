package sandbox_test

import (
	"bytes"
	"image"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	_ "golang.org/x/image/webp"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
)

func at(o *sandbox.Options) { o.Processing = -1 }

func (w *world) get(link string) answer {
	w.t.Helper()
	return w.do(w.request("GET", link, nil))
}

func TestMediaIsServedOnceItIsFinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, func(o *sandbox.Options) { o.StorageVersion = 1 })
		form := w.product(1)
		w.publish(form, frames(1)...)
		time.Sleep(processed)
		link := w.images(form.UUID)[0].MediaURL
		w.publish(w.reupload(form.UUID, 1), frames(1)...)
		processing := strings.Replace(link, "/0;1;frame_01.jpg", "/1;1;frame_01_r1.jpg", 1)
		for name, test := range map[string]struct {
			link   string
			status int
		}{
			"the finished revision":     {link, 200},
			"one still processing":      {processing, 404},
			"another account":           {strings.Replace(link, "/media/", "/media/x", 1), 404},
			"another source":            {link + "x", 404},
			"a trailing slash":          {link + "/", 400},
			"an unknown transformation": {link + "/crop;w_1/image.webp", 400},
			"an unknown format":         {link + "/resize;w_10/image.gif", 400},
			"a path that leaves":        {link + "/..%2F..%2Fsandbox.db", 400},
		} {
			if got := w.get(test.link); got.StatusCode != test.status {
				t.Errorf("%s: %s, want %d", name, got.Status, test.status)
			}
		}
		time.Sleep(processed)
		if got := w.get(processing); got.StatusCode != 200 {
			t.Errorf("once finished: %s", got.Status)
		}
	})
}

func TestWhatIsNoImageHasNoSizes(t *testing.T) {
	w := open(t, at)
	form := w.product(1)
	w.publish(form, file("a.jpg", "image/jpeg", "<script>alert(1)</script>"))
	i := w.images(form.UUID)[0]
	if got := w.get(i.ThumbnailURL); got.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("thumbnail: %s", got.Status)
	}
	got := w.get(i.MediaURL)
	if got.Header.Get("Content-Type") != "image/jpeg" || got.Header.Get("X-Content-Type-Options") != "nosniff" ||
		!strings.Contains(got.Header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("a page that was uploaded is served with %v", got.Header)
	}
}

func TestMediaAnswersRangesAndRevalidation(t *testing.T) {
	w := open(t, at)
	form := w.product(1)
	w.publish(form, file("turn.mp4", "video/mp4", "0123456789"))
	link := w.images(form.UUID)[0].MediaURL
	req := w.request("GET", link, nil)
	req.Header.Set("Range", "bytes=2-4")
	if got := w.do(req); got.StatusCode != http.StatusPartialContent || string(got.body) != "234" {
		t.Errorf("range: %s %q", got.Status, got.body)
	}
	for _, link := range []string{link, link + "/resize;w_320/image.webp"} {
		req := w.request("GET", link, nil)
		req.Header.Set("If-None-Match", w.get(link).Header.Get("ETag"))
		if got := w.do(req); got.StatusCode != http.StatusNotModified {
			t.Errorf("%s again: %s, want 304", link, got.Status)
		}
	}
}

func TestAVideoHasADrawnThumbnail(t *testing.T) {
	w := open(t, at)
	form := w.product(1)
	w.publish(form, file("turn.mp4", "video/mp4", "no real video"))
	img, _, err := image.Decode(bytes.NewReader(w.get(w.images(form.UUID)[0].ThumbnailURL).body))
	w.must(err)
	middle, _, _, _ := img.At(160, 90).RGBA()
	corner, _, _, _ := img.At(2, 2).RGBA()
	if img.Bounds().Dx() != 320 || middle <= corner {
		t.Errorf("poster of %v with %d in the middle and %d in the corner", img.Bounds().Size(), middle, corner)
	}
}

func TestSizesOfAnImageAreBounded(t *testing.T) {
	dir := t.TempDir()
	w := open(t, at, func(o *sandbox.Options) { o.Dir = dir })
	form := w.product(1)
	w.publish(form, photo("a.jpg", 8, 6, 1))
	link := w.images(form.UUID)[0].MediaURL
	for _, digits := range "123456789" {
		for _, more := range "123456789" {
			w.get(link + "/resize;w_" + string(digits) + string(more) + "/image.jpg")
		}
	}
	if sizes := filesBelow(t, dir+"/sizes"); len(sizes) == 0 || len(sizes) > 24 {
		t.Errorf("%d sizes are kept, want some and at most 24", len(sizes))
	}
}

func TestEmbedMarkupHasTheWantedSize(t *testing.T) {
	w := open(t)
	link := "/api/v2/products/" + w.product(1).UUID + "/embed"
	for query, want := range map[string]string{
		"":                                  `<iframe width="800" height="600" src="`,
		"?type=iframe&width=320":            `<iframe width="320" height="600" src="`,
		"?type=iframe&width=320&height=240": `-320x240" frameborder="0" scrolling="no" style="`,
	} {
		got := w.send("GET", link+query, nil)
		if !strings.Contains(string(got.body), want) || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %s, want %s…", query, got.body, want)
		}
	}
	for _, query := range []string{"?type=popup", "?width=0", "?width=x", "?height=-1", "?height=99999999"} {
		if got := w.send("GET", link+query, nil); got.StatusCode != 422 {
			t.Errorf("%s: %s, want 422", query, got.Status)
		}
	}
}

func TestTheViewShowsTheNewestFinishedRevision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t)
		form := w.product(1)
		embed, err := w.client.Embed(t.Context(), form.UUID, apiclient.EmbedOptions{Type: apiclient.EmbedResponsive})
		w.must(err)
		shows := func(when, source string) {
			t.Helper()
			got := w.get(embed.Src)
			if got.StatusCode != 200 || source != "" && !strings.Contains(string(got.body), source) {
				t.Errorf("%s: %s without %s", when, got.Status, source)
			}
			if source == "" && strings.Contains(string(got.body), ".jpg") {
				t.Errorf("%s: shows a photo", when)
			}
		}
		shows("nothing uploaded", "")
		w.publish(form, frames(1)...)
		shows("processing", "")
		time.Sleep(processed)
		shows("finished", "/frame_01.jpg")
		w.publish(w.reupload(form.UUID, 1), frames(1)...)
		shows("reupload processing", "/frame_01.jpg")
		time.Sleep(processed)
		shows("reupload finished", "/frame_01_r1.jpg")
	})
}

func TestTheViewSpeaksTheReadersLanguage(t *testing.T) {
	w := open(t, at)
	form := w.product(1)
	w.publish(form, frames(1)...)
	_, err := w.client.SetAltTexts(t.Context(), w.images(form.UUID)[0].ID, map[string]string{
		"de": "Ein Schuh", "en-GB": "A shoe", "not a locale": "?",
	})
	w.must(err)
	embed, err := w.client.Embed(t.Context(), form.UUID, apiclient.EmbedOptions{})
	w.must(err)
	for language, want := range map[string]string{"de-AT, en": "Ein Schuh", "": "A shoe", "ja": "A shoe", "en-US": "A shoe"} {
		req := w.request("GET", embed.Src, nil)
		req.Header.Set("Accept-Language", language)
		if got := w.do(req); !strings.Contains(string(got.body), want) {
			t.Errorf("language %q does not read %s", language, want)
		}
	}
}

func TestAWrongEmbedLinkIsNotFound(t *testing.T) {
	w := open(t)
	embed, err := w.client.Embed(t.Context(), w.product(1).UUID, apiclient.EmbedOptions{})
	w.must(err)
	for _, change := range []string{"x", "-", "-0x0", "-1x", "-1x1x1", "-01x1", "-99999x1"} {
		link := strings.TrimSuffix(embed.Src, "-800x600") + change
		if got := w.get(link); got.StatusCode != 404 {
			t.Errorf("%s: %s, want 404", link, got.Status)
		}
	}
}

func TestPhotosTooLargeToTurnAreShownSmaller(t *testing.T) {
	w := open(t, at)
	form := w.product(2)
	large := strings.Repeat("x", 2<<20)
	w.publish(form, file("a.tif", "image/tiff", "x"), file("large.jpg", "image/jpeg", large), photo("small.jpg", 8, 8, 1))
	embed, err := w.client.Embed(t.Context(), form.UUID, apiclient.EmbedOptions{})
	w.must(err)
	page := string(w.get(embed.Src).body)
	for _, want := range []string{"/a.tif/resize;w_1280/image.jpg", "/large.jpg/resize;w_1280/image.jpg", `/small.jpg"`} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is not shown", want)
		}
	}
}

func TestTheFrontPageNamesEveryView(t *testing.T) {
	w := open(t, at)
	project, err := w.client.CreateProject(t.Context(), "<script>Summer</script>")
	w.must(err)
	form, err := w.client.CreateProduct(t.Context(), apiclient.NewProduct{
		Title: `"Shoe" <b>`, SKU: "S&1", Project: project.UUID, Images: 1,
	})
	w.must(err)
	w.publish(form, frames(1)...)
	got := w.get(base + "/")
	page := string(got.body)
	for _, want := range []string{"&lt;script&gt;Summer", "&#34;Shoe&#34; &lt;b&gt;", "S&amp;1", "finished", `href="/embed/`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if policy := got.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") {
		t.Errorf("policy %q", policy)
	}
	_, after, _ := strings.Cut(page, `href="`)
	view, _, _ := strings.Cut(after, `"`)
	if got := w.get(base + view); got.StatusCode != 200 {
		t.Errorf("the link %s answers %s", view, got.Status)
	}
}
