package apiclient_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/servicetest"
)

// Section 4: a test for each rule of an endpoint.

// Nothing belongs to a new project (also 4.8).
func Test_4_1_AProjectIsCreated(t *testing.T) {
	onOwnService(t, func(t *testing.T, s *service) {
		s.create(1)
		p, err := s.client.CreateProject(t.Context(), "Winter ❄")
		s.must(err)
		if p.UUID == "" || p.Title != "Winter ❄" || p.CreatedAt.IsZero() || p.Products != nil {
			t.Errorf("project %+v, want uuid, title and created_at", p)
		}
		products, err := s.client.ProjectProducts(t.Context(), p.UUID, apiclient.Filter{})
		s.must(err)
		if len(products) != 0 {
			t.Errorf("a new project lists %+v", products)
		}
	})
}

func Test_4_1_ATitleIsRequired(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		s.spoils = true
		var answer struct{ Errors []any }
		s.do(s.request("POST", "/api/v2/projects", "{}")).decode(t, &answer)
		if len(answer.Errors) == 0 {
			t.Error("a project without a title is no error")
		}
	})
}

// Images are listed in their order (also 4.12).
func Test_4_3_SortedNamesGiveTheOrder(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		names := []string{"10.jpg", "9.jpg", "B.jpg", "a.jpg", "a-1.jpg", "é.jpg"}
		files := frames(names...)
		form := s.create(len(files))
		images := s.publish(form, files...)
		slices.Sort(names)
		if len(images) != len(names) {
			t.Fatalf("%d images, want %d", len(images), len(names))
		}
		for n := range images[1:] {
			if images[n].Ordial >= images[n+1].Ordial || images[n].ID == images[n+1].ID {
				t.Errorf("image %+v stands before %+v", images[n], images[n+1])
			}
		}
		for n, name := range names {
			at := slices.IndexFunc(files, func(f apiclient.File) bool { return f.Name == name })
			want, _, err := image.Decode(bytes.NewReader(contentOf(t, files[at])))
			s.must(err)
			got, _ := s.fetchImage(images[n].MediaURL + "/image.png")
			if !near(got.At(300, 200), want.At(300, 200)) {
				t.Errorf("position %d does not show %s", n+1, name)
			}
		}
	})
}

// near reports whether two greys are the same but for a conversion.
func near(a, b color.Color) bool {
	x, y := color.GrayModel.Convert(a).(color.Gray).Y, color.GrayModel.Convert(b).(color.Gray).Y
	return max(x, y)-min(x, y) < 6
}

func Test_4_3_TheSameFileCanBeSentAgain(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		s.upload(form, photo("a.jpg", 200))
		s.upload(form, photo("a.jpg", 0))
		images := s.publish(form)
		if len(images) != 1 {
			t.Fatalf("%d images, want 1", len(images))
		}
		if got, _ := s.fetchImage(images[0].MediaURL + "/image.png"); !near(got.At(300, 200), color.Gray{}) {
			t.Errorf("the image shows %v, want what was sent last", got.At(300, 200))
		}
	})
}

func Test_4_3_TheFormProvesTheRightToUpload(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		s.spoils = true
		good := s.create(1)
		good.AccessKeyField = s.keyField
		for name, spoil := range map[string]func(*apiclient.Credentials){
			"signature":  func(c *apiclient.Credentials) { c.Signature = strings.ToLower(c.Signature) + "A" },
			"access key": func(c *apiclient.Credentials) { c.AccessKeyID += "A" },
			"path":       func(c *apiclient.Credentials) { c.Path += "1" },
			"acl":        func(c *apiclient.Credentials) { c.ACL = "public-read" },
		} {
			form := good
			spoil(&form)
			err := refusal(t, s.client.Upload(t.Context(), form, photo("a.jpg", 0)))
			if err.Temporary() || !s.strict && !err.FormRejected() {
				t.Errorf("another %s: error %v, want a rejected form", name, err)
			}
		}
	})
}

func Test_4_3_AFormExpires(t *testing.T) {
	onOwnService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		time.Sleep(time.Hour - time.Millisecond)
		s.upload(form, photo("a.jpg", 0))
		time.Sleep(2 * time.Millisecond)
		err := refusal(t, s.tryUpload(form, photo("a.jpg", 0)))
		if !s.strict && !err.FormExpired() {
			t.Errorf("error %v, want an expired form", err)
		}
		if images := s.publish(s.reupload(form.UUID, 1), photo("a.jpg", 0)); len(images) != 1 {
			t.Errorf("%d images with a new form, want 1", len(images))
		}
	})
}

