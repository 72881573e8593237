package apiclient

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A list is read up to a number of elements: in memory the shortest ones take twenty times their text.
func TestAListHasABoundedNumberOfElements(t *testing.T) {
	for name, body := range map[string]string{
		"bare":             `[` + strings.Repeat(`{"id":1},`, maxImages) + `{"id":1}]`,
		"inside an object": `{"images":[` + strings.Repeat(`{"id":1},`, maxImages) + `{"id":1}]}`,
	} {
		s := newService(t, answeringJSON(body))
		_, err := s.client(t).Images(t.Context(), "p-1")
		if e := failure(t, err); !errors.Is(err, errTooMany) || e.Temporary() || !strings.Contains(e.Error(), "more than 20000 entries") {
			t.Errorf("%s: got %v", name, err)
		}
		images, err := appendList([]Image{}, answer{body: []byte(body)}, maxImages+1)
		if err != nil || len(images) != maxImages+1 {
			t.Errorf("%s: %d images, %v", name, len(images), err)
		}
	}
	spent := allocated()
	_, err := appendList([]Image{}, answer{body: []byte(`[` + strings.Repeat(`{"id":1},`, 1<<20) + `{"id":1}]`)}, 1000)
	if spent = allocated() - spent; !errors.Is(err, errTooMany) || spent > 64<<20 {
		t.Errorf("%d bytes were allocated: %v", spent, err)
	}
}

// What is listed twice is one thing, in its last form. Without a name nothing is known to be the
// same.
func TestWhatIsListedTwiceIsOneThing(t *testing.T) {
	pages := []string{
		`[{"uuid":"p-1","title":"Shoe"},{"uuid":"p-2","title":"Boot"}]`,
		`[{"uuid":"p-2","title":"Winter boot"},{"uuid":"p-3"}]`,
	}
	c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("page") == "" {
			w.Header().Set("Link", `<?page=2>; rel="next"`)
			answeringJSON(pages[0])(w, r)
			return
		}
		answeringJSON(pages[1])(w, r)
	})
	products, err := c.Products(t.Context(), Filter{})
	if err != nil || len(products) != 3 || products[1].Title != "Winter boot" || products[2].UUID != "p-3" {
		t.Errorf("%+v, %v", products, err)
	}
	if images := withoutRepeats([]Image{{ID: 7}, {}, {ID: 7, Ordial: 1}, {}}); len(images) != 3 || images[0].Ordial != 1 {
		t.Errorf("%+v", images)
	}
}

// All pages of a list together have bounds of time, size and number.
func TestAListOfManyPagesEnds(t *testing.T) {
	const entry = `[{"uuid":"j-1","title":"Summer"}]`
	for name, test := range map[string]struct {
		wait      time.Duration // for each page
		page      string
		pages     int // read at most
		words     string
		temporary bool
	}{
		"slow":        {50 * time.Second, entry, 20 * 60 / 50, "no complete list", true},
		"large":       {0, entry + strings.Repeat(" ", maxList/4), 4, "longer than", true},
		"without end": {0, `[]`, maxPages, fmt.Sprint(maxPages), false},
	} {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int64 // the last answer may come when the client has given up
			c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
				select {
				case <-time.After(test.wait):
				case <-r.Context().Done():
				}
				w.Header().Set("Link", fmt.Sprintf(`</api/v2/projects?page=%d>; rel="next"`, asked.Add(1)))
				answeringJSON(test.page)(w, r)
			})
			_, err := c.Projects(t.Context())
			e := failure(t, err)
			if pages := int(asked.Load()); pages > test.pages || e.Temporary() != test.temporary || !strings.Contains(e.Error(), test.words) {
				t.Errorf("%s: after %d pages: %v, temporary %v", name, pages, err, e.Temporary())
			}
		})
	}
}

// A text of megabytes is no title: the list that has it is not understood.
func TestAListWithAHugeTextIsNotUnderstood(t *testing.T) {
	for length, understood := range map[int]bool{maxText: true, maxText + 1: false, 8 << 20: false} {
		c := inMemory(t, answeringJSON(`[{"uuid":"j-1","title":"\"`+strings.Repeat("a", length-2)+`"}]`))
		projects, err := c.Projects(t.Context())
		if understood && (err != nil || len(projects) != 1) || !understood && !strings.Contains(failure(t, err).Error(), "text of more than 1024 KiB") {
			t.Errorf("%d bytes: %d projects, %v", length, len(projects), err)
		}
	}
}
