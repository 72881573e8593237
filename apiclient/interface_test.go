package apiclient_test

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
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

// The contract of the interface: a test for each of its rules, named by its section. The endpoints,
// section 4, have a file of their own. How all are run, and against which service, stands in
// interface_service_test.go.

// Section 2: resources and their fields.

func Test_2_ProjectFields(t *testing.T) {
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

func Test_2_ProductFields(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		var products []map[string]any
		s.get("/api/v2/projects/"+s.project.UUID).decode(t, &products)
		at := slices.IndexFunc(products, func(p map[string]any) bool { return p["uuid"] == form.UUID })
		if at < 0 {
			t.Fatal("the product is not listed")
		}
		p := products[at]
		created, _ := p["created_at"].(string)
		if when, err := time.Parse(time.RFC3339, created); err != nil || when.IsZero() {
			t.Errorf("created_at %q: %v", created, err)
		}
		delete(p, "created_at")
		for name, want := range map[string]any{
			"uuid": form.UUID, "title": "Shoe", "sku": "S-1", "manufacturer": "Acme", "year": "2027",
			"project": s.project.UUID,
		} {
			if p[name] != want {
				t.Errorf("%s is %v, want %v", name, p[name], want)
			}
		}
	})
}

func Test_2_AnUnsetYearIsNullAndAManufacturerMayBeEmpty(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.createAs(apiclient.NewProduct{Title: "Plain", SKU: "S-2"}, 1)
		var products []map[string]any
		s.get("/api/v2/projects/"+s.project.UUID).decode(t, &products)
		for _, p := range products {
			if year, given := p["year"]; p["uuid"] == form.UUID && (!given || year != nil || p["manufacturer"] != "") {
				t.Errorf("year %v, manufacturer %v, want null and empty", year, p["manufacturer"])
			}
		}
	})
}

func Test_2_UploadCredentials(t *testing.T) {
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

func Test_2_ImageFields(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		s.publish(form, frames("a.jpg")...)
		var images []map[string]any
		s.get("/api/v2/products/"+form.UUID+"/images").decode(t, &images)
		if len(images) != 1 {
			t.Fatalf("%d images, want 1", len(images))
		}
		i := images[0]
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

func Test_2_MediaPathLayouts(t *testing.T) {
	check := func(t *testing.T, s *service) {
		form := s.create(2)
		for _, i := range s.publish(form, frames("a ä;1.jpg", "b.jpg")...) {
			layout := mediaLayout(t, i)
			if !layout.MatchString(i.MediaURL) || !strings.Contains(i.MediaURL, "/"+form.UUID+"/") {
				t.Errorf("media URL %s has not the layout of storage version %d", i.MediaURL, i.StorageVersion)
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

func Test_2_MediaURLIsABaseForSizesAndFormats(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		i := s.publish(s.create(1), frames("a.jpg")...)[0]
		if strings.HasSuffix(i.MediaURL, "/") {
			t.Errorf("media URL %s has a trailing slash", i.MediaURL)
		}
		for output, want := range map[string]string{"image.webp": "webp", "image.jpg": "jpeg"} {
			img, format := s.fetchImage(i.MediaURL + "/resize;w_160/" + output)
			if format != want || img.Bounds().Dx() != 160 || img.Bounds().Dy() != 120 {
				t.Errorf("%s is %s of %v, want %s of 160 × 120", output, format, img.Bounds().Size(), want)
			}
		}
	})
}

func Test_2_ThumbnailIs320WideWebP(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		i := s.publish(s.create(1), frames("a.jpg")...)[0]
		if i.ThumbnailURL != i.MediaURL+"/resize;w_320/image.webp" {
			t.Errorf("thumbnail URL %s does not continue %s", i.ThumbnailURL, i.MediaURL)
		}
		img, format := s.fetchImage(i.ThumbnailURL)
		if format != "webp" || img.Bounds().Dx() != 320 || img.Bounds().Dy() != 240 {
			t.Errorf("thumbnail is %s of %v, want webp of 320 × 240", format, img.Bounds().Size())
		}
	})
}

func (s *service) fetchImage(link string) (image.Image, string) {
	s.t.Helper()
	if s.strict {
		s.t.Skip("the service serves no media")
	}
	got := s.send("", "", "GET", link, nil)
	img, format, err := image.Decode(bytes.NewReader(got.body))
	if err != nil {
		s.t.Fatalf("%s answers %s: %v", link, got.Status, err)
	}
	return img, format
}

// Section 3: states and transitions.

func Test_3_MediaIsNullUntilFinished(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(2)
		s.upload(form, frames("a.jpg", "b.jpg")...)
		s.must(s.client.FinishUpload(t.Context(), form.UUID))
		processing := s.images(form.UUID)
		if len(processing) == 0 || processing[0].ImageStatus == apiclient.StatusFinished {
			t.Skip("the service is too fast to be seen processing")
		}
		_, err := s.client.SetAltTexts(t.Context(), processing[0].ID, map[string]string{"en": "A shoe"})
		s.must(err)
		for _, i := range s.images(form.UUID) {
			if i.MediaReady || i.MediaURL != "" || i.ThumbnailURL != "" {
				t.Errorf("image %+v is ready although its status is %s", i, i.ImageStatus)
			}
		}
		s.await(form.UUID, apiclient.Status.Finished)
		finished := s.images(form.UUID)
		for n, i := range finished {
			if !i.MediaReady || i.MediaURL == "" || i.ThumbnailURL == "" || i.ID != processing[n].ID {
				t.Errorf("image %+v is not the one that was processing, ready", i)
			}
		}
		if finished[0].AltTexts["en"] != "A shoe" {
			t.Errorf("alt texts %v did not survive processing", finished[0].AltTexts)
		}
	})
}