func Test_4_4_ARepetitionChangesNothing(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		s.publish(form, frames("a.jpg")...)
		before := s.images(form.UUID)
		if again := s.do(s.request("POST", "/api/v2/products/"+form.UUID+"/uploaded", nil)); again.StatusCode >= 500 {
			t.Errorf("repeated: %s", again.Status)
		}
		s.await(form.UUID, apiclient.Status.Finished)
		if diff := gocmp.Diff(before, s.images(form.UUID)); diff != "" {
			t.Error("the repetition changed the images:", diff)
		}
	})
}

func Test_4_5_TheIframeHasItsAttributes(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		s.publish(form, frames("a.jpg")...)
		e, err := s.client.Embed(t.Context(), form.UUID, apiclient.EmbedOptions{
			Type: apiclient.EmbedIframe, Width: 640, Height: 480,
		})
		s.must(err)
		for _, name := range []string{"width", "height", "src", "frameborder", "scrolling", "style", "allowfullscreen"} {
			if _, given := e.Attributes[name]; !given {
				t.Errorf("%s lacks the attribute %s", e.Markup, name)
			}
		}
		if e.Attributes["width"] != "640" || e.Attributes["height"] != "480" {
			t.Errorf("%s has not the size that was asked for", e.Markup)
		}
		if s.strict {
			return
		}
		if got := s.public(e.Src); got.StatusCode != http.StatusOK {
			t.Errorf("the link %s answers %s", e.Src, got.Status)
		}
	})
}

func Test_4_5_ResponsiveIgnoresWidthAndHeight(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		opts := apiclient.EmbedOptions{Type: apiclient.EmbedResponsive}
		plain, err := s.client.Embed(t.Context(), form.UUID, opts)
		s.must(err)
		opts.Width, opts.Height = 123, 45
		sized, err := s.client.Embed(t.Context(), form.UUID, opts)
		s.must(err)
		if plain.Markup != sized.Markup {
			t.Errorf("%s differs from %s", sized.Markup, plain.Markup)
		}
	})
}

// Both lists have the same filters (also 4.8).
func Test_4_6_AFilterLetsItsProductPassAlone(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.createAs(apiclient.NewProduct{Title: "Boot & Test", SKU: "SPIN-7-B", Manufacturer: "Nobody", Year: "1907"}, 1)
		passes := func(f apiclient.Filter) (all, own bool) {
			products, err := s.client.Products(t.Context(), f)
			s.must(err)
			ofProject, err := s.client.ProjectProducts(t.Context(), s.project.UUID, f)
			s.must(err)
			return s.find(products, form.UUID) != nil, s.find(ofProject, form.UUID) != nil
		}
		for name, filters := range map[string][2]apiclient.Filter{
			"title":        {{Title: "Boot & Test"}, {Title: "quite another"}},
			"sku":          {{SKU: "SPIN-7-B"}, {SKU: "quite another"}},
			"manufacturer": {{Manufacturer: "Nobody"}, {Manufacturer: "quite another"}},
			"year":         {{Year: "1907"}, {Year: "1908"}},
			"all of them": {
				{Title: "Boot & Test", SKU: "SPIN-7-B", Manufacturer: "Nobody", Year: "1907"}, {Title: "Boot & Test", Year: "1908"},
			},
			"none": {{}, {Title: "quite another"}},
		} {
			for n, want := range []bool{true, false} {
				if all, own := passes(filters[n]); all != want || own != want {
					t.Errorf("filter %s, %+v: it passes in the list of all %v, of its project %v", name, filters[n], all, own)
				}
			}
		}
	})
}

func Test_4_7_ProjectsCountTheirProducts(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		counts := make([]int, 2)
		for n := range counts {
			projects, err := s.client.Projects(t.Context())
			s.must(err)
			at := slices.IndexFunc(projects, func(p apiclient.Project) bool { return p.UUID == s.project.UUID })
			counts[n] = *projects[at].Products
			s.create(1)
		}
		if counts[1] != counts[0]+1 {
			t.Errorf("%d products after one was added to %d", counts[1], counts[0])
		}
	})
}

// No section removes a project, but people do on the service's own pages.
func Test_4_7_ARemovedProjectIsListedNoMore(t *testing.T) {
	onOwnService(t, func(t *testing.T, s *service) {
		product := s.create(1).UUID
		s.must(s.memory.RemoveProject(s.project.UUID))
		projects, err := s.client.Projects(t.Context())
		s.must(err)
		products, err := s.client.Products(t.Context(), apiclient.Filter{})
		s.must(err)
		if len(projects) > 0 || len(products) > 0 {
			t.Errorf("listed are %+v and %+v", projects, products)
		}
		if _, err := s.client.Status(t.Context(), product); !errors.Is(err, apiclient.ErrUnknownProduct) {
			t.Errorf("the status of its product is %v", err)
		}
	})
}

