package apiclient_test

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	_ "golang.org/x/image/webp"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
)

// The rules of the interface, each in one test, named by its section. The endpoints, section 4, have
// a file of their own, and so have the requests that no section allows. interface_service_test.go
// runs all of them against each service.

// Section 2: resources and their fields.

func Test_2_AProjectHasItsFields(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		var projects []map[string]any
		s.get("/api/v2/projects").decode(t, &projects)
		if len(projects) == 0 {
			t.Fatal("no projects")
		}
		for _, p := range projects {
			if !isText(p["uuid"]) || !isText(p["title"]) || !isWhole(p["products"]) {
				t.Errorf("project %v lacks a field", p)
			}
			if created, _ := p["created_at"].(string); !isoMillis.MatchString(created) {
				t.Errorf("created_at %q has no milliseconds and Z", created)
			}
		}
	})
}

func isText(v any) bool  { _, ok := v.(string); return ok }
func isWhole(v any) bool { n, ok := v.(float64); return ok && n == float64(int64(n)) }

func Test_2_AProductHasTheFieldsThatWereSent(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		full := s.create(1)
		plain := s.createAs(apiclient.NewProduct{Title: "Plain", SKU: "S-2"}, 1)
		for uuid, want := range map[string]map[string]any{
			full.UUID:  {"title": "Shoe", "sku": "S-1", "manufacturer": "Acme", "year": "2027"},
			plain.UUID: {"title": "Plain", "sku": "S-2", "manufacturer": "", "year": nil},
		} {
			p := s.rawProduct(uuid, want["sku"])
			created, _ := p["created_at"].(string)
			if when, err := time.Parse(time.RFC3339, created); err != nil || when.IsZero() {
				t.Errorf("created_at %q: %v", created, err)
			}
			want["project"] = s.project.UUID
			for name, value := range want {
				if got, given := p[name]; !given || got != value {
					t.Errorf("%s is %v, want %v", name, got, value)
				}
			}
		}
	})
}

// rawProduct is a listed product with all its fields.
func (s *service) rawProduct(uuid string, sku any) map[string]any {
	s.t.Helper()
	var products []map[string]any
	s.get(fmt.Sprintf("/api/v2/projects/%s?sku=%s", s.project.UUID, sku)).decode(s.t, &products)
	at := slices.IndexFunc(products, func(p map[string]any) bool { return p["uuid"] == uuid })
	if at < 0 {
		s.t.Fatalf("product %s is not listed", uuid)
	}
	return products[at]
}

func Test_2_UploadCredentialsAreWhole(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		checkForm(t, form)
		if form.Title != "Shoe" {
			t.Errorf("title %q, want Shoe", form.Title)
		}
	})
}

// checkForm holds upload credentials against section 2.
func checkForm(t *testing.T, form apiclient.Credentials) {
	t.Helper()
	segments := strings.Split(form.Path, "/")
	if len(segments) < 3 || segments[0] != form.UUID || slices.Contains(segments, "") {
		t.Errorf("path %q is not <product_uuid>/<group_and_revision_segments>/<row_segment>", form.Path)
	}
	if form.ACL != "private" {
		t.Errorf("acl %q, want private", form.ACL)
	}
	if form.Policy == "" || form.Signature == "" || form.Hostname == "" || form.AccessKeyID == "" {
		t.Errorf("%v lacks a field", form)
	}
}

func Test_2_AnImageHasItsFields(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		s.publish(form, frames("a.jpg")...)
		i := s.rawImage(form.UUID)
		for _, name := range []string{"id", "ordial", "source_revision", "storage_version", "row"} {
			if !isWhole(i[name]) {
				t.Errorf("%s is %v, want an integer", name, i[name])
			}
		}
		for _, name := range []string{"image_status", "source", "image_group", "media_url", "thumbnail_url"} {
			if text, _ := i[name].(string); text == "" {
				t.Errorf("%s is %v, want text", name, i[name])
			}
		}
		if texts, ok := i["alt_texts"].(map[string]any); !ok || len(texts) > 0 {
			t.Errorf("alt_texts is %v, want {}", i["alt_texts"])
		}
		if i["media_ready"] != true || i["image_status"] != "finished" {
			t.Errorf("media_ready %v, image_status %v, want true and finished", i["media_ready"], i["image_status"])
		}
		if name, given := i["name"]; given {
			t.Errorf("the removed field name is %v", name)
		}
	})
}

// rawImage is the only image of a product with all its fields.
func (s *service) rawImage(product string) map[string]any {
	s.t.Helper()
	var images []map[string]any
	s.get("/api/v2/products/"+product+"/images").decode(s.t, &images)
	if len(images) != 1 {
		s.t.Fatalf("%d images, want 1", len(images))
	}
	return images[0]
}

