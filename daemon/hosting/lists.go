package hosting

import (
	"context"
	"html"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"

	"spinsync/apiclient"
)

// listLife is how long a list of a project's products serves other folders too. Without that, as
// many lists as there are folders would be read, each as long as the project.
const listLife = 10 * time.Second

// Lists remember for a moment which projects there are, and which products they hold. What a list
// lacks did not exist when it was read; what it holds may be gone since. Times are those of
// Service.Boot: a list ages while the machine sleeps.
type Lists struct {
	reading  KeyedLock // one list of a project at a time; "" is the list of projects
	projects projectList

	mu    sync.Mutex
	known map[string]list           // by project
	sent  map[ProductName]time.Time // when a create of this name was sent
	made  []madeProduct
}

// A madeProduct was made by this process. Lists may lack it for a while.
type madeProduct struct {
	name    ProductName
	product apiclient.Product
	at      time.Time
}

// A ProductName is the identity of a product as far as a service distinguishes it: two folders with
// the same name are the same product.
type ProductName struct{ Project, SKU, title string }

func NewProductName(project, sku, title string) ProductName {
	return ProductName{project, Compared(sku), Compared(title)}
}

// Compared is a name in the form for comparisons. A service may trim it, escape it for HTML, and
// compose its letters otherwise.
func Compared(name string) string {
	return strings.Join(strings.Fields(norm.NFC.String(html.UnescapeString(name))), " ")
}

// SameLetters reports whether two names are the same to the letter, however the letters are
// composed.
func SameLetters(a, b string) bool { return norm.NFC.String(a) == norm.NFC.String(b) }

// A projectList is the list of projects, with the time of its request.
type projectList struct {
	asked    time.Time
	projects []apiclient.Project
}

// A list is the product list of a project, with the time of its request.
type list struct {
	asked    time.Time
	products map[ProductName][]apiclient.Product
}

// serving is the list of a name's project if it is young enough and, for a proof, was asked for after
// the last create of this name was sent. A product in it may be gone: the status tells. Nobody
// changes it any more.
func (l *Lists) serving(name ProductName, now time.Time, proof bool) (is list, serves bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.known[name.Project]
	return known, ok && now.Sub(known.asked) < listLife && (!proof || known.asked.After(l.sent[name]))
}

// Sending notes that a create leaves now. No list that was asked for before proves its absence any
// more.
func (l *Lists) Sending(name ProductName, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sent == nil {
		l.sent = map[ProductName]time.Time{}
	}
	l.sent[name] = now
}

// Made notes the product that a create of a name made. For as long as lists may lack it, it counts as
// listed: another folder may have the same name.
func (l *Lists) Made(name ProductName, product apiclient.Product, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.made = append(l.made, madeProduct{name, product, now})
}

// keep replaces a project's list, with the products that it lacks yet. It forgets the lists that are
// too old and the creates that are older than any list may become.
func (l *Lists) keep(project string, fresh list) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = map[string]list{}
	}
	l.addMade(project, fresh)
	l.known[project] = fresh
	for of, old := range l.known {
		if fresh.asked.Sub(old.asked) >= listLife {
			delete(l.known, of)
		}
	}
	for name, at := range l.sent {
		if fresh.asked.Sub(at) > 2*listLife {
			delete(l.sent, name)
		}
	}
}

// addMade adds to a list of a project what it lacks yet, under whatever name. The mutex is held.
func (l *Lists) addMade(project string, fresh list) {
	l.made = slices.DeleteFunc(l.made, func(m madeProduct) bool { return fresh.asked.Sub(m.at) > Patience() })
	listed := map[string]bool{}
	for _, products := range fresh.products {
		for _, p := range products {
			listed[p.UUID] = true
		}
	}
	for _, m := range l.made {
		if m.name.Project == project && !listed[m.product.UUID] {
			fresh.products[m.name] = append(fresh.products[m.name], m.product)
		}
	}
}

// ProjectsLately lists the projects as of a moment ago. The caller must not change the list.
func (h *Service) ProjectsLately(ctx context.Context) ([]apiclient.Project, error) {
	unlock, err := h.Memory.Lists.reading.Lock(ctx, "")
	if err != nil {
		return nil, err
	}
	defer unlock()
	now := h.Boot()
	if now.Sub(h.Memory.Lists.projects.asked) < listLife {
		return h.Memory.Lists.projects.projects, nil
	}
	projects, err := h.Client.Projects(ctx)
	if err == nil {
		h.Memory.Lists.projects = projectList{now, projects}
	}
	return projects, err
}

// ProductsNamed finds the products of a name. A create without an answer may have made one since
// any list: then fresh asks for a new one.
func (h *Service) ProductsNamed(ctx context.Context, name ProductName, fresh bool) ([]apiclient.Product, error) {
	list, err := h.proving(ctx, name, fresh)
	return list.products[name], err
}

// ProductsLately finds the products of a name as of a moment ago.
func (h *Service) ProductsLately(ctx context.Context, name ProductName) ([]apiclient.Product, error) {
	list, err := h.productsUnless(ctx, name, func(now time.Time) (list, bool) { return h.Memory.Lists.serving(name, now, false) })
	return list.products[name], err
}

// proving is a list that shows whether there are products of a name.
func (h *Service) proving(ctx context.Context, name ProductName, fresh bool) (list, error) {
	return h.productsUnless(ctx, name, func(now time.Time) (list, bool) {
		known, serves := h.Memory.Lists.serving(name, now, true)
		return known, serves && !fresh
	})
}

// productsUnless reads the list of a name's project, one at a time, unless the one from before serves.
func (h *Service) productsUnless(
	ctx context.Context, name ProductName, serving func(now time.Time) (list, bool),
) (list, error) {
	unlock, err := h.Memory.Lists.reading.Lock(ctx, name.Project)
	if err != nil {
		return list{}, err
	}
	defer unlock()
	if known, serves := serving(h.Boot()); serves {
		return known, nil
	}
	fresh := list{asked: h.Boot(), products: map[ProductName][]apiclient.Product{}}
	products, err := h.Client.ProjectProducts(ctx, name.Project, apiclient.Filter{})
	if err != nil {
		return list{}, err
	}
	for _, p := range products {
		of := NewProductName(name.Project, p.SKU, p.Title)
		fresh.products[of] = append(fresh.products[of], p)
	}
	h.Memory.Lists.keep(name.Project, fresh)
	return fresh, nil
}

// Namesakes finds the products that share the SKU or the title of a name that nothing has, as of a
// moment ago.
func (h *Service) Namesakes(ctx context.Context, name ProductName) (found []apiclient.Product, err error) {
	list, err := h.proving(ctx, name, false)
	if err != nil || len(list.products[name]) > 0 {
		return nil, err
	}
	for of, products := range list.products {
		if of.SKU == name.SKU || of.title == name.title {
			found = append(found, products...)
		}
	}
	return found, nil
}
