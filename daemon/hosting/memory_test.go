package hosting

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
)

// A shelf is a service that lists these products, and counts its lists.
type shelf struct {
	*Service
	products  []apiclient.Product
	lists     int
	meanwhile func() // what happens while a list is on its way; may be nil
}

func newShelf(t *testing.T, products ...apiclient.Product) *shelf {
	t.Helper()
	s := &shelf{products: products}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.lists++
		var list []map[string]string
		for _, p := range s.products {
			list = append(list, map[string]string{"uuid": p.UUID, "title": p.Title, "sku": p.SKU})
		}
		if s.meanwhile != nil {
			s.meanwhile()
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(list)
	}))
	t.Cleanup(server.Close)
	client, err := apiclient.New(apiclient.Options{BaseURL: server.URL, Username: "studio", Password: "the-secret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	s.Service, err = New(client, plantest.Store(t), "", slog.New(slog.DiscardHandler), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func product(uuid, sku, title string) apiclient.Product {
	return apiclient.Product{UUID: uuid, SKU: sku, Title: title}
}

// ids are the products that were found.
func ids(products []apiclient.Product) (uuids []string) {
	for _, p := range products {
		uuids = append(uuids, p.UUID)
	}
	return slices.Sorted(slices.Values(uuids))
}

// TestWhatAListProves: a list of a moment ago proves what the service has of a name, if no create of
// that name was sent since.
func TestWhatAListProves(t *testing.T) {
	name, other := NewProductName("p", "s-1", "Shoe"), NewProductName("p", "s-2", "Boot")
	var l Lists
	asked := time.Now()
	proves := func(of ProductName, now time.Time) bool { _, serves := l.serving(of, now, true); return serves }
	young := func(of ProductName, now time.Time) bool { _, serves := l.serving(of, now, false); return serves }
	if proves(name, asked) || young(name, asked) {
		t.Error("no list proves something")
	}
	l.keep("p", list{asked: asked, products: map[ProductName][]apiclient.Product{other: {product("b", "s-2", "Boot")}}})
	for at, want := range map[time.Duration]bool{0: true, listLife - 1: true, listLife: false} {
		if now := asked.Add(at); proves(name, now) != want || young(name, now) != want || proves(other, now) != want {
			t.Errorf("after %s: proves it %t, and the other %t; young %t", at, proves(name, now), proves(other, now), young(name, now))
		}
	}
	if proves(NewProductName("q", "s-1", "Shoe"), asked) || young(NewProductName("q", "s-1", "Shoe"), asked) {
		t.Error("the list of another project serves")
	}
	for sent, want := range map[time.Duration]bool{-1: true, 0: false, 1: false} {
		l.Sending(name, asked.Add(sent))
		if got := proves(name, asked); got != want {
			t.Errorf("a create sent at %s: proves it %t", sent, got)
		}
	}
}

// TestListIsAsOldAsItsRequest: a create that is sent while a list is on its way may have missed it.
// The list does not prove its absence.
func TestListIsAsOldAsItsRequest(t *testing.T) {
	s, name := newShelf(t), NewProductName("p", "s-1", "Shoe")
	s.meanwhile = func() { s.Memory.Lists.Sending(name, s.Boot()) }
	for want := range 2 {
		found, err := s.ProductsNamed(t.Context(), name, false)
		if err != nil || len(found) != want || s.lists != want+1 {
			t.Errorf("%d lists, %v, %v", s.lists, found, err)
		}
		s.meanwhile, s.products = nil, []apiclient.Product{product("a", "s-1", "Shoe")}
	}
}

// TestListOfProjectsIsAsOldAsItsRequest: what was made while the list was on its way is not in it.
func TestListOfProjectsIsAsOldAsItsRequest(t *testing.T) {
	s := newShelf(t)
	var later atomic.Int64
	s.Boot = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	s.meanwhile = func() { later.Store(int64(listLife)) }
	for want := range 2 {
		if projects, err := s.ProjectsLately(t.Context()); len(projects) != 0 || err != nil || s.lists != want+1 {
			t.Errorf("%d lists, %v, %v", s.lists, projects, err)
		}
	}
}

// TestListsAgeWhileTheMachineSleeps: what was not there before the machine slept may be there now.
func TestListsAgeWhileTheMachineSleeps(t *testing.T) {
	s, name := newShelf(t), NewProductName("p", "s-1", "Shoe")
	ask := func(slept time.Duration) (found int) {
		s.Boot = func() time.Time { return time.Now().Add(slept) }
		products, err := s.ProductsNamed(t.Context(), name, false)
		projects, failed := s.ProjectsLately(t.Context())
		if err != nil || failed != nil || len(products) != len(projects) {
			t.Errorf("%v, %v, %v, %v", products, err, projects, failed)
		}
		return len(products)
	}
	for slept, want := range []int{0, 0, 1} {
		if found := ask(time.Duration(slept) * (listLife - time.Second)); found != want {
			t.Errorf("%d of %d products after sleep %d", found, want, slept)
		}
		s.products = []apiclient.Product{product("a", "s-1", "Shoe")}
	}
}

// TestProjectsLately: folders of a new root share the list of projects of a moment ago.
func TestProjectsLately(t *testing.T) {
	s := newShelf(t, product("a", "", "Summer"))
	for _, test := range []struct {
		age   time.Duration
		lists int
	}{{0, 1}, {listLife - time.Second, 1}, {listLife, 2}} {
		s.Memory.Lists.projects.asked = s.Memory.Lists.projects.asked.Add(-test.age)
		projects, err := s.ProjectsLately(t.Context())
		if err != nil || len(projects) != 1 || projects[0].UUID != "a" || s.lists != test.lists {
			t.Errorf("after %s: %v in %d lists, %v", test.age, projects, s.lists, err)
		}
	}
}

// TestCreatesAreForgotten: a create counts for as long as a list may be older than it.
func TestCreatesAreForgotten(t *testing.T) {
	var l Lists
	now := time.Now()
	l.Sending(NewProductName("p", "old", ""), now.Add(-2*listLife-1))
	l.Sending(NewProductName("p", "young", ""), now.Add(-2*listLife))
	l.keep("p", list{asked: now})
	if _, is := l.sent[NewProductName("p", "young", "")]; !is || len(l.sent) != 1 {
		t.Errorf("%d creates are remembered", len(l.sent))
	}
}

// TestProductsByTheirName: all folders share the list of a moment ago, unless one of them needs a
// fresh one.
func TestProductsByTheirName(t *testing.T) {
	s := newShelf(t, product("a", "s-1", "Shoe"), product("b", "s-1", "Boot"), product("c", "s-2", "Shoe"), product("d", "s-2", "Boot"), product("e", "s-1", "Shoe"))
	missing := NewProductName("p", "s-1", "Clog")
	for i, step := range []struct {
		find  func() ([]apiclient.Product, error)
		want  []string
		lists int
	}{
		{func() ([]apiclient.Product, error) { return s.ProductsNamed(t.Context(), missing, false) }, nil, 1},
		{func() ([]apiclient.Product, error) { return s.ProductsNamed(t.Context(), missing, false) }, nil, 1},
		{func() ([]apiclient.Product, error) { return s.ProductsNamed(t.Context(), missing, true) }, nil, 2},
		{func() ([]apiclient.Product, error) {
			return s.ProductsLately(t.Context(), NewProductName("p", "s-1", "Shoe"))
		}, []string{"a", "e"}, 2},
		{func() ([]apiclient.Product, error) {
			return s.ProductsNamed(t.Context(), NewProductName("p", "s-1", "Shoe"), false)
		}, []string{"a", "e"}, 2},
		{func() ([]apiclient.Product, error) { return s.Namesakes(t.Context(), missing) }, []string{"a", "b", "e"}, 2},
		{func() ([]apiclient.Product, error) {
			return s.Namesakes(t.Context(), NewProductName("p", "s-3", "Boot"))
		}, []string{"b", "d"}, 2},
		{func() ([]apiclient.Product, error) {
			return s.Namesakes(t.Context(), NewProductName("p", "s-1", "Boot"))
		}, nil, 2},
		{func() ([]apiclient.Product, error) {
			return s.ProductsLately(t.Context(), NewProductName("q", "s-1", "Shoe"))
		}, []string{"a", "e"}, 3},
	} {
		found, err := step.find()
		if diff := cmp.Diff(step.want, ids(found)); diff != "" || err != nil || s.lists != step.lists {
			t.Errorf("step %d: %d lists, %v, %s", i, s.lists, err, diff)
		}
	}
}

// TestNoRunBeginsAfterARefusedList: a refusal of a list of images holds back the runs that would
// begin in its project, until a list is given, a person gives a retry, or nobody has met it for
// long.
func TestNoRunBeginsAfterARefusedList(t *testing.T) {
	now := time.Now()
	for name, test := range map[string]struct {
		then    func(*RefusedLists)
		project string
		after   time.Duration
		blocked bool
	}{
		"refused":             {func(*RefusedLists) {}, "p", refusedLife - 1, true},
		"refused long ago":    {func(*RefusedLists) {}, "p", refusedLife, false},
		"refused once more":   {func(r *RefusedLists) { r.Note("p", now.Add(time.Minute), nil) }, "p", refusedLife, true},
		"given since":         {func(r *RefusedLists) { r.End("p") }, "p", 0, false},
		"given of another":    {func(r *RefusedLists) { r.End("q") }, "p", 0, true},
		"a person's word":     {(*RefusedLists).Forget, "p", 0, false},
		"of another project":  {func(*RefusedLists) {}, "q", 0, false},
		"another one refused": {func(r *RefusedLists) { r.Note("q", now.Add(refusedLife-1), nil) }, "p", refusedLife - 1, true},
	} {
		var r RefusedLists
		r.Note("p", now, status.Because(status.ListRefused))
		test.then(&r)
		at := now.Add(test.after)
		blocked := r.Blocked(test.project, at)
		if (blocked != nil) != test.blocked {
			t.Errorf("%s: %v", name, blocked)
		}
		if blocked != nil && (blocked.Kind != outcome.HostNeedsPerson || !blocked.Until.Equal(at.Add(RefusedPause))) {
			t.Errorf("%s: it is blocked as %v until %s", name, blocked.Kind, blocked.Until)
		}
	}
}

// TestNamesToTry: the access key goes under one name but in a trial, where the likeliest is first.
func TestNamesToTry(t *testing.T) {
	form := apiclient.Credentials{Hostname: "up.example.com"}
	for name, test := range map[string]struct {
		fixed, worked string
		trial         bool
		first         string
		several       bool
	}{
		"fixed":                 {"key", "OSSAccessKeyId", false, "key", false},
		"fixed, in a trial":     {"key", "OSSAccessKeyId", true, "key", false},
		"known":                 {"", "OSSAccessKeyId", false, "OSSAccessKeyId", false},
		"known, in a trial":     {"", "OSSAccessKeyId", true, "OSSAccessKeyId", true},
		"not known":             {"", "", false, "", false},
		"not known, in a trial": {"", "", true, "", true},
	} {
		store := plantest.Store(t)
		a, err := newAccessKeys(test.fixed, store)
		if err != nil {
			t.Fatal(err)
		}
		if test.worked != "" {
			a.remember(form.Hostname, test.worked)
		}
		names := a.names(form, test.trial)
		first := test.first
		if first == "" {
			first = form.AccessKeyFields()[0]
		}
		if names[0] != first || (len(names) > 1) != test.several || len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
			t.Errorf("%s: %v", name, names)
		}
		if a.IsKnown(form.Hostname) != (test.first != "") {
			t.Errorf("%s: known %t", name, a.IsKnown(form.Hostname))
		}
	}
}