func Test_2_MediaPathsHaveTheLayoutOfTheStorageVersion(t *testing.T) {
	check := func(t *testing.T, s *service) {
		form := s.create(2)
		for _, i := range s.publish(form, frames(`a "ä";%2F+.jpg`, "b.jpg")...) {
			layout := mediaLayout(t, i)
			if !layout.MatchString(i.MediaURL) || !strings.Contains(i.MediaURL, "/"+form.UUID+"/") {
				t.Errorf("media URL %s has not the layout of storage version %d", i.MediaURL, i.StorageVersion)
			}
			if s.strict {
				continue // it serves no media
			}
			if got := s.public(i.MediaURL); got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "image/jpeg" {
				t.Errorf("%s answers %s, %s", i.MediaURL, got.Status, got.Header.Get("Content-Type"))
			}
		}
	}
	onService(t, check)
	for _, group := range []string{"rotation", "additional", "gallery"} {
		for _, version := range []int{1, 2} {
			opts := sandbox.Options{StorageVersion: version, Groups: map[string]string{"": group}}
			t.Run(fmt.Sprint(group, version), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { check(t, sandboxed(t, opts)) })
			})
		}
	}
}

// mediaLayout is the form of a media URL: {media_host}/<account_public_uuid>/ and the layout of
// section 2.
func mediaLayout(t *testing.T, i apiclient.Image) *regexp.Regexp {
	t.Helper()
	segments := strings.Split(i.Source, "/")
	for n, segment := range segments {
		segments[n] = url.PathEscape(segment)
	}
	source := regexp.QuoteMeta(strings.Join(segments, "/"))
	const start, uuid = `^https?://.+/[^/]+/`, `/[^/]+/`
	kind := map[string]string{"rotation": "frames", "gallery": "gallery"}[i.ImageGroup]
	switch {
	case i.StorageVersion == 2:
		return regexp.MustCompile(start + "images" + uuid + source + "$")
	case kind == "frames":
		return regexp.MustCompile(fmt.Sprintf("%s%s%s%d;%d;%s$", start, kind, uuid, i.SourceRevision, i.Row, source))
	}
	return regexp.MustCompile(fmt.Sprintf("%s%s%s%d;%s$", start, cmp.Or(kind, "stills"), uuid, i.SourceRevision, source))
}

func Test_2_MediaURLsLeadToSizesAndFormats(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		i := s.publish(s.create(1), frames("a.jpg")...)[0]
		if strings.HasSuffix(i.MediaURL, "/") || i.ThumbnailURL != i.MediaURL+"/resize;w_320/image.webp" {
			t.Errorf("media URL %s, thumbnail URL %s", i.MediaURL, i.ThumbnailURL)
		}
		for link, want := range map[string]struct {
			format string
			size   image.Point
		}{
			i.ThumbnailURL:                         {"webp", image.Pt(320, 240)},
			i.MediaURL + "/resize;w_160/image.jpg": {"jpeg", image.Pt(160, 120)},
		} {
			img, format := s.fetchImage(link)
			if format != want.format || img.Bounds().Size() != want.size {
				t.Errorf("%s is %s of %v, want %v", link, format, img.Bounds().Size(), want)
			}
		}
	})
}

func (s *service) fetchImage(link string) (image.Image, string) {
	s.t.Helper()
	if s.strict {
		s.t.Skip("the service serves no media")
	}
	got := s.public(link)
	img, format, err := image.Decode(bytes.NewReader(got.body))
	if err != nil {
		s.t.Fatalf("%s answers %s: %v", link, got.Status, err)
	}
	return img, format
}

// Section 3: states and transitions.

// Images are listed while they are processed, and keep their ids and alt texts (also 4.12).
func Test_3_MediaIsNullUntilFinished(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		s.upload(form, frames("a.jpg")...)
		s.must(s.client.FinishUpload(t.Context(), form.UUID))
		raw, processing := s.rawImage(form.UUID), s.images(form.UUID)[0]
		if processing.ImageStatus == apiclient.StatusFinished {
			t.Skip("the service is too fast to be seen processing")
		}
		if media, given := raw["media_url"]; !given || media != nil || raw["thumbnail_url"] != nil || processing.MediaReady {
			t.Errorf("image %v is ready although its status is %s", raw, processing.ImageStatus)
		}
		_, err := s.client.SetAltTexts(t.Context(), processing.ID, map[string]string{"en": "A shoe"})
		s.must(err)
		s.await(form.UUID, apiclient.Status.Finished)
		finished := s.images(form.UUID)[0]
		if !finished.MediaReady || finished.MediaURL == "" || finished.ThumbnailURL == "" || finished.ID != processing.ID {
			t.Errorf("image %+v is not the one that was processing, ready", finished)
		}
		if finished.AltTexts["en"] != "A shoe" {
			t.Errorf("alt texts %v did not survive processing", finished.AltTexts)
		}
	})
}

