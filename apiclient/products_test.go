package apiclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCredentialsAreFoundWherever(t *testing.T) {
	for _, body := range []string{
		formJSON,
		`{"product":` + formJSON + `}`,
		`{"notice":"OK","errors":[],"upload":{"n":1,"credentials":` + formJSON + `}}`,
		strings.Replace(formJSON, `"uuid":"p-1",`, "", 1),
		strings.Replace(formJSON, `{`, `{"images":36,"more":{"policy":"inner"},`, 1),
		`[` + formJSON + `]`, `{"uploads":[{"id":1},` + formJSON + `]}`,
	} {
		s := newService(t, answeringJSON(body))
		form, err := s.client(t).Reupload(t.Context(), "p-1", ProductUpdate{}, 36)
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if form != testForm("up.example.com") {
			t.Errorf("%s: got %#v", body, form)
		}
	}
}

func TestAReuploadWithoutCredentialsNeedsAPerson(t *testing.T) {
	for _, body := range []string{
		`{"notice":"OK"}`, `[]`, `null`, `{"policy":{}}`, `["policy"]`,
	} {
		s := newService(t, answeringJSON(body))
		_, err := s.client(t).Reupload(t.Context(), "p-1", ProductUpdate{}, 36)
		if e := failure(t, err); e.Temporary() || !e.MayHaveTakenEffect() || !strings.Contains(e.Error(), "no usable upload credentials") {
			t.Errorf("%s: %v, temporary %v", body, e, e.Temporary())
		}
	}
}

func TestAMissingCredentialIsNamed(t *testing.T) {
	for _, name := range []string{"uuid", "path", "policy", "signature", "hostname", "access_key_id", "acl"} {
		var object map[string]any
		if err := json.Unmarshal([]byte(formJSON), &object); err != nil {
			t.Fatal(err)
		}
		for _, value := range []any{"", nil} {
			object[name] = value
			body, _ := json.Marshal(object)
			s := newService(t, answeringJSON(string(body)))
			_, err := s.client(t).CreateProduct(t.Context(), NewProduct{})
			if e := failure(t, err); !strings.HasSuffix(e.Error(), "has no "+name) || !e.MayHaveTakenEffect() {
				t.Errorf("%s: %v", body, e)
			}
		}
	}
}

func TestListsInTheirShapes(t *testing.T) {
	product := `{"uuid":"p-1","title":"Shoe","sku":17,"manufacturer":null,"year":2027,"project":"j-1","created_at":"2027-01-02T03:04:05.678Z","more":{}}`
	want := []Product{{UUID: "p-1", Title: "Shoe", SKU: "17", Year: "2027", Project: "j-1",
		CreatedAt: Timestamp{time.Date(2027, 1, 2, 3, 4, 5, 678e6, time.UTC)}}}
	for body, want := range map[string][]Product{
		`[]`:                             {},
		`[` + product + `]`:              want,
		" [" + product + "\n]\n":         want,
		"\ufeff[" + product + "]":        want,
		`{"products":[` + product + `]}`: want,
		`{"uuid":"j-1","errors":[],"products":[` + product + `],"page":1}`: want,
		`{"products":[]}`: {},
		`null`:            {},
	} {
		s := newService(t, answeringJSON(body))
		got, err := s.client(t).Products(t.Context(), Filter{})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", body, err, diff)
		}
	}
	for _, body := range []string{
		``, `{}`, `7`, `"x"`, `[null]`, `[{}]`, `[[]]`, `[{"uuid":""}]`, `[{"uuid":1}]`, `{"a":[],"b":[]}`, `{"products":null}`,
		`[` + product, `[` + product + `] x`,
	} {
		s := newService(t, answeringJSON(body))
		if got, err := s.client(t).Products(t.Context(), Filter{}); err == nil {
			t.Errorf("%s was read as %v", body, got)
		}
	}
}

func TestNoContentIsAnEmptyList(t *testing.T) {
	s := newService(t, answering(204, "", ""))
	if got, err := s.client(t).Projects(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("got %v, %v", got, err)
	}
}

