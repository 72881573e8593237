package apiclient_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"image"
	"image/color"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"spinsync/apiclient"
)

// The contract of the interface, section 4: a test for each rule of an endpoint.

func Test_4_1_CreateAProject(t *testing.T) {
	onOwnService(t, func(t *testing.T, s *service) {
		p, err := s.client.CreateProject(t.Context(), "Winter ❄")
		s.must(err)
		if p.UUID == "" || p.Title != "Winter ❄" || p.CreatedAt.IsZero() || p.Products != nil {
			t.Errorf("project %+v, want uuid, title and created_at", p)
		}
	})
}

func Test_4_1_ATitleIsRequired(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		s.send(s.user, s.password, "POST", "/api/v2/projects", map[string]any{}).checkErrors(t)
	})
}

func Test_4_2_TheProjectMustExist(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		_, err := s.client.CreateProduct(t.Context(), apiclient.NewProduct{
			Title: "T", SKU: "S", Year: "2027", Project: unknownUUID, Images: 1,
		})
		if refused := refusal(t, err); refused.Temporary() {
			t.Errorf("error %v, want a permanent one", refused)
		}
	})
}

func Test_4_2_FieldsHaveTheirTypes(t *testing.T) {
	onOwnService(t, func(t *testing.T, s *service) {
		for name, value := range map[string]any{
			"title": 7, "sku": 7, "manufacturer": nil, "year": 2027, "project": nil, "images": "3",
		} {
			body := map[string]any{
				"title": "T", "sku": "S", "manufacturer": "", "year": "2027", "project": s.project.UUID, "images": 3,
			}
			body[name] = value
			s.send(s.user, s.password, "POST", "/api/v2/products", body).checkErrors(t)
		}
		products, err := s.client.Products(t.Context(), apiclient.Filter{})
		s.must(err)
		if len(products) > 0 {
			t.Errorf("created nevertheless: %+v", products)
		}
	})
}

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
		if got, _ := s.fetchImage(images[0].MediaURL + "/image.png"); !near(got.At(300, 200), color.Gray{Y: 4}) {
			t.Errorf("the image shows %v, want what was sent last", got.At(300, 200))
		}
	})
}

func Test_4_3_TheFormProvesTheRightToUpload(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		good := s.create(1)
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
		time.Sleep(time.Hour + time.Second)
		err := refusal(t, s.tryUpload(form, photo("a.jpg", 0)))
		if !s.strict && !err.FormExpired() {
			t.Errorf("error %v, want an expired form", err)
		}
		if images := s.publish(s.reupload(form.UUID, 1), photo("a.jpg", 0)); len(images) != 1 {
			t.Errorf("%d images with a new form, want 1", len(images))
		}
	})
}

func Test_4_4_NeedsNoBodyAndMayBeRepeated(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		s.publish(form, frames("a.jpg")...)
		before := s.images(form.UUID)
		if again := s.send(s.user, s.password, "POST", "/api/v2/products/"+form.UUID+"/uploaded", nil); again.StatusCode >= 500 {
			t.Errorf("repeated: %s", again.Status)
		}
		s.await(form.UUID, apiclient.Status.Finished)
		if diff := gocmp.Diff(before, s.images(form.UUID)); diff != "" {
			t.Error("the repetition changed the images:", diff)
		}
	})
}

func Test_4_4_UnknownProduct(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		refusal(t, s.client.FinishUpload(t.Context(), unknownUUID))
	})
}

func Test_4_5_Embed(t *testing.T) {
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
		if s.strict {
			return
		}
		if got := s.send("", "", "GET", e.Src, nil); got.StatusCode != http.StatusOK {
			t.Errorf("the link %s answers %s", e.Src, got.Status)
		}
	})
}

func Test_4_5_ResponsiveIgnoresWidthAndHeight(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		path := "/api/v2/products/" + form.UUID + "/embed?type=responsive"
		plain, sized := s.get(path), s.get(path+"&width=123&height=45")
		if !bytes.Equal(plain.body, sized.body) {
			t.Errorf("%s differs from %s", sized.body, plain.body)
		}
	})
}

func Test_4_6_ListAllProducts(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.createAs(apiclient.NewProduct{Title: "Boot of Test", SKU: "SPIN-7-B", Manufacturer: "Nobody", Year: "1907"}, 1)
		for name, f := range map[string]apiclient.Filter{
			"none":         {},
			"title":        {Title: "Boot of Test"},
			"sku":          {SKU: "SPIN-7-B"},
			"manufacturer": {Manufacturer: "Nobody"},
			"year":         {Year: "1907"},
			"all":          {Title: "Boot of Test", SKU: "SPIN-7-B", Manufacturer: "Nobody", Year: "1907"},
		} {
			products, err := s.client.Products(t.Context(), f)
			s.must(err)
			if s.find(products, form.UUID) == nil {
				t.Errorf("filter %s: the product is missing", name)
			}
		}
		products, err := s.client.Products(t.Context(), apiclient.Filter{SKU: "quite another"})
		s.must(err)
		if s.find(products, form.UUID) != nil {
			t.Error("the product passes the filter of another")
		}
	})
}