func Test_4_9_AnUpdateChangesTheSentFieldsAlone(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		i := s.publish(form, frames("a.jpg")...)[0]
		_, err := s.client.SetAltTexts(t.Context(), i.ID, map[string]string{"en": "A shoe"})
		s.must(err)
		title, none := "Boot", ""
		s.must(s.client.UpdateProduct(t.Context(), form.UUID, apiclient.ProductUpdate{Title: &title, Year: &none}))
		if p := s.listed(form.UUID); p.Title != "Boot" || p.Year != "" || p.SKU != "S-1" || p.Manufacturer != "Acme" {
			t.Errorf("product %+v, want another title and no year", p)
		}
		if texts := s.images(form.UUID)[0].AltTexts; texts["en"] != "A shoe" {
			t.Errorf("alt texts %v were changed with the product", texts)
		}
	})
}

// What comes with an older form, or after 4.4, becomes no image.
func Test_4_9_ImagesSignalAReuploadWithAnotherForm(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		first := s.create(2)
		s.upload(first, frames("a.jpg", "b.jpg")...)
		title := "Boot"
		again, err := s.client.Reupload(t.Context(), first.UUID, apiclient.ProductUpdate{Title: &title}, 1)
		s.must(err)
		checkForm(t, again)
		if again.UUID != first.UUID || again.Path == first.Path {
			t.Errorf("form for %s at %s, want another path than %s of the same product", again.UUID, again.Path, first.Path)
		}
		if s.memory != nil {
			s.upload(first, photo("late.jpg", 0))
		}
		images := s.publish(again, photo("c.jpg", 0))
		if len(images) != 1 {
			t.Errorf("%d images, want the one of the newest form", len(images))
		}
		if s.memory != nil {
			s.upload(again, photo("c.jpg", 200), photo("later.jpg", 0))
			s.checkBound("a.jpg true, b.jpg true, late.jpg false, c.jpg true, c.jpg false, later.jpg false")
		}
		if diff := gocmp.Diff(images, s.images(first.UUID)); diff != "" {
			t.Error("what came late changed the images:", diff)
		}
		if got := s.listed(first.UUID).Title; got != title {
			t.Errorf("title %q, want %q", got, title)
		}
	})
}

// checkBound compares the stored files, and whether each can become an image.
func (s *service) checkBound(want string) {
	s.t.Helper()
	var got []string
	for _, e := range s.journal() {
		if e.Effect == sandbox.FileStored {
			got = append(got, fmt.Sprint(path.Base(e.Key), " ", e.Bound))
		}
	}
	if strings.Join(got, ", ") != want {
		s.t.Errorf("stored are %q, want %s", got, want)
	}
}

func Test_4_10_ADeletedProductIsNotThere(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		gone, kept := s.create(1).UUID, s.create(1).UUID
		s.must(s.client.DeleteProduct(t.Context(), gone))
		products, err := s.client.ProjectProducts(t.Context(), s.project.UUID, apiclient.Filter{})
		s.must(err)
		if s.find(products, gone) != nil || s.find(products, kept) == nil {
			t.Errorf("listed are %+v, want %s without %s", products, kept, gone)
		}
		if _, err := s.client.Status(t.Context(), gone); !errors.Is(err, apiclient.ErrUnknownProduct) {
			t.Errorf("the status of the deleted product is %v", err)
		}
	})
}

func Test_4_11_DownloadHoldsEverySource(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		files := frames("a.jpg", "b.jpg", "c.jpg")
		form := s.create(len(files))
		s.publish(form, files...)
		var download bytes.Buffer
		_, err := s.client.DownloadSources(t.Context(), form.UUID, &download)
		s.must(err)
		archive, err := zip.NewReader(bytes.NewReader(download.Bytes()), int64(download.Len()))
		s.must(err)
		if len(archive.File) != len(files) {
			t.Fatalf("%d files in the ZIP, want %d", len(archive.File), len(files))
		}
		var contents [][]byte
		for _, entry := range archive.File {
			contents = append(contents, entryOf(t, entry))
		}
		for _, f := range files {
			want := contentOf(t, f)
			if !slices.ContainsFunc(contents, func(got []byte) bool { return bytes.Equal(got, want) }) {
				t.Errorf("%s is not in the ZIP", f.Name)
			}
		}
	})
}

