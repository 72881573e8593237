package sandbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
)

func shaped(shapes sandbox.Shapes) func(*sandbox.Options) {
	return func(o *sandbox.Options) { o.Shapes = shapes }
}

// oddest chooses against the plainest form wherever that is possible at the same time.
var oddest = sandbox.Shapes{
	UploadShapes: sandbox.UploadShapes{
		WrapCredentials: "upload", Hostname: sandbox.HostnameSlashURL, UploadStatus: 201, SilentFinish: true,
	},
	WrapEmbed: "html", EmbedNeedsUser: true, WrapLists: "items", PageSize: 1, ErrorObjects: true, ErrorsAreOK: true,
	YearIsNumber: true, ExtraFields: true, Filters: sandbox.FilterIgnored, StrictRights: true, FirstRevision: 7,
	RaiseEarly: true, PendingWord: "new", ProcessingWords: []string{"queued", "rendering"},
	Sources: sandbox.SourcesRandom, KeepIDs: true, KeepAltTexts: true,
}

func TestTheClientCopesWithEveryShape(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, shaped(oddest))
		form := w.product(2)
		w.product(1)
		w.publish(form, frames(2)...)
		time.Sleep(processed)
		w.publish(w.reupload(form.UUID, 3), frames(3)...)
		time.Sleep(processed)
		if got := w.images(form.UUID); len(got) != 3 || !got[0].MediaReady {
			t.Errorf("images %+v, want three that are ready", got)
		}
		products, err := w.client.Products(t.Context(), apiclient.Filter{})
		w.must(err)
		if len(products) != 2 || products[0].Year != "2027" {
			t.Errorf("products %+v, want two of 2027", products)
		}
		if projects, err := w.client.Projects(t.Context()); err != nil || len(projects) != 2 {
			t.Errorf("projects %+v, %v, want two", projects, err)
		}
		if _, err := w.client.Embed(t.Context(), form.UUID, apiclient.EmbedOptions{}); err != nil {
			t.Error(err)
		}
		_, err = w.client.CreateProject(t.Context(), " ")
		if no := refused(t, err); no.Status != 200 || no.Messages[0] != "title must not be blank" {
			t.Errorf("error %+v, want a blank title with HTTP 200", no)
		}
	})
}

func TestErrorsAsTextAndAsObjects(t *testing.T) {
	for _, test := range []struct {
		shapes sandbox.Shapes
		status int
		body   string
	}{
		{sandbox.Shapes{}, 422, `{"errors":["title is missing"]}`},
		{sandbox.Shapes{ErrorsAreOK: true}, 200, `{"errors":["title is missing"]}`},
		{sandbox.Shapes{ErrorObjects: true}, 422, `{"errors":[{"code":422,"message":"title is missing"}]}`},
	} {
		w := open(t, shaped(test.shapes))
		got := w.send("POST", "/api/v2/projects", "{}")
		if got.StatusCode != test.status || string(got.body) != test.body {
			t.Errorf("%d %s, want %d %s", got.StatusCode, got.body, test.status, test.body)
		}
	}
}

func TestMissingCredentialsAreNeverOK(t *testing.T) {
	w := open(t, shaped(sandbox.Shapes{ErrorsAreOK: true}))
	got := w.do(w.request("GET", "/api/v2/products", nil))
	if got.StatusCode != 401 || got.Header.Get("WWW-Authenticate") == "" {
		t.Errorf("%s, WWW-Authenticate %q", got.Status, got.Header.Get("WWW-Authenticate"))
	}
}

func TestAnswersOf4_4(t *testing.T) {
	for silent, want := range map[bool]string{false: `200 OK {"notice":"OK"}`, true: "204 No Content "} {
		w := open(t, shaped(sandbox.Shapes{UploadShapes: sandbox.UploadShapes{SilentFinish: silent}}))
		form := w.product(1)
		w.upload(form, frames(1)...)
		got := w.send("POST", "/api/v2/products/"+form.UUID+"/uploaded", nil)
		if got.Status+" "+string(got.body) != want {
			t.Errorf("%s %s, want %s", got.Status, got.body, want)
		}
	}
}

