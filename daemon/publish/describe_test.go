package publish

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/servicetest"
	"spinsync/daemon/alttext"
	"spinsync/daemon/config"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestManyAltTexts: the texts of hundreds of images cost one list and a few commits, and however
// old a list is by the time that it is recorded, it serves one image at least.
func TestManyAltTexts(t *testing.T) {
	const count = changesPerList + 3
	calls := map[string]int{}
	client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault { calls[c.Op]++; return sandbox.Fault{} })
	commits := 0
	j, s := published(t, client, count, func(commit func() error) error { commits++; return commit() })
	clear(calls)
	commits = 0
	if err := j.parts.texts.describeImages(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if calls[sandbox.ListImages] != 1 || calls[sandbox.SetAltTexts] != changesPerList || commits > 3 {
		t.Errorf("%d lists, %d requests and %d commits", calls[sandbox.ListImages], calls[sandbox.SetAltTexts], commits)
	}
	changes := s.Facts.Texts.Changes(s.Record.Published)
	set, err := j.parts.texts.setAltTexts(t.Context(), s, changes, time.Now().Add(-time.Hour))
	if err != nil || len(set) != 1 {
		t.Errorf("%d images from a list that is an hour old, %v", len(set), err)
	}
	for range 2 {
		if s.Record, err = j.record.read(); err != nil {
			t.Fatal(err)
		}
		if err := j.parts.texts.describeImages(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if s.Record, err = j.record.read(); err != nil || len(s.Facts.Texts.Changes(s.Record.Published)) > 0 || len(s.Record.Late.AltIntent) > 0 || j.parts.texts.described != count {
		t.Errorf("left are %d changes and %d intents after %d, %v", len(s.Facts.Texts.Changes(s.Record.Published)), len(s.Record.Late.AltIntent), j.parts.texts.described, err)
	}
}

// TestAltTextsAreIntended: what is about to be set is recorded when the first request leaves.
func TestAltTextsAreIntended(t *testing.T) {
	var j *Job
	intended := 0
	client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.SetAltTexts && intended == 0 {
			record, _ := j.record.read()
			intended = len(record.Late.AltIntent)
		}
		return sandbox.Fault{}
	})
	j, s := published(t, client, 2, func(commit func() error) error { return commit() })
	if err := j.parts.texts.describeImages(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if intended != 2 {
		t.Errorf("%d of 2 texts were recorded before the first of them was sent", intended)
	}
}

// TestAltTextsGoByAFreshList: a request replaces all texts of an image, so that those which others
// wrote since the last list are read before. A list serves once.
func TestAltTextsGoByAFreshList(t *testing.T) {
	for age, read := range map[time.Duration]bool{freshList / 2: false, freshList + time.Second: true} {
		client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
		j, s := published(t, client, 1, func(commit func() error) error { return commit() })
		if _, err := client.SetAltTexts(t.Context(), s.Record.Published.Frames[0].ImageID, map[string]string{"fr": "Une chaussure"}); err != nil {
			t.Fatal(err)
		}
		j.parts.texts.listed = time.Now()
		j.gate.service.Boot = func() time.Time { return time.Now().Add(age) } // as after a sleep
		if err := j.parts.texts.describeImages(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		images, err := client.Images(t.Context(), s.Record.Product.UUID)
		if err != nil || images[0].AltTexts["en"] == "" || (images[0].AltTexts["fr"] != "") != read {
			t.Errorf("by a list of %s ago: %v, %v", age, images, err)
		}
		if !j.parts.texts.listed.IsZero() {
			t.Errorf("the list of %s ago serves again", age)
		}
	}
}

// TestAltTextOfABusyService: the failure of an alt text is that of its request, so that the wait
// that the service asks for holds.
func TestAltTextOfABusyService(t *testing.T) {
	client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.SetAltTexts {
			return sandbox.Fault{Status: 503, Header: http.Header{"Retry-After": {"9"}}}
		}
		return sandbox.Fault{}
	})
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	err := j.parts.texts.describeImages(t.Context(), s)
	if remote, _ := errors.AsType[*apiclient.Error](err); remote == nil || remote.RetryAfter != 9*time.Second {
		t.Errorf("the failure is %v", err)
	}
}

// TestTextOfOneImage: neither a text that the service does not take nor a fault with one image
// keeps the other images from theirs. A refused text is named with its photo.
func TestTextOfOneImage(t *testing.T) {
	for code, refused := range map[int]bool{422: true, 500: false} {
		var first string
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.SetAltTexts && path.Base(c.Request.URL.Path) == first {
				return sandbox.Fault{Status: code}
			}
			return sandbox.Fault{}
		})
		j, s := published(t, client, 3, func(commit func() error) error { return commit() })
		first = fmt.Sprint(s.Record.Published.Frames[0].ImageID)
		set, err := j.parts.texts.setAltTexts(t.Context(), s, s.Facts.Texts.Changes(s.Record.Published), time.Now())
		if len(set) != 2 || (err == nil) != refused {
			t.Errorf("%d: the texts of %d images were set, %v", code, len(set), err)
		}
		o := outcome.Of(j.parts.texts.refused.end(s.Record.Published.Frames))
		if (o != nil) != refused || refused && (len(o.Cause.Parts) != 1 || o.Cause.Parts[0].Name != "0000.jpg" || !strings.HasPrefix(o.Cause.Parts[0].Text, "(20 characters): ")) {
			t.Errorf("%d: it ends as %+v", code, o)
		}
	}
}