func entryOf(t *testing.T, entry *zip.File) []byte {
	t.Helper()
	content, err := entry.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	data, err := io.ReadAll(content)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func Test_4_12_AnEmptyListIsNotStored(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		got := s.get("/api/v2/products/" + s.create(1).UUID + "/images")
		if strings.TrimSpace(string(got.body)) != "[]" {
			t.Errorf("%s, want []", got.body)
		}
		if !strings.Contains(got.Header.Get("Cache-Control"), "no-store") {
			t.Errorf("Cache-Control %q, want no-store", got.Header.Get("Cache-Control"))
		}
	})
}

func Test_4_12_NeedsEditPermission(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		if s.reader == "" {
			t.Skip("SPINSYNC_TEST_READER names no user without edit permission")
		}
		req := s.request("GET", "/api/v2/products/"+s.create(1).UUID+"/images", nil)
		req.SetBasicAuth(s.reader, s.readerPassword)
		if got := s.do(req); got.isList() {
			t.Errorf("a user without edit permission reads %s", got.body)
		}
	})
}

func Test_4_13_AltTextsAreReplacedWhole(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		id := s.publish(form, frames("a.jpg")...)[0].ID
		for _, test := range []struct{ send, want apiclient.Texts }{
			{apiclient.Texts{"en": "A shoe", "de": "Ein Schuh"}, apiclient.Texts{"en": "A shoe", "de": "Ein Schuh"}},
			{apiclient.Texts{"fr": "Une chaussure"}, apiclient.Texts{"fr": "Une chaussure"}},
			{apiclient.Texts{"en": "", "de": " \t", "fr": "Un <b> & \"ß\" 👟"}, apiclient.Texts{"fr": "Un <b> & \"ß\" 👟"}},
			{nil, apiclient.Texts{}},
		} {
			stored, err := s.client.SetAltTexts(t.Context(), id, test.send)
			s.must(err)
			want := apiclient.ImageAltTexts{ID: id, VariantUUID: form.UUID, AltTexts: test.want}
			if diff := gocmp.Diff(want, stored); diff != "" {
				t.Error("the answer differs:", diff)
			}
			if diff := gocmp.Diff(test.want, s.images(form.UUID)[0].AltTexts); diff != "" {
				t.Error("the list differs:", diff)
			}
		}
	})
}

func Test_4_14_AnUnknownProductIsNull(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		var answer map[string]any
		s.public("/api/v2/products/"+unknownUUID+"/status").decode(t, &answer)
		if variant, given := answer["variant"]; !given || variant != nil {
			t.Errorf("%v, want a variant that is null", answer)
		}
		if _, err := s.client.Status(t.Context(), unknownUUID); !errors.Is(err, apiclient.ErrUnknownProduct) {
			t.Errorf("error %v, want that of an unknown product", err)
		}
	})
}

// No credentials are needed (also section 5).
func Test_4_14_TheStatusIsPublicAndRevalidated(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		path := "/api/v2/products/" + s.create(1).UUID + "/status"
		first := s.public(path)
		var answer apiclient.StatusAnswer
		if first.decode(t, &answer); answer.Variant == nil {
			t.Errorf("the status is kept from the public: %s", first.body)
		}
		if !strings.Contains(first.Header.Get("Cache-Control"), "no-cache") {
			t.Errorf("Cache-Control %q, want no-cache", first.Header.Get("Cache-Control"))
		}
		if first.Header.Get("ETag") == "" {
			t.Skip("the service sends no ETag")
		}
		req := s.request("GET", path, nil)
		req.Header.Del("Authorization")
		req.Header.Set("If-None-Match", first.Header.Get("ETag"))
		if again := s.do(req); again.StatusCode != http.StatusNotModified || len(again.body) > 0 {
			t.Errorf("%s %q for an unchanged status, want 304", again.Status, again.body)
		}
	})
}

func Test_4_15_AVideoIsOneImage(t *testing.T) {
	onOwnService(t, func(t *testing.T, s *service) {
		video := []byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom\x00\x00\x00\x08moov")
		form := s.create(1)
		images := s.publish(form, servicetest.File("turn.mp4", "video/mp4", video))
		if len(images) != 1 || !images[0].MediaReady {
			t.Fatalf("images %+v, want one that is ready", images)
		}
		if s.strict {
			return
		}
		got := s.public(images[0].MediaURL)
		if !bytes.Equal(got.body, video) || got.Header.Get("Content-Type") != "video/mp4" {
			t.Errorf("the media URL answers %s, %d bytes", got.Header.Get("Content-Type"), len(got.body))
		}
	})
}