func Test_3_NullIsWrittenOut(t *testing.T) {
	onOwnService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		s.upload(form, frames("a.jpg")...)
		s.must(s.client.FinishUpload(t.Context(), form.UUID))
		var images []map[string]any
		s.get("/api/v2/products/"+form.UUID+"/images").decode(t, &images)
		for _, name := range []string{"media_url", "thumbnail_url"} {
			if value, given := images[0][name]; !given || value != nil {
				t.Errorf("%s is %v, want null", name, value)
			}
		}
	})
}

func Test_3_RevisionRisesBeforeMediaIsReady(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		s.publish(form, frames("a.jpg")...)
		first := s.status(form.UUID)
		s.upload(s.reupload(form.UUID, 1), frames("b.jpg")...)
		s.must(s.client.FinishUpload(t.Context(), form.UUID))
		second := s.status(form.UUID)
		if second.SourceRevision <= first.SourceRevision {
			t.Errorf("revision %d after a reupload of revision %d", second.SourceRevision, first.SourceRevision)
		}
		if second.Finished() {
			t.Skip("the service is too fast to be seen processing")
		}
		for _, i := range s.images(form.UUID) {
			if i.SourceRevision == second.SourceRevision && i.MediaReady {
				t.Errorf("image %+v is ready while revision %d is %s", i, second.SourceRevision, second.ImageStatus)
			}
		}
	})
}

func Test_3_AReuploadReplacesTheImages(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(2)
		s.publish(form, frames("a.jpg", "b.jpg")...)
		again := s.publish(s.reupload(form.UUID, 3), frames("c.jpg", "d.jpg", "e.jpg")...)
		if len(again) != 3 {
			t.Fatalf("%d images after a reupload of 3", len(again))
		}
		for _, i := range again {
			if !i.MediaReady || i.SourceRevision != s.status(form.UUID).SourceRevision {
				t.Errorf("image %+v does not belong to the new revision", i)
			}
		}
	})
}

// Section 5: authentication.

func Test_5_CredentialsAreNeeded(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
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
			for _, password := range []string{"", "wrong" + s.password} {
				user := s.user
				if password == "" {
					user = ""
				}
				if got := s.send(user, password, call.method, call.path, call.body); got.StatusCode != http.StatusUnauthorized {
					t.Errorf("%s %s with user %q and a wrong password: %s, want 401", call.method, call.path, user, got.Status)
				}
			}
		}
	})
}

func Test_5_StatusIsPublic(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		form := s.create(1)
		var answer apiclient.StatusAnswer
		s.send("", "", "GET", "/api/v2/products/"+form.UUID+"/status", nil).decode(t, &answer)
		if answer.Variant == nil {
			t.Error("the status is kept from the public")
		}
	})
}

// Section 7: errors. Those of each operation are tested with it.

func Test_7_NothingFailsSilently(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		_, err := s.client.ProjectProducts(t.Context(), unknownUUID, apiclient.Filter{})
		if refused := refusal(t, err); refused.Temporary() || refused.MayHaveTakenEffect() {
			t.Errorf("error %v, want one that is permanent and without effect", refused)
		}
	})
}

// Section 9: versioning.

func Test_9_AllPathsHaveTheVersion(t *testing.T) {
	onService(t, func(t *testing.T, s *service) {
		for _, path := range []string{"/api/products", "/api/v1/products", "/api/v3/products"} {
			if got := s.get(path); got.isList() {
				t.Errorf("%s answers %s", path, got.Status)
			}
		}
	})
}