func Test_3_TheRevisionRisesBeforeItsMediaIsReady(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(2)
		s.publish(form, frames("a.jpg", "b.jpg")...)
		first := s.status(form.UUID)
		s.upload(s.reupload(form.UUID, 3), frames("c.jpg", "d.jpg", "e.jpg")...)
		s.must(s.client.FinishUpload(t.Context(), form.UUID))
		second := s.status(form.UUID)
		if second.SourceRevision <= first.SourceRevision {
			t.Errorf("revision %d after a reupload of revision %d", second.SourceRevision, first.SourceRevision)
		}
		for _, i := range s.images(form.UUID) {
			if i.SourceRevision == second.SourceRevision && i.MediaReady && !second.Finished() {
				t.Errorf("image %+v is ready while revision %d is %s", i, second.SourceRevision, second.ImageStatus)
			}
		}
		s.settle(form.UUID, first)
		images := s.images(form.UUID)
		if len(images) != 3 {
			t.Errorf("%d images after a reupload of 3", len(images))
		}
		for _, i := range images {
			if !i.MediaReady || i.SourceRevision != second.SourceRevision {
				t.Errorf("image %+v does not belong to the new revision", i)
			}
		}
	})
}

// Section 5: authentication.

func Test_5_CredentialsAreNeeded(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		s.spoils = true
		product := "/api/v2/products/" + s.create(1).UUID
		for _, call := range []struct {
			method, path string
			body         any
		}{
			{"POST", "/api/v2/projects", map[string]any{"title": "T"}},
			{"POST", "/api/v2/products", map[string]any{"title": "T", "project": s.project.UUID, "images": 1}},
			{"POST", product + "/uploaded", nil},
			{"GET", "/api/v2/products", nil},
			{"GET", "/api/v2/projects", nil},
			{"GET", "/api/v2/projects/" + s.project.UUID, nil},
			{"PATCH", product, map[string]any{"title": "T"}},
			{"DELETE", product, nil},
			{"GET", product + ".zip", nil},
			{"GET", product + "/images", nil},
			{"PATCH", "/api/v2/images/1", map[string]any{"alt_texts": map[string]string{}}},
		} {
			for name, change := range map[string]func(*http.Request){
				"no user":           func(r *http.Request) { r.Header.Del("Authorization") },
				"no password":       func(r *http.Request) { r.SetBasicAuth(s.user, "") },
				"half the password": func(r *http.Request) { r.SetBasicAuth(s.user, s.password[:4]) },
				"a longer user":     func(r *http.Request) { r.SetBasicAuth(s.user+"x", s.password) },
			} {
				req := s.request(call.method, call.path, call.body)
				change(req)
				if got := s.do(req); got.StatusCode != http.StatusUnauthorized {
					t.Errorf("%s %s with %s: %s, want 401", call.method, call.path, name, got.Status)
				}
			}
		}
	})
}

// Section 7: errors.

// A refusal is permanent and without effect. Errors are in the answers to which section 7 gives them.
func Test_7_AnUnknownThingIsRefusedWithErrors(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		ctx, title := t.Context(), "T"
		for section, call := range map[string]func() error{
			"4.2": func() error {
				_, err := s.client.CreateProduct(ctx, apiclient.NewProduct{Title: "T", Project: unknownUUID, Images: 1})
				return err
			},
			"4.4": func() error { return s.client.FinishUpload(ctx, unknownUUID) },
			"4.5": func() error { _, err := s.client.Embed(ctx, unknownUUID, apiclient.EmbedOptions{}); return err },
			"4.8": func() error { _, err := s.client.ProjectProducts(ctx, unknownUUID, apiclient.Filter{}); return err },
			"4.9": func() error {
				return s.client.UpdateProduct(ctx, unknownUUID, apiclient.ProductUpdate{Title: &title})
			},
			"4.10": func() error { return s.client.DeleteProduct(ctx, unknownUUID) },
			"4.11": func() error { _, err := s.client.DownloadSources(ctx, unknownUUID, io.Discard); return err },
			"4.12": func() error { _, err := s.client.Images(ctx, unknownUUID); return err },
			"4.13": func() error { _, err := s.client.SetAltTexts(ctx, unknownID, apiclient.Texts{"en": "T"}); return err },
		} {
			refused := refusal(t, call())
			if refused.Temporary() || refused.MayHaveTakenEffect() {
				t.Errorf("%s: error %v, want one that is permanent and without effect", section, refused)
			}
			if len(refused.Messages) == 0 && slices.Contains([]string{"4.9", "4.10", "4.11", "4.13"}, section) {
				t.Errorf("%s: %v has no errors", section, refused)
			}
		}
	})
}

// Section 9: versioning.

func Test_9_AllPathsHaveTheVersion(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		s.spoils = true
		for _, path := range []string{"/api/products", "/api/v1/products", "/api/v3/products"} {
			if got := s.get(path); got.isList() {
				t.Errorf("%s answers %s", path, got.Status)
			}
		}
	})
}