func Test_4_7_ProjectsCountTheirProducts(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		before := s.countProducts()
		s.create(1)
		if after := s.countProducts(); after != before+1 {
			t.Errorf("%d products after one was added to %d", after, before)
		}
	})
}

func (s *service) countProducts() int {
	s.t.Helper()
	projects, err := s.client.Projects(s.t.Context())
	s.must(err)
	for _, p := range projects {
		if p.UUID == s.project.UUID && p.Products != nil {
			return *p.Products
		}
	}
	s.t.Fatalf("project %s has no number of products", s.project.UUID)
	return 0
}

func Test_4_8_ListProductsOfAProject(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.createAs(apiclient.NewProduct{Title: "One", SKU: "SPIN-8-A"}, 1)
		other := s.createAs(apiclient.NewProduct{Title: "Two", SKU: "SPIN-8-B"}, 1)
		products, err := s.client.ProjectProducts(t.Context(), s.project.UUID, apiclient.Filter{SKU: "SPIN-8-A"})
		s.must(err)
		if s.find(products, form.UUID) == nil || s.find(products, other.UUID) != nil {
			t.Errorf("filtered: %+v, want One without Two", products)
		}
		all, err := s.client.ProjectProducts(t.Context(), s.project.UUID, apiclient.Filter{})
		s.must(err)
		for _, p := range all {
			if p.Project != s.project.UUID {
				t.Errorf("product %+v belongs to another project", p)
			}
		}
	})
}

func Test_4_8_OnlyProductsOfThatProject(t *testing.T) {
	onOwnService(t, func(t *testing.T, s *service) {
		other, err := s.client.CreateProject(t.Context(), "Other")
		s.must(err)
		s.create(1)
		products, err := s.client.ProjectProducts(t.Context(), other.UUID, apiclient.Filter{})
		s.must(err)
		if len(products) != 0 {
			t.Errorf("an empty project lists %+v", products)
		}
	})
}

func Test_4_9_UpdateFields(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		change := map[string]any{"title": "Boot", "year": "2028"}
		s.send(s.user, s.password, "PATCH", "/api/v2/products/"+form.UUID, change).checkNotice(t)
		p := s.listed(form.UUID)
		if p.Title != "Boot" || p.Year != "2028" || p.SKU != "S-1" || p.Manufacturer != "Acme" {
			t.Errorf("product %+v, want another title and year only", p)
		}
	})
}

func Test_4_9_FailureHasErrors(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		s.send(s.user, s.password, "PATCH", "/api/v2/products/"+unknownUUID, map[string]any{"title": "Boot"}).checkErrors(t)
	})
}

func Test_4_9_ImagesSignalAReupload(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		s.publish(form, frames("a.jpg")...)
		title := "Boot"
		again, err := s.client.Reupload(t.Context(), form.UUID, apiclient.ProductUpdate{Title: &title}, 2)
		s.must(err)
		checkForm(t, again)
		if again.UUID != form.UUID || again.Path == form.Path {
			t.Errorf("form for %s at %s, want another path than %s of the same product", again.UUID, again.Path, form.Path)
		}
		if got := len(s.publish(again, frames("b.jpg", "c.jpg")...)); got != 2 {
			t.Errorf("%d images, want 2", got)
		}
		if got := s.listed(form.UUID).Title; got != title {
			t.Errorf("title %q, want %q", got, title)
		}
	})
}

func Test_4_9_AnOlderFormBindsNothing(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		first := s.create(2)
		s.upload(first, frames("a.jpg", "b.jpg")...)
		if images := s.publish(s.reupload(first.UUID, 1), frames("c.jpg")...); len(images) != 1 {
			t.Errorf("%d images, want the one of the newest form", len(images))
		}
	})
}

func Test_4_9_AltTextsAreNotChangedHere(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		i := s.publish(form, frames("a.jpg")...)[0]
		_, err := s.client.SetAltTexts(t.Context(), i.ID, map[string]string{"en": "A shoe"})
		s.must(err)
		s.send(s.user, s.password, "PATCH", "/api/v2/products/"+form.UUID, map[string]any{
			"title": "Boot", "alt_texts": map[string]string{"en": "A boot"},
		})
		if texts := s.images(form.UUID)[0].AltTexts; texts["en"] != "A shoe" {
			t.Errorf("alt texts %v were changed with the product", texts)
		}
	})
}

func Test_4_10_DeleteAProduct(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		path := "/api/v2/products/" + form.UUID
		s.send(s.user, s.password, "DELETE", path, nil).checkNotice(t)
		s.send(s.user, s.password, "DELETE", path, nil).checkErrors(t)
		products, err := s.client.ProjectProducts(t.Context(), s.project.UUID, apiclient.Filter{})
		s.must(err)
		if s.find(products, form.UUID) != nil {
			t.Error("the deleted product is listed")
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

func Test_4_11_FailureHasErrors(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.base+"/api/v2/products/"+unknownUUID+".zip", nil)
		s.must(err)
		req.SetBasicAuth(s.user, s.password)
		req.Header.Set("Accept", "application/zip")
		s.do(req).checkErrors(t)
	})
}

