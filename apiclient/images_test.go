package apiclient

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const imageJSON = `{"id":17,"ordial":1,"alt_texts":{"en":"A shoe","de":null,"fr":" "},"source_revision":0,"storage_version":2,` +
	`"image_status":"finished","source":"frame_01.jpg","row":1,"image_group":"rotation","media_ready":true,` +
	`"media_url":"https://m.example.com/a/images/p-1/frame_01.jpg","thumbnail_url":"https://m.example.com/a/images/p-1/frame_01.jpg/resize;w_320/image.webp"}`

func TestImagesAreReadInTheirShapes(t *testing.T) {
	s := newService(t, answeringJSON(`[`+imageJSON+`,{"id":"18","ordial":"2","alt_texts":[],"image_status":"rendering the 3rd time",`+
		`"source_revision":null,"media_ready":false,"media_url":null,"thumbnail_url":null,"name":"removed","x":{"y":[1]}}]`))
	got, err := s.client(t).Images(t.Context(), "p-1")
	want := []Image{
		{ID: 17, Ordial: 1, AltTexts: map[string]string{"en": "A shoe"}, StorageVersion: 2, ImageStatus: "finished",
			Source: "frame_01.jpg", Row: 1, ImageGroup: "rotation", MediaReady: true,
			MediaURL:     "https://m.example.com/a/images/p-1/frame_01.jpg",
			ThumbnailURL: "https://m.example.com/a/images/p-1/frame_01.jpg/resize;w_320/image.webp"},
		{ID: 18, Ordial: 2, AltTexts: map[string]string{}, ImageStatus: "rendering the 3rd time"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

func TestTimesAreReadInTheirShapes(t *testing.T) {
	want := time.Date(2027, 1, 2, 3, 4, 5, 678e6, time.UTC)
	for text, want := range map[string]time.Time{
		`"2027-01-02T03:04:05.678Z"`:      want,
		`"2027-01-02T04:04:05.678+01:00"`: want,
		`"2027-01-02T04:04:05.678+0100"`:  want,
		`"2027-01-02T03:04:05.678"`:       want,
		`"2027-01-02"`:                    time.Date(2027, 1, 2, 0, 0, 0, 0, time.UTC),
		`"yesterday"`:                     {},
		`1700000000`:                      {},
		`null`:                            {},
	} {
		var got Timestamp
		if err := json.Unmarshal([]byte(text), &got); err != nil || !got.Equal(want) {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestSetAltTextsChecksTheEcho(t *testing.T) {
	s := newService(t, answeringJSON(`{"id":"17","variant_uuid":"p-1","alt_texts":{"en":"A shoe"}}`))
	got, err := s.client(t).SetAltTexts(t.Context(), 17, map[string]string{"en": "A shoe", "de": " "})
	want := ImageAltTexts{17, "p-1", map[string]string{"en": "A shoe"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	for _, body := range []string{`{"id":18,"alt_texts":{}}`, `{"alt_texts":{}}`, `{"notice":"OK"}`} {
		s := newService(t, answeringJSON(body))
		_, err := s.client(t).SetAltTexts(t.Context(), 17, nil)
		if e := failure(t, err); !e.MayHaveTakenEffect() {
			t.Errorf("%s: %v", body, e)
		}
	}
}

// A missing revision of what is finished must not pass for revision 0, nor a broken answer for an unknown product.
func TestAStatusHasItsFields(t *testing.T) {
	for body, want := range map[string]*Status{
		`{"variant":{"source_revision":0,"image_status":"finished","x":1},"y":2}`: {0, StatusFinished},
		`{"variant":{"source_revision":"7","image_status":"queued"}}`:             {7, "queued"},
		`{"variant":{"source_revision":0,"image_status":null}}`:                   {0, ""},
		`{"variant":{"source_revision":null,"image_status":null}}`:                {0, ""},
		`{"variant":{"source_revision":null,"image_status":"pending"}}`:           {0, "pending"},
		`{"variant":{"image_status":"pending"}}`:                                  {0, "pending"},

		`{"variant":{"source_revision":null,"image_status":"finished"}}`: nil,
		`{"variant":{"image_status":"finished"}}`:                        nil,
		`{"variant":{"source_revision":1}}`:                              nil,
		`{"variant":{"source_revision":1.5,"image_status":""}}`:          nil,
		`{"variant":{}}`: nil, `{"variant":[]}`: nil, `{}`: nil, `null`: nil,
	} {
		s := newService(t, answeringJSON(body))
		got, err := s.client(t).Status(t.Context(), "p-1")
		if want == nil {
			if e := failure(t, err); !e.Temporary() || e.NotFound() {
				t.Errorf("%s: %v", body, e)
			}
		} else if err != nil || got != *want || got.Finished() != (want.ImageStatus == "finished") {
			t.Errorf("%s: got %v, %v", body, got, err)
		}
	}
	s := newService(t, answering(http.StatusNotModified, "", "")) // to a request without a condition
	if got, err := s.client(t).Status(t.Context(), "p-1"); err == nil {
		t.Errorf("got %v", got)
	}
}

func TestAnUnknownProductIsNotFound(t *testing.T) {
	for _, status := range []int{200, 404} {
		s := newService(t, answering(status, "application/json", `{"variant":null}`))
		_, err := s.client(t).Status(t.Context(), "p-1")
		if e := failure(t, err); !errors.Is(err, ErrUnknownProduct) || !e.NotFound() || e.Temporary() {
			t.Errorf("%d: %v", status, err)
		}
	}
	s := newService(t, answering(404, "text/html", "<html>no such page</html>"))
	if _, err := s.client(t).Status(t.Context(), "p-1"); errors.Is(err, ErrUnknownProduct) {
		t.Error("a wrong address passes for an unknown product")
	}
}
