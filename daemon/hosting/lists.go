package hosting

import (
	"context"
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
}

// A ProductName is the identity of a product as far as a service distinguishes it: two folders with
// the same name are the same product.
type ProductName struct{ Project, SKU, title string }

func NewProductName(project, sku, title string) ProductName {
	return ProductName{project, Compared(sku), Compared(title)}
}

// Compared is a name in the form for comparisons. A service may trim it and may compose its letters
// otherwise.
func Compared(name string) string { return strings.Join(strings.Fields(norm.NFC.String(name)), " ") }

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

// proves reports whether there is a list that is young enough, and was asked for after the last
// create of this name was sent. A product in it may be gone: the status tells.
func (l *Lists) proves(name ProductName, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.known[name.Project]
	return ok && now.Sub(known.asked) < listLife && known.asked.After(l.sent[name])
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

// young reports whether there is a list of the name's project that serves other folders too.
func (l *Lists) young(name ProductName, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.known[name.Project]
	return ok && now.Sub(known.asked) < listLife
}

// newest is the newest list of a project. Nobody changes it any more.
func (l *Lists) newest(project string) list {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[project]
}

// keep replaces a project's list, and forgets the lists that are too old and the creates that are
// older than any list may become.
func (l *Lists) keep(project string, fresh list) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = map[string]list{}
	}
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
	list, err := h.productsUnless(ctx, name, func(now time.Time) bool { return h.Memory.Lists.young(name, now) })
	return list.products[name], err
}

// proving is a list that shows whether there are products of a name.
func (h *Service) proving(ctx context.Context, name ProductName, fresh bool) (list, error) {
	return h.productsUnless(ctx, name, func(now time.Time) bool { return !fresh && h.Memory.Lists.proves(name, now) })
}

// productsUnless reads the list of a name's project, one at a time, unless the one from before serves.
func (h *Service) productsUnless(ctx context.Context, name ProductName, serves func(now time.Time) bool) (list, error) {
	unlock, err := h.Memory.Lists.reading.Lock(ctx, name.Project)
	if err != nil {
		return list{}, err
	}
	defer unlock()
	if serves(h.Boot()) {
		return h.Memory.Lists.newest(name.Project), nil
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