func Test_4_12_ImagesAreOrderedByOrdial(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		names := []string{"a.jpg", "b.jpg", "c.jpg", "d.jpg"}
		images := s.publish(s.create(len(names)), frames(names...)...)
		if len(images) != len(names) {
			t.Fatalf("%d images, want %d", len(images), len(names))
		}
		for n := range images[1:] {
			if images[n].Ordial >= images[n+1].Ordial || images[n].ID == images[n+1].ID {
				t.Errorf("image %+v stands before %+v", images[n], images[n+1])
			}
		}
	})
}

func Test_4_12_AnEmptyProductHasNone(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		got := s.get("/api/v2/products/" + s.create(1).UUID + "/images")
		if strings.TrimSpace(string(got.body)) != "[]" {
			t.Errorf("%s, want []", got.body)
		}
	})
}

func Test_4_12_ImagesStayWhileProcessing(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(2)
		s.upload(form, frames("a.jpg", "b.jpg")...)
		s.must(s.client.FinishUpload(t.Context(), form.UUID))
		processing := s.images(form.UUID)
		if len(processing) != 2 {
			t.Errorf("%d images while processing, want 2", len(processing))
		}
		s.await(form.UUID, apiclient.Status.Finished)
	})
}

func Test_4_12_NeedsEditPermission(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		if s.reader == "" {
			t.Skip("SPINSYNC_TEST_READER names no user without edit permission")
		}
		path := "/api/v2/products/" + s.create(1).UUID + "/images"
		if got := s.send(s.reader, s.readerPassword, "GET", path, nil); got.isList() {
			t.Errorf("a user without edit permission reads %s", got.body)
		}
	})
}

func Test_4_12_IsNotStored(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		got := s.get("/api/v2/products/" + s.create(1).UUID + "/images")
		if !strings.Contains(got.Header.Get("Cache-Control"), "no-store") {
			t.Errorf("Cache-Control %q, want no-store", got.Header.Get("Cache-Control"))
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

func Test_4_13_FailureHasErrors(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		body := map[string]any{"alt_texts": map[string]string{"en": "A shoe"}}
		s.send(s.user, s.password, "PATCH", "/api/v2/images/"+strconv.Itoa(unknownID), body).checkErrors(t)
	})
}

func Test_4_14_AnUnknownProductIsNull(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		var answer map[string]any
		s.send("", "", "GET", "/api/v2/products/"+unknownUUID+"/status", nil).decode(t, &answer)
		if variant, given := answer["variant"]; !given || variant != nil {
			t.Errorf("%v, want a variant that is null", answer)
		}
		if _, err := s.client.Status(t.Context(), unknownUUID); !errors.Is(err, apiclient.ErrUnknownProduct) {
			t.Errorf("error %v, want that of an unknown product", err)
		}
	})
}

func Test_4_14_MustBeRevalidated(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		path := s.base + "/api/v2/products/" + s.create(1).UUID + "/status"
		first := s.send("", "", "GET", path, nil)
		if !strings.Contains(first.Header.Get("Cache-Control"), "no-cache") {
			t.Errorf("Cache-Control %q, want no-cache", first.Header.Get("Cache-Control"))
		}
		if first.Header.Get("ETag") == "" {
			t.Skip("the service sends no ETag")
		}
		req, err := http.NewRequestWithContext(t.Context(), "GET", path, nil)
		s.must(err)
		req.Header.Set("Accept", "application/json")
		req.Header.Set("If-None-Match", first.Header.Get("ETag"))
		if again := s.do(req); again.StatusCode != http.StatusNotModified || len(again.body) > 0 {
			t.Errorf("%s %q for an unchanged status, want 304", again.Status, again.body)
		}
	})
}

func Test_4_14_TellsEveryChange(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		s.status(form.UUID)
		s.publish(form, frames("a.jpg")...)
		if status := s.status(form.UUID); !status.Finished() {
			t.Errorf("status %+v, want finished", status)
		}
		images := s.images(form.UUID)
		if len(images) != 1 || images[0].SourceRevision != s.status(form.UUID).SourceRevision {
			t.Errorf("images %+v are not of the status's revision", images)
		}
	})
}

func Test_4_15_AVideoIsOneImage(t *testing.T) {
	onOwnService(t, func(t *testing.T, s *service) {
		video := []byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom\x00\x00\x00\x08moov")
		form := s.create(1)
		images := s.publish(form, fileOf("turn.mp4", "video/mp4", video))
		if len(images) != 1 || !images[0].MediaReady {
			t.Fatalf("images %+v, want one that is ready", images)
		}
		if s.strict {
			return
		}
		got := s.send("", "", "GET", images[0].MediaURL, nil)
		if !bytes.Equal(got.body, video) || got.Header.Get("Content-Type") != "video/mp4" {
			t.Errorf("the media URL answers %s, %d bytes", got.Header.Get("Content-Type"), len(got.body))
		}
	})
}