// TestTextsComeAgain: whatever became of an earlier request, the texts of the folder come to the
// service as they are in the end: of two languages that are saved one after the other, and of a text
// that was withdrawn without an answer, and is back.
func TestTextsComeAgain(t *testing.T) {
	first, next := words{"en": "A shoe", "de": "Ein Schuh"}, words{"en": "The shoe", "de": "Der Schuh"}
	for name, test := range map[string]struct {
		says   []plan.Texts
		cut    int // the request without an answer, from 1 on
		finish words
	}{
		"two languages, one after the other": {[]plan.Texts{said(first), {Said: said(words{"en": "The shoe"}).Said, Partly: true}, said(next)}, 0, next},
		"withdrawn without an answer":        {[]plan.Texts{said(first), said(nil), said(nil), said(first)}, 2, first},
		"withdrawn and written again":        {[]plan.Texts{said(first), said(nil), said(first)}, 2, first},
	} {
		sent := 0
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.SetAltTexts {
				sent++
				return sandbox.Fault{DropAfter: sent == test.cut}
			}
			return sandbox.Fault{}
		})
		j, s := published(t, client, 1, func(commit func() error) error { return commit() })
		for _, s.Facts.Texts = range test.says {
			var err error
			if s.Record, err = j.record.read(); err != nil {
				t.Fatal(err)
			}
			_ = j.parts.texts.describeImages(t.Context(), s)
		}
		images, err := client.Images(t.Context(), s.Record.Product.UUID)
		if err != nil || !maps.Equal(images[0].AltTexts, test.finish) {
			t.Errorf("%s: the image has %v, %v", name, images, err)
		}
	}
}

// TestListOfAnotherUpload: a list that lacks an image, or has the images of another upload under the
// same ids, may be behind. A person is called once it has lasted.
func TestListOfAnotherUpload(t *testing.T) {
	for name, change := range map[string]func(*syncstate.Published){
		"another upload": func(p *syncstate.Published) { p.Revision, p.Frames[1].Source = 7, "another.jpg" },
		"one more image": func(p *syncstate.Published) { p.Frames = append(p.Frames, syncstate.Frame{ImageID: 99}) },
	} {
		synctest.Test(t, func(t *testing.T) {
			client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
			j, s := published(t, client, 2, func(commit func() error) error { return commit() })
			change(s.Record.Published)
			keep(t, j, s.Record)
			for _, lasts := range []bool{false, true} {
				if lasts {
					time.Sleep(hosting.Patience() + time.Second)
				}
				err := j.parts.texts.describeImages(t.Context(), s)
				if o := outcome.Of(err); o == nil || outcome.Needs(err, status.ViewReplaced) != lasts {
					t.Errorf("%s: lasts %t: %v", name, lasts, err)
				}
			}
			if images, err := client.Images(t.Context(), s.Record.Product.UUID); err != nil || len(images[0].AltTexts) > 0 {
				t.Errorf("%s: the other upload gets texts: %v, %v", name, images, err)
			}
		})
	}
}

// TestOneImageBreaksEachTime: an image whose request finds no answer, however often it is made, keeps
// no other image from its text.
func TestOneImageBreaksEachTime(t *testing.T) {
	broken := map[string]bool{}
	client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
		return sandbox.Fault{DropBefore: c.Op == sandbox.SetAltTexts && broken[path.Base(c.Request.URL.Path)]}
	})
	j, s := published(t, client, 6, func(commit func() error) error { return commit() })
	for _, i := range []int{1, 3} {
		broken[fmt.Sprint(s.Record.Published.Frames[i].ImageID)] = true
	}
	for range 3 {
		if err := j.parts.texts.describeImages(t.Context(), s); err == nil {
			t.Error("the image that breaks is forgotten")
		}
	}
	images, err := client.Images(t.Context(), s.Record.Product.UUID)
	for i, image := range images {
		if described := len(image.AltTexts) > 0; described == (i == 1 || i == 3) {
			t.Errorf("image %d has %v, %v", i, image.AltTexts, err)
		}
	}
}

type words = map[string]string

// said are the texts of the first photo.
func said(texts words) plan.Texts {
	of := map[string]alttext.Text{}
	for locale, text := range texts {
		of[locale] = alttext.Text{Value: text}
	}
	return plan.Texts{Said: alttext.Texts{"0000.jpg": of}}
}

