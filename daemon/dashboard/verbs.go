package dashboard

import (
	"errors"
	"net/http"
	"strings"

	"spinsync/syncstate"
)

// A says tells whether a field of the form says yes.
type says func(field string) bool

func plainly(do func(syncstate.Folder) error) func(syncstate.Folder, says) error {
	return func(key syncstate.Folder, _ says) error { return do(key) }
}

// retry is the daemon's, but that a view may be deleted is never said with a click, not even on a page that is out of date.
func (p *Dashboard) retry(key syncstate.Folder, form says) error {
	for _, product := range p.d.Status().Products {
		if product.Key() == key && product.DeleteAsked {
			return errors.New(product.Reason)
		}
	}
	return p.d.Retry(key, form("as_is"))
}

func (p *Dashboard) rush(key syncstate.Folder, form says) error { return p.d.Rush(key, !form("off")) }

// verb does what a person asks for with the folder of the form's id, or with all without one, and leads back to the page
// it was asked on.
func (p *Dashboard) verb(do func(syncstate.Folder, says) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
		var key syncstate.Folder
		if id := r.PostFormValue("id"); id != "" {
			m, _ := p.board.latest()
			found, ok := m.find(id)
			if !ok {
				http.Error(w, "no such product folder", http.StatusNotFound)
				return
			}
			key = found.Key()
		}
		if err := do(key, func(field string) bool { return r.PostFormValue(field) == "yes" }); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		p.board.refresh() // so that a page without script shows what was done
		http.Redirect(w, r, back(r.PostFormValue("back")), http.StatusSeeOther)
	}
}

// back is where a form came from, which is a place of this site and nothing else.
func back(place string) string {
	if !strings.HasPrefix(place, "/") || strings.HasPrefix(place, "//") || strings.ContainsAny(place, "\\\r\n") {
		return "/"
	}
	return place
}