// TestNameThatWorkedIsRemembered: only a name that was found by an upload, and by none that failed.
func TestNameThatWorkedIsRemembered(t *testing.T) {
	form := apiclient.Credentials{Hostname: "up.example.com"}
	failure := errors.New("reset")
	for name, test := range map[string]struct {
		fixed string
		err   error
		found bool
	}{
		"an upload": {"", nil, true}, "a failure": {"", failure, false}, "a fixed name": {"key", nil, false},
	} {
		a, err := newAccessKeys(test.fixed, plantest.Store(t))
		if err != nil {
			t.Fatal(err)
		}
		sent := ""
		err = a.Upload(form, false, func(c apiclient.Credentials) error { sent = c.AccessKeyField; return test.err })
		if !errors.Is(err, test.err) || sent == "" || (a.Found()[form.Hostname] == sent) != test.found {
			t.Errorf("%s: sent under %q, found %v, %v", name, sent, a.Found(), err)
		}
	}
}

// TestSameLetters: names are the same however their letters are composed, and in the same case
// only.
func TestSameLetters(t *testing.T) {
	for other, want := range map[string]bool{"Ka\u0308se": true, "K\u00e4se": true, "Kase": false, "k\u00e4se": false} {
		if got := SameLetters("K\u00e4se", other); got != want {
			t.Errorf("%q: %t", other, got)
		}
	}
}