func TestAnotherNumberOfFilesThanAnnounced(t *testing.T) {
	lax := open(t)
	lax.publish(lax.product(3), frames(2)...)
	if r := lax.only().Revisions[0]; len(r.Files) != 2 {
		t.Errorf("revision %+v, want 2 files of 3 announced", r)
	}
	strict := open(t, shaped(sandbox.Shapes{UploadShapes: sandbox.UploadShapes{RefuseWrongCount: true}}))
	form := strict.product(3)
	strict.upload(form, frames(2)...)
	refused(t, strict.client.FinishUpload(t.Context(), form.UUID))
	strict.publish(form, frames(3)[2:]...)
}

func TestNothingUploadedIsNothingFinished(t *testing.T) {
	w := open(t)
	form := w.product(1)
	refused(t, w.client.FinishUpload(t.Context(), form.UUID))
	if status := w.status(form.UUID); status.ImageStatus != "pending" {
		t.Errorf("status %+v, want pending", status)
	}
}

func TestHowTheUploadHostIsWritten(t *testing.T) {
	for shape, want := range map[sandbox.HostnameShape]string{
		sandbox.HostnameBare: "127.0.0.1:8361", sandbox.HostnameURL: base, sandbox.HostnameSlashURL: base + "/",
	} {
		w := open(t, shaped(sandbox.Shapes{UploadShapes: sandbox.UploadShapes{Hostname: shape}}))
		form := w.product(1)
		if form.Hostname != want {
			t.Errorf("hostname %s, want %s", form.Hostname, want)
		}
		w.upload(form, frames(1)...)
	}
}

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

func TestFilters(t *testing.T) {
	for shape, want := range map[sandbox.FilterShape]string{
		sandbox.FilterExact: "-E-", sandbox.FilterSubstring: "PE-", sandbox.FilterIgnored: "PEN",
	} {
		w := open(t, shaped(sandbox.Shapes{Filters: shape}))
		w.product(1)
		got := ""
		for _, query := range []string{"sku=s-", "sku=S-1&title=Shoe", "sku=S-1&title=Boot"} {
			mark := map[string]string{"sku=s-": "P", "sku=S-1&title=Shoe": "E", "sku=S-1&title=Boot": "N"}[query]
			if string(w.send("GET", "/api/v2/products?"+query, nil).body) == "[]" {
				mark = "-"
			}
			got += mark
		}
		if got != want {
			t.Errorf("filter shape %d passes %s, want %s", shape, got, want)
		}
	}
}

func TestPages(t *testing.T) {
	w := open(t, shaped(sandbox.Shapes{PageSize: 2}))
	for n := range 5 {
		_, err := w.client.CreateProject(t.Context(), fmt.Sprint(n))
		w.must(err)
	}
	projects, err := w.client.Projects(t.Context())
	w.must(err)
	var titles []string
	for _, p := range projects {
		titles = append(titles, p.Title)
	}
	if want := []string{"0", "1", "2", "3", "4"}; !slices.Equal(titles, want) {
		t.Errorf("titles %q, want %q", titles, want)
	}
	for query, want := range map[string]int{"?page=3": 1, "?page=4": 0, "?page=9999999999999": 0, "?page=-1": 2, "?page=x": 2} {
		var page []apiclient.Project
		w.must(json.Unmarshal(w.send("GET", "/api/v2/projects"+query, nil).body, &page))
		if len(page) != want {
			t.Errorf("%s: %d projects, want %d", query, len(page), want)
		}
	}
}

// listed counts the projects and products that the lists have.
func (w *world) listed() string {
	projects, err := w.client.Projects(w.t.Context())
	w.must(err)
	products, err := w.client.Products(w.t.Context(), apiclient.Filter{})
	w.must(err)
	return fmt.Sprint(len(projects), len(products))
}

func TestListsThatLag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, shaped(sandbox.Shapes{ListLag: time.Minute}))
		w.product(1)
		time.Sleep(time.Minute - time.Nanosecond)
		if got := w.listed(); got != "0 0" {
			t.Errorf("listed too early: %s", got)
		}
		time.Sleep(time.Nanosecond)
		if got := w.listed(); got != "1 1" {
			t.Errorf("listed %s after the lag, want 1 1", got)
		}
	})
}

func TestListsThatStillHaveWhatWasRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, shaped(sandbox.Shapes{RemovedLag: time.Minute}))
		removed := w.product(1).UUID
		project := w.only().Project
		w.must(w.client.DeleteProduct(t.Context(), removed))
		if _, err := w.client.Status(t.Context(), removed); !errors.Is(err, apiclient.ErrUnknownProduct) {
			t.Errorf("the status of the removed product is %v", err)
		}
		time.Sleep(time.Second)
		w.must(w.sandbox.RemoveProject(project))
		time.Sleep(time.Minute - time.Second - time.Nanosecond)
		if got := w.listed(); got != "1 1" {
			t.Errorf("listed %s before the lag is over, want 1 1", got)
		}
		time.Sleep(time.Nanosecond)
		if got := w.listed(); got != "1 0" {
			t.Errorf("listed %s, want 1 0: only the project was removed later", got)
		}
		time.Sleep(time.Second)
		if got := w.listed(); got != "0 0" {
			t.Errorf("listed %s after the lag, want 0 0", got)
		}
	})
}

func TestWordsAndRevisionsOfARun(t *testing.T) {
	for early, want := range map[bool]string{
		false: "4 new, 4 queued, 4 rendering, 4 finished, 4 finished, 5 queued",
		true:  "4 new, 4 queued, 4 rendering, 4 finished, 5 new, 5 queued",
	} {
		synctest.Test(t, func(t *testing.T) {
			w := open(t, func(o *sandbox.Options) { o.Processing = 4 * time.Second }, func(o *sandbox.Options) {
				o.Shapes = sandbox.Shapes{
					FirstRevision: 4, RaiseEarly: early, PendingWord: "new", ProcessingWords: []string{"queued", "rendering"},
				}
			})
			var seen []string
			form := w.product(1)
			look := func(wait time.Duration) {
				time.Sleep(wait)
				status := w.status(form.UUID)
				seen = append(seen, fmt.Sprint(status.SourceRevision, " ", status.ImageStatus))
			}
			look(0)
			w.publish(form, frames(1)...)
			look(0)
			look(2 * time.Second)
			look(2 * time.Second)
			again := w.reupload(form.UUID, 1)
			look(0)
			w.publish(again, frames(1)...)
			look(0)
			if got := strings.Join(seen, ", "); got != want {
				t.Errorf("raised early %v:\n got %s\nwant %s", early, got, want)
			}
		})
	}
}

func TestAFinishThatIsToldLate(t *testing.T) {
	for early, want := range map[bool]string{
		false: "0 pending 0, 0 finished 1, 0 finished 1, 1 finished 2",
		true:  "0 pending 0, 0 finished 1, 1 pending 1, 1 finished 2",
	} {
		synctest.Test(t, func(t *testing.T) {
			w := open(t, shaped(sandbox.Shapes{FinishLag: time.Minute, RaiseEarly: early}))
			var seen []string
			form := w.product(1)
			look := func() {
				status := w.status(form.UUID)
				seen = append(seen, fmt.Sprint(status.SourceRevision, " ", status.ImageStatus, " ", len(w.images(form.UUID))))
			}
			w.publish(form, frames(1)...)
			time.Sleep(time.Minute - time.Nanosecond)
			look()
			time.Sleep(time.Nanosecond)
			look()
			w.publish(w.reupload(form.UUID, 2), frames(2)...)
			time.Sleep(time.Minute - time.Nanosecond)
			look()
			time.Sleep(time.Nanosecond)
			look()
			if got := strings.Join(seen, ", "); got != want {
				t.Errorf("raised early %v:\n got %s\nwant %s", early, got, want)
			}
		})
	}
}