// The interface shows lists without pages. Where a service has some, each usual way to announce them
// is followed, with the query of the first page.
func TestPagesInTheirShapes(t *testing.T) {
	const list = `[{"uuid":"p-%d"}]`
	shapes := map[string]func(w http.ResponseWriter, page int) string{
		"next": func(_ http.ResponseWriter, n int) string {
			return `{"results":` + list + `,"count":3,"next":` + pageLink(n) + `}`
		},
		"links": func(_ http.ResponseWriter, n int) string {
			return `{"data":` + list + `,"links":{"next":` + pageLink(n) + `}}`
		},
		"hal": func(_ http.ResponseWriter, n int) string {
			return `{"items":` + list + `,"_links":{"next":{"href":` + pageLink(n) + `}}}`
		},
		"total pages": func(_ http.ResponseWriter, n int) string {
			return fmt.Sprintf(`{"data":`+list+`,"meta":{"current_page":%d,"total_pages":3}}`, n, n)
		},
		"pagination in meta": func(_ http.ResponseWriter, n int) string {
			return fmt.Sprintf(`{"data":`+list+`,"meta":{"pagination":{"total":3,"count":1,"current_page":%d,"total_pages":3}}}`, n, n)
		},
		"page info": func(_ http.ResponseWriter, n int) string {
			return fmt.Sprintf(`{"currentPage":%d,"data":`+list+`,"page":{"size":1,"totalPages":3}}`, n, n)
		},
		"last page": func(_ http.ResponseWriter, n int) string {
			return fmt.Sprintf(`{"currentPage":%d,"lastPage":3,"data":`+list+`}`, n, n)
		},
		"next page": func(_ http.ResponseWriter, n int) string {
			return fmt.Sprintf(`{"data":`+list+`,"meta":{"next_page":%s}}`, n, []string{"2", "3", "null"}[n-1])
		},
		"Link": func(w http.ResponseWriter, n int) string {
			next := `; title="x"; rel="last next"`
			if n == 3 {
				next = `; rel="prev"`
			}
			w.Header().Set("Link", fmt.Sprintf(`</api/v2/products?page=1>; rel="first", </api/v2/products?sku=S+1&page=%d&a=1,2>%s`, n+1, next))
			return list
		},
		"Link and the number of pages": func(w http.ResponseWriter, n int) string {
			w.Header().Set("Total-Pages", "3")
			if n < 3 {
				w.Header().Set("Link", fmt.Sprintf(`</api/v2/products?sku=S+1&page=%d>; rel="next"`, n+1))
			}
			return list
		},
		"headers": func(w http.ResponseWriter, n int) string {
			w.Header().Set("X-Total-Count", "3")
			w.Header().Set("X-Next-Page", []string{"2", "3", ""}[n-1])
			return list
		},
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			s := newService(t, func(w http.ResponseWriter, r *http.Request) {
				page := 1
				fmt.Sscan(r.URL.Query().Get("page"), &page)
				body := strings.ReplaceAll(shape(w, page), "%d", fmt.Sprint(page))
				answeringJSON(body)(w, r)
			})
			got, err := s.client(t).Products(t.Context(), Filter{SKU: "S 1"})
			if err != nil || len(got) != 3 || got[2].UUID != "p-3" {
				t.Errorf("got %v, %v", got, err)
			}
			for _, seen := range s.requests() {
				if !strings.Contains(seen.uri, "sku=S+1") {
					t.Errorf("asked for %q", seen.uri)
				}
			}
		})
	}
}

// pageLink is the address of the page that follows one of three.
func pageLink(page int) string {
	if page == 3 {
		return "null"
	}
	return fmt.Sprintf(`"/api/v2/products?sku=S+1&page=%d"`, page+1)
}

