package processtest

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// checkService holds the service against what the folders ever were: no product twice, no project
// twice, and no revision that is not one whole set of its folder.
func checkService(t *testing.T, s *service, shoots []*shoot) {
	t.Helper()
	products := productsOf(t, s, shoots)
	for _, shoot := range shoots {
		mine := products[shoot.sku]
		if len(mine) > 1 {
			t.Errorf("%s is %d products", shoot.sku, len(mine))
		}
		for _, p := range mine {
			for _, r := range p.Revisions {
				if !shoot.has(setOf(r.Files)) {
					t.Errorf("%s, revision %d: the folder never was like that: %v", shoot.sku, r.Number, r.Files)
				}
			}
		}
	}
	journal, err := s.Journal()
	must(t, err)
	projects := 0
	for _, e := range journal {
		switch e.Effect {
		case sandbox.ProjectCreated:
			projects++
		case sandbox.ProductDeleted:
			if !s.mayDelete {
				t.Errorf("product %s was deleted", e.Product)
			}
		}
	}
	if titles := projectsOf(shoots); projects > len(titles) {
		t.Errorf("%d projects were made for %v", projects, titles)
	}
}

func projectsOf(shoots []*shoot) map[string]bool {
	titles := map[string]bool{}
	for _, s := range shoots {
		titles[filepath.Base(filepath.Dir(s.dir))] = true
	}
	return titles
}

// productsOf sorts the service's products by SKU. Each must belong to a shoot.
func productsOf(t *testing.T, s *service, shoots []*shoot) map[string][]sandbox.Product {
	t.Helper()
	all, err := s.Products()
	must(t, err)
	products := map[string][]sandbox.Product{}
	for _, p := range all {
		products[p.SKU] = append(products[p.SKU], p)
		if !slices.ContainsFunc(shoots, func(s *shoot) bool { return s.sku == p.SKU }) {
			t.Errorf("product %q belongs to no folder", p.SKU)
		}
	}
	return products
}

func setOf(files []sandbox.File) set {
	s := set{}
	for _, f := range files {
		s[f.Name] = f.SHA256
	}
	return s
}

// checkState compares the state file of a program that does not run with the service: it is sound,
// and what it records as published was finished with the same content.
func checkState(t *testing.T, i *installation, s *service) {
	t.Helper()
	must(t, syncstate.Check(i.state))
	store, err := syncstate.OpenReadOnly(i.state, i.account())
	must(t, err)
	defer store.Close()
	finished := finishedRevisions(t, s)
	for key := range store.Heads() {
		record, err := store.Record(key)
		must(t, err)
		if record.Published == nil {
			continue
		}
		published := set{}
		for _, f := range record.Published.Frames {
			sum, _ := sums.Load(string(f.Digest))
			published[f.Name], _ = sum.(string)
		}
		was, ok := finished[revision{record.Product.UUID, record.Published.Revision}]
		if !ok || !maps.Equal(was, published) {
			t.Errorf("%s: revision %d is recorded as published, the service finished %v", key, record.Published.Revision, was)
		}
	}
	must(t, store.Err())
}

type revision struct {
	product string
	number  int64
}

func finishedRevisions(t *testing.T, s *service) map[revision]set {
	t.Helper()
	products, err := s.Products()
	must(t, err)
	finished := map[revision]set{}
	for _, p := range products {
		for _, r := range p.Revisions {
			if r.Finished {
				finished[revision{p.UUID, int64(r.Number)}] = setOf(r.Files)
			}
		}
	}
	return finished
}

// published waits until a running daemon has published every folder as it is now, and checks that
// it has.
func published(t *testing.T, i *installation, s *service, shoots []*shoot, patience time.Duration) {
	t.Helper()
	var last status.Status
	var lacks string
	defer func() {
		if t.Failed() {
			t.Logf("%s; the last status was %+v\n%s", lacks, last, i.logTail())
		}
	}()
	wait(t, "everything published", patience, func() bool {
		if status, ok := i.status(); ok {
			last = status
		}
		lacks = lacking(t, s, shoots)
		return lacks == "" && allIn(last, status.Published, len(shoots))
	})
}

func allIn(s status.Status, state status.State, folders int) bool {
	for _, p := range s.Products {
		if p.State != state {
			return false
		}
	}
	return len(s.Products) == folders
}

// lacking names what the newest revisions lack of their folders as they are now.
func lacking(t *testing.T, s *service, shoots []*shoot) string {
	return lackingOf(t, s, shoots, shoots)
}

// lackingOf is lacking for some of the shoots.
func lackingOf(t *testing.T, s *service, all, some []*shoot) string {
	products := productsOf(t, s, all)
	for _, shoot := range some {
		mine := products[shoot.sku]
		if len(mine) != 1 {
			return fmt.Sprintf("%s is %d products", shoot.sku, len(mine))
		}
		if lacks := shoot.lackedBy(mine[0]); lacks != "" {
			return shoot.sku + ": " + lacks
		}
	}
	return ""
}

func (s *shoot) lackedBy(p sandbox.Product) string {
	if len(p.Revisions) == 0 {
		return "nothing was uploaded"
	}
	newest := p.Revisions[len(p.Revisions)-1]
	switch {
	case !newest.Finished:
		return "the newest revision is not finished"
	case !maps.Equal(setOf(newest.Files), s.now):
		return fmt.Sprintf("revision %d is %v, the folder is %v", newest.Number, setOf(newest.Files), s.now)
	case s.title != "" && p.Title != s.title:
		return fmt.Sprintf("the title is %q, not %q", p.Title, s.title)
	case p.Images[0].AltTexts["en"] != s.text:
		return fmt.Sprintf("the text of image 1 is %q, not %q", p.Images[0].AltTexts, s.text)
	}
	return ""
}