func TestProcessingTimePerImage(t *testing.T) {
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

// reshot publishes two frames with alt texts, and after a reupload returns the images before and
// after.
func reshot(t *testing.T, w *world) (before, after []apiclient.Image) {
	form := w.product(2)
	w.publish(form, frames(2)...)
	for _, i := range w.images(form.UUID) {
		_, err := w.client.SetAltTexts(t.Context(), i.ID, map[string]string{"en": i.Source})
		w.must(err)
	}
	before = w.images(form.UUID)
	w.publish(w.reupload(form.UUID, 3), frames(3)...)
	return before, w.images(form.UUID)
}

func TestWhatAReuploadChanges(t *testing.T) {
	w := open(t)
	before, after := reshot(t, w)
	for n, i := range after {
		want := apiclient.Image{
			ID: int64(n + 3), Ordial: n + 1, AltTexts: map[string]string{}, SourceRevision: 1, StorageVersion: 2,
			ImageStatus: "processing", Source: fmt.Sprintf("frame_%02d_r1.jpg", n+1), Row: 1, ImageGroup: "rotation",
		}
		if diff := cmp.Diff(want, i); diff != "" {
			t.Errorf("image %d: %s", n+1, diff)
		}
	}
	refused(t, func() error {
		_, err := w.client.SetAltTexts(t.Context(), before[0].ID, map[string]string{"en": "late"})
		return err
	}())
}

func TestWhatAReuploadKeeps(t *testing.T) {
	w := open(t, shaped(sandbox.Shapes{KeepIDs: true, KeepAltTexts: true, Sources: sandbox.SourcesKept}))
	before, after := reshot(t, w)
	for n, i := range before {
		if i.ID != after[n].ID || i.Source != after[n].Source || after[n].AltTexts["en"] != i.Source {
			t.Errorf("image %+v became %+v", i, after[n])
		}
	}
	if last := after[2]; last.ID == 0 || last.ID == after[0].ID || last.ID == after[1].ID || len(last.AltTexts) > 0 {
		t.Errorf("the new image is %+v", last)
	}
	stored, err := w.client.SetAltTexts(t.Context(), before[0].ID, map[string]string{"en": "kept"})
	w.must(err)
	if got := w.images(stored.VariantUUID)[0].AltTexts["en"]; got != "kept" {
		t.Errorf("alt text %q under a kept id", got)
	}
}

func TestKeptIDsAreStillUniqueWhenRevisionsGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, shaped(sandbox.Shapes{KeepIDs: true}))
		form := w.product(2)
		w.publish(form, frames(2)...)
		want := w.images(form.UUID)
		for range 4 {
			time.Sleep(processed)
			w.publish(w.reupload(form.UUID, 2), frames(2)...)
		}
		for n, i := range w.images(form.UUID) {
			if i.ID != want[n].ID {
				t.Errorf("image %d has id %d, want %d", n, i.ID, want[n].ID)
			}
			if _, err := w.client.SetAltTexts(t.Context(), i.ID, map[string]string{"en": "x"}); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestRandomSourcesKeepTheirExtension(t *testing.T) {
	w := open(t, shaped(sandbox.Shapes{Sources: sandbox.SourcesRandom}))
	before, _ := reshot(t, w)
	if s := before[0].Source; path.Ext(s) != ".jpg" || strings.Contains(s, "frame") {
		t.Errorf("source %s", s)
	}
}

func TestNumericYearsAndExtraFields(t *testing.T) {
	w := open(t, shaped(sandbox.Shapes{YearIsNumber: true, ExtraFields: true}))
	form := w.product(1)
	year := ""
	w.must(w.client.UpdateProduct(t.Context(), w.product(1).UUID, apiclient.ProductUpdate{Year: &year}))
	var products []map[string]any
	w.must(json.Unmarshal(w.send("GET", "/api/v2/products", nil).body, &products))
	if products[0]["year"] != 2027.0 || products[1]["year"] != nil || products[0]["x_sandbox"] == nil {
		t.Errorf("products %v, want the years 2027 and null as numbers, and a field beside", products)
	}
	got := w.do(w.request("GET", "/api/v2/products/"+form.UUID+"/status", nil))
	if variant, _ := got.decode(t)["variant"].(map[string]any); variant["x_sandbox"] == nil {
		t.Errorf("status %s has no other field", got.body)
	}
}

func TestStrictRights(t *testing.T) {
	for strict, want := range map[bool]int{false: 200, true: 403} {
		w := open(t, shaped(sandbox.Shapes{StrictRights: strict}))
		req := w.request("PATCH", "/api/v2/products/"+w.product(1).UUID, map[string]string{"title": "Boot"})
		req.SetBasicAuth("guest", "guest")
		if got := w.do(req); got.StatusCode != want {
			t.Errorf("strict %v: %s, want %d", strict, got.Status, want)
		}
	}
}

func TestEmbedThatNeedsAUser(t *testing.T) {
	for needs, want := range map[bool]int{false: 200, true: 401} {
		w := open(t, shaped(sandbox.Shapes{EmbedNeedsUser: needs}))
		if got := w.do(w.request("GET", "/api/v2/products/"+w.product(1).UUID+"/embed", nil)); got.StatusCode != want {
			t.Errorf("needs a user %v: %s, want %d", needs, got.Status, want)
		}
	}
}