// What a list lacks would be made a second time.
func TestAPartOfAListIsNoList(t *testing.T) {
	for _, body := range []string{
		`{"data":[{"uuid":"p-1"}],"total":2}`, `{"data":[{"uuid":"p-1"}],"meta":{"total_count":2}}`, `{"data":[],"has_more":true}`,
		`{"data":[],"meta":{"next_cursor":"x"}}`, `{"data":[],"pageInfo":{"hasNextPage":true}}`, `{"data":[{"uuid":"p-1"}],"current_page":1,"total_pages":2}`,
		`{"data":[{"uuid":"p-1"}],"total_pages":2}`, `{"data":[{"uuid":"p-1"}],"page":0,"total_pages":2}`,
		`{"content":[{"uuid":"p-1"}],"totalElements":2}`, `{"content":[{"uuid":"p-1"}],"number":0,"last":false}`,
		`{"data":[{"uuid":"p-1"}],"total":"2"}`, `{"data":[],"meta":{"next_cursor":"120"}}`, `{"data":[],"next_cursor":120}`,
		`{"data":[{"uuid":"p-1"}],"page":"1","pages":"2"}`, `{"data":[{"uuid":"p-1"}],"totalPages":2,"lastPage":false}`,
		`{"data":[{"uuid":"p-1"}],"total_pages":2,"last_page":null}`, `{"data":[{"uuid":"p-1"}],"number":0,"lastPage":false}`,
		`{"data":[{"uuid":"p-1"}],"isLast":false}`,
	} {
		s := newService(t, answeringJSON(body))
		_, err := s.client(t).Products(t.Context(), Filter{})
		if e := failure(t, err); !e.Temporary() {
			t.Errorf("%s: %v", body, e)
		}
	}
	for name, value := range map[string]string{
		"X-Total-Count": "2", "Total-Count": "2", "Total": "2", "X-Total-Pages": "2", "Content-Range": "products 0-0/2",
	} {
		s := newService(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(name, value)
			answeringJSON(`[{"uuid":"p-1"}]`)(w, r)
		})
		if got, err := s.client(t).Products(t.Context(), Filter{}); err == nil {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// What other objects next to a list count is not the list.
func TestCountsOfOtherObjectsAreNotTheLists(t *testing.T) {
	for _, beside := range []string{
		`"meta":{"usage":{"count":900}}`, `"usage":{"total":900,"has_more":true}`, `"account":{"page":1,"pages":9,"next":"/api/v2/x"}`,
	} {
		s := newService(t, answeringJSON(`{"products":[{"uuid":"p-1"}],`+beside+`}`))
		if got, err := s.client(t).Products(t.Context(), Filter{}); err != nil || len(got) != 1 || len(s.requests()) != 1 {
			t.Errorf("%s: got %v, %v", beside, got, err)
		}
	}
}

func TestPagesElsewhereAreNotFollowed(t *testing.T) {
	other := newService(t, answeringJSON(`[]`))
	for _, link := range []string{
		other.URL + "/api/v2/projects", "//example.com/api/v2/projects", "/login", "/api/v2/projects",
		"https://u:p@example.com/", "http://%zz",
	} {
		s := newService(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", "<"+link+`>; rel=next`)
			answeringJSON(`[]`)(w, r)
		})
		if got, err := s.client(t).Projects(t.Context()); err == nil {
			t.Errorf("%s: got %v", link, got)
		}
	}
	if n := len(other.requests()); n != 0 {
		t.Errorf("%d requests went elsewhere", n)
	}
}

func TestWhatDoesNotExistIsNotFound(t *testing.T) {
	for _, status := range []int{404, 410} {
		s := newService(t, answering(status, "application/json", `{"errors":["Not found"]}`))
		if e := failure(t, s.client(t).DeleteProduct(t.Context(), "p-1")); !e.NotFound() || e.Temporary() || e.MayHaveTakenEffect() {
			t.Errorf("got %v", e)
		}
	}
}

func TestADownloadIsWrittenWhole(t *testing.T) {
	archive := "PK\x05\x06" + strings.Repeat("\x00", 1<<20)
	s := newService(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		io.WriteString(w, archive)
	})
	var got bytes.Buffer
	n, err := s.client(t).DownloadSources(t.Context(), "p-1", &got)
	if err != nil || n != int64(len(archive)) || got.String() != archive {
		t.Errorf("got %d bytes, %v", n, err)
	}
}

func TestADownloadThatIsCutOffIsTemporary(t *testing.T) {
	s := newService(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100000")
		io.WriteString(w, "PK\x03\x04"+strings.Repeat("x", 50000))
	})
	n, err := s.client(t).DownloadSources(t.Context(), "p-1", io.Discard)
	if e := failure(t, err); !e.Temporary() || e.Local() || n != 50004 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %d bytes, %v", n, e)
	}
}

// full is a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestAFullDiskIsALocalFailure(t *testing.T) {
	s := newService(t, answering(200, "application/zip", "PK\x03\x04"))
	_, err := s.client(t).DownloadSources(t.Context(), "p-1", full{})
	if e := failure(t, err); !e.Local() || !strings.Contains(e.Error(), "no space left") {
		t.Errorf("got %v", e)
	}
}

func TestADownloadEndsWhenNothingComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "PK\x03\x04")
			for range 5 { // slow, but alive
				<-time.After(50 * time.Second)
				io.WriteString(w, "x")
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
		})
		begun := time.Now()
		_, err := c.DownloadSources(t.Context(), "p-1", io.Discard)
		if took := time.Since(begun); took != 310*time.Second || !failure(t, err).Temporary() {
			t.Errorf("ended after %v with %v", took, err)
		}
	})
}

// An upload form that names another product is not used. It may be asked for again.
func TestAFormOfAnotherProductIsNotUsed(t *testing.T) {
	const ours, theirs = "1b4e28ba-2fa1-41d2-883f-0016d3cca427", "6fa459ea-ee8a-4ca4-894e-db77e160355e"
	for named, other := range map[string]bool{theirs: true, ours: false, strings.ToUpper(ours): false, "": false} {
		s := newService(t, answeringJSON(`{"uuid":"`+named+`","path":"p","policy":"p","signature":"s",
			"hostname":"up.example.com","access_key_id":"k","acl":"private"}`))
		_, err := s.client(t).Reupload(t.Context(), ours, ProductUpdate{}, 36)
		if errors.Is(err, ErrOtherAnswer) != other || !other && err != nil {
			t.Errorf("a form that names %q: %v", named, err)
		}
		if e := (*Error)(nil); errors.As(err, &e) && (!e.Temporary() || !e.MayHaveTakenEffect()) {
			t.Errorf("a form that names %q: %v is not tried again", named, err)
		}
	}
}