// TestRefusedTextIsNotOurs: a text that the service refused never arrives, so that one of somebody
// else in the same words is theirs.
func TestRefusedTextIsNotOurs(t *testing.T) {
	client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.SetAltTexts {
			return sandbox.Fault{Status: 422}
		}
		return sandbox.Fault{}
	})
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	for range 2 {
		if err := j.parts.texts.describeImages(t.Context(), s); err != nil && outcome.Of(err) == nil {
			t.Fatal(err)
		}
	}
	if r, err := j.record.read(); err != nil || len(r.Late.AltIntent)+len(r.Late.AltLate) > 0 {
		t.Errorf("the service may show %+v, %v", r.Late, err)
	}
}

func sandboxClient(t *testing.T, intercept func(*sandbox.Call) sandbox.Fault) *apiclient.Client {
	t.Helper()
	service, err := sandbox.New(sandbox.Options{
		Dir: t.TempDir(), Users: []sandbox.User{{Name: "studio", Password: "the-secret", CanEdit: true}}, Processing: -1, NoSync: true, Intercept: intercept,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := service.Close(); err != nil {
			t.Error(err)
		}
	})
	network := servicetest.Serve(t, service)
	client, err := apiclient.New(apiclient.Options{
		BaseURL: "http://127.0.0.1:8361", Username: "studio", Password: "the-secret", DialContext: network.Dial,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	return client
}

// published is the work on a folder whose images are on the service, and its scene with a text for
// each of them.
func published(t *testing.T, client *apiclient.Client, count int, around func(commit func() error) error) (*Job, plan.Scene) {
	t.Helper()
	p, key, s := publisherOf(t, client, count, around)
	return NewJob(p, key, nil), s
}

// publisherOf is what a job has in common with others on a folder whose images are on the service,
// with the scene of that folder.
func publisherOf(
	t *testing.T, client *apiclient.Client, count int, around func(commit func() error) error,
) (*Publisher, syncstate.Folder, plan.Scene) {
	t.Helper()
	product, images := uploaded(t, client, count)
	store := plantest.ObservedStore(t, around)
	record := syncstate.Record{Product: syncstate.Product{UUID: product}, Published: &syncstate.Published{Images: count, Revision: images[0].SourceRevision}}
	texts := alttext.Texts{}
	for _, image := range images {
		name := path.Base(image.Source)
		record.Published.Frames = append(record.Published.Frames, syncstate.Frame{File: syncstate.File{Name: name}, ImageID: image.ID})
		texts[name] = map[string]alttext.Text{"en": {Value: "A shoe from " + name}}
	}
	key := syncstate.Folder{Root: "/shoots", Path: "SKU-1"}
	if err := store.Update(key, func(r *syncstate.Record) error { *r = record; return nil }); err != nil {
		t.Fatal(err)
	}
	p := &Publisher{
		Service: &hosting.Service{Client: client, Memory: &hosting.Memory{}, Boot: time.Now}, Records: NewRecords(store),
		Log: slog.New(slog.DiscardHandler), Random: func(int64) int64 { return 0 },
		Neighbours: cleared{}, Keeper: cleared{}, Display: counted{bytes: new(atomic.Int64)},
		Slots: schedule.NewSlots(config.Upload{}, new(schedule.Priorities)),
		Poll:  config.Poll{Max: time.Minute, GiveUp: 2 * time.Hour},
	}
	return p, key, plan.Scene{Record: record, Facts: plan.Facts{Texts: plan.Texts{Said: texts}}}
}

func uploaded(t *testing.T, client *apiclient.Client, count int) (product string, images []apiclient.Image) {
	t.Helper()
	project, err := client.CreateProject(t.Context(), "Summer")
	if err != nil {
		t.Fatal(err)
	}
	return uploadedTo(t, client, apiclient.NewProduct{Title: "SKU-1", SKU: "SKU-1", Project: project.UUID, Images: count})
}

// uploadedTo makes a product, and uploads the photos that it is announced with.
func uploadedTo(t *testing.T, client *apiclient.Client, asked apiclient.NewProduct) (product string, images []apiclient.Image) {
	t.Helper()
	ctx, count := t.Context(), asked.Images
	form, err := client.CreateProduct(ctx, asked)
	for i := 0; i < count && err == nil; i++ {
		err = client.Upload(ctx, form, apiclient.File{
			Name: fmt.Sprintf("%04d.jpg", i), ContentType: "image/jpeg", Size: 5,
			Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("photo")), nil },
		})
	}
	if err == nil {
		err = client.FinishUpload(ctx, form.UUID)
	}
	if err == nil {
		images, err = client.Images(ctx, form.UUID)
	}
	if err != nil || len(images) != count {
		t.Fatalf("%d of %d images, %v", len(images), count, err)
	}
	return form.UUID, images
}
