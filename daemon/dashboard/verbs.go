package dashboard

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"spinsync/daemon"
	"spinsync/syncstate"
)

// A verb does what a form asks for with one product folder, or with all of them for the zero
// Folder.
type verb func(key syncstate.Folder, form url.Values) error

func (p *Dashboard) plainly(v daemon.Verb) verb {
	return func(key syncstate.Folder, _ url.Values) error { return p.d.Do(v, key) }
}

// retry is the daemon's verb, except that it never permits the deletion of a view, not even on a page
// that is out of date. Only forget permits it, with a button of its own.
func (p *Dashboard) retry(key syncstate.Folder, form url.Values) error {
	for _, product := range p.d.Daemon().Status().Products {
		if product.Key() == key && product.DeleteAsked {
			return errors.New(product.Reason)
		}
	}
	if form.Has("as_is") {
		return p.d.Do(daemon.RetryAsIs, key)
	}
	return p.d.Do(daemon.Retry, key)
}

func (p *Dashboard) rush(key syncstate.Folder, form url.Values) error {
	if form.Has("off") {
		return p.d.Do(daemon.EndPriority, key)
	}
	return p.d.Do(daemon.Prioritize, key)
}

// forget is for a folder that is gone, and that is shown so: a folder that came back keeps its view.
func (p *Dashboard) forget(key syncstate.Folder, form url.Values) error {
	for _, product := range p.d.Daemon().Status().Products {
		if product.Key() != key || !product.Gone {
			continue
		}
		if form.Has("delete_view") {
			return p.d.Do(daemon.DeleteView, key)
		}
		return p.d.Do(daemon.Forget, key)
	}
	return errors.New("the folder is not gone; only one that is gone can be forgotten")
}

// reload is for the program as a whole.
func (p *Dashboard) reload(key syncstate.Folder, _ url.Values) error {
	if key != (syncstate.Folder{}) {
		return errors.New("sync.toml is read again for all folders, and not for one")
	}
	p.o.Reload()
	return nil
}

// verb answers a form that asks for do, and leads back to the page with the form. The form may have
// these fields in addition to those that all forms have.
func (p *Dashboard) verb(do verb, fields ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
		form, err := readForm(r, fields)
		if err != nil {
			http.Error(w, err.Error()+"; a form names a product folder by id, or all by all=yes", http.StatusBadRequest)
			return
		}
		m, _ := p.board.latest()
		found, ok := m.find(form.Get("id"))
		if !ok && !form.Has("all") {
			http.Error(w, "no such product folder", http.StatusNotFound)
			return
		}
		if err := do(found.Key(), form); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		p.board.refresh() // so that a page without script shows the result
		http.Redirect(w, r, back(form.Get("back")), http.StatusSeeOther)
	}
}

// readForm returns the form of a verb, which has either an id or all=yes. Any other form is an
// error: a field that is absent, or that is not understood, must not do more than was asked for.
func readForm(r *http.Request, fields []string) (url.Values, error) {
	if r.URL.RawQuery != "" {
		return nil, errors.New("the address has a query")
	}
	if err := r.ParseForm(); err != nil {
		return nil, fmt.Errorf("the form cannot be read: %w", err)
	}
	form := r.PostForm
	if form.Has("id") == form.Has("all") {
		return nil, errors.New("the form does not say which folders it means")
	}
	for name, values := range form {
		if len(values) != 1 || !allowed(name, values[0], fields) {
			return nil, fmt.Errorf("the form's field %q has no meaning here", name)
		}
	}
	return form, nil
}

// allowed reports whether a form may have a field with this value.
func allowed(name, value string, fields []string) bool {
	switch name {
	case "id":
		return value != ""
	case "back":
		return true
	}
	return value == "yes" && (name == "all" || slices.Contains(fields, name))
}

// back is where a form came from, which is a place of this site and nothing else.
func back(place string) string {
	if !strings.HasPrefix(place, "/") || strings.HasPrefix(place, "//") || strings.ContainsAny(place, "\\\r\n") {
		return "/"
	}
	return place
}
