package sandbox_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
)

func TestThePublicURLIsInEveryLink(t *testing.T) {
	w := open(t, func(o *sandbox.Options) { o.PublicURL, o.Processing = "https://views.example.com/", -1 })
	form := w.product(1)
	if form.Hostname != "views.example.com" {
		t.Errorf("hostname %s", form.Hostname)
	}
	form.Hostname = strings.TrimPrefix(base, "http://")
	w.publish(form, frames(1)...)
	embed, err := w.client.Embed(t.Context(), form.UUID, apiclient.EmbedOptions{})
	w.must(err)
	for _, link := range []string{w.images(form.UUID)[0].MediaURL, embed.Src} {
		if !strings.HasPrefix(link, "https://views.example.com/") {
			t.Errorf("link %s", link)
		}
	}
}

func TestProcessingTakesTimeForEachImage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, func(o *sandbox.Options) { o.ProcessingPerImage = time.Second })
		form := w.product(2)
		w.publish(form, frames(2)...)
		time.Sleep(5*time.Second - time.Nanosecond)
		if w.status(form.UUID).Finished() {
			t.Error("finished before 3 s and 1 s for each of 2 images")
		}
		time.Sleep(time.Nanosecond)
		if !w.status(form.UUID).Finished() {
			t.Error("not finished after 3 s and 1 s for each of 2 images")
		}
	})
}

func TestWhatAReuploadChanges(t *testing.T) {
	w := open(t)
	form := w.product(2)
	w.publish(form, frames(2)...)
	before := w.images(form.UUID)
	for _, i := range before {
		_, err := w.client.SetAltTexts(t.Context(), i.ID, map[string]string{"en": i.Source})
		w.must(err)
	}
	w.publish(w.reupload(form.UUID, 3), frames(3)...)
	for n, i := range w.images(form.UUID) {
		want := apiclient.Image{
			ID: int64(n + 3), Ordial: n + 1, AltTexts: map[string]string{}, SourceRevision: 1, StorageVersion: 2,
			ImageStatus: "processing", Source: fmt.Sprintf("frame_%02d_r1.jpg", n+1), Row: 1, ImageGroup: "rotation",
		}
		if diff := cmp.Diff(want, i); diff != "" {
			t.Errorf("image %d: %s", n+1, diff)
		}
	}
	_, err := w.client.SetAltTexts(t.Context(), before[0].ID, map[string]string{"en": "late"})
	refused(t, err)
}

func TestARunHasItsWordsAndRevisions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t)
		var seen []string
		form := w.product(1)
		look := func(wait time.Duration) {
			time.Sleep(wait)
			status := w.status(form.UUID)
			seen = append(seen, fmt.Sprint(status.SourceRevision, " ", status.ImageStatus))
		}
		refused(t, w.client.FinishUpload(t.Context(), form.UUID)) // with nothing uploaded
		look(0)
		w.publish(form, frames(1)...)
		look(0)
		look(processed)
		again := w.reupload(form.UUID, 1)
		look(0)
		w.publish(again, frames(1)...)
		look(0)
		const want = "0 pending, 0 processing, 0 finished, 0 finished, 1 processing"
		if got := strings.Join(seen, ", "); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestFiltersCompareTheWholeValue(t *testing.T) {
	w := open(t)
	w.product(1)
	for query, passes := range map[string]bool{
		"sku=S-1&title=Shoe": true, "sku=S-1&title=Boot": false, "sku=S-": false, "sku=s-1": false, "year=": false,
	} {
		if got := string(w.send("GET", "/api/v2/products?"+query, nil).body) != "[]"; got != passes {
			t.Errorf("%s passes: %v", query, got)
		}
	}
}
