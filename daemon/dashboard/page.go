package dashboard

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"slices"
	"time"

	"spinsync/daemon/dashboard/qrcode"
	"spinsync/daemon/status"
)

//go:embed templates/*.html
var templateFiles embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"bytes": status.Size, "clock": clock, "counted": counted, "fragments": fragments, "grouped": grouped,
	"iso": func(t time.Time) string { return t.UTC().Format(time.RFC3339) }, "sentence": sentence, "span": span,
	"tableName": tableName, "stateWord": stateWord,
}).ParseFS(templateFiles, "templates/*.html"))

// A page is one HTML document. Its parts are replaced by the script while the page is open.
type page struct {
	Title    string
	Query    string       // the search
	State    status.State // the filter
	Kind     string       // names the template of the page's frame
	Stream   string       // address of the events that keep it up to date
	Looks    string       // changes when an open page must be loaded again
	Tone     tone
	Version  string
	Address  string // for other screens
	ReadOnly bool
	Parts    map[string]template.HTML
}

// A view yields the content of a page at a moment: the data of each part, by the name of the part
// and its template.
type view interface {
	page(m *moment) page
	parts(m *moment) map[string]any
}

// render fills the parts.
func render(parts map[string]any) (map[string]template.HTML, error) {
	filled := make(map[string]template.HTML, len(parts))
	for name, data := range parts {
		var out bytes.Buffer
		if err := pages.ExecuteTemplate(&out, name, data); err != nil {
			return nil, err
		}
		filled[name] = template.HTML(out.String())
	}
	return filled, nil
}

// show answers with a whole page.
func (p *Dashboard) show(w http.ResponseWriter, v view, m *moment) {
	full := v.page(m)
	parts, err := render(v.parts(m))
	if err != nil {
		p.failed(w, err)
		return
	}
	full.Parts, full.Looks, full.Version, full.ReadOnly = parts, p.looks(v, m), p.o.Version, p.o.ReadOnly
	full.Address = p.o.Address
	var out bytes.Buffer
	if err := pages.ExecuteTemplate(&out, "layout", full); err != nil {
		p.failed(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", policy(mediaOf(v, m)))
	out.WriteTo(w)
}

// qrCode is the page's address for the camera of another screen.
func (p *Dashboard) qrCode(w http.ResponseWriter, r *http.Request) {
	if p.o.Address == "" {
		http.NotFound(w, r)
		return
	}
	picture, err := qrcode.SVG(p.o.Address)
	if err != nil {
		p.failed(w, err)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	io.WriteString(w, picture)
}

func (p *Dashboard) failed(w http.ResponseWriter, err error) {
	p.o.Log.Error("dashboard", "error", err)
	http.Error(w, "the page cannot be made; see the log", http.StatusInternalServerError)
}

// looks returns a value that changes when an open page must be loaded again: another program has
// other scripts, and another host for images needs another policy.
func (p *Dashboard) looks(v view, m *moment) string {
	return digestText(fmt.Append(nil, p.o.Version, p.assets, mediaOf(v, m)))
}

// mediaOf are the origins of the images that a page shows: a folder may have been published while
// the service had its media elsewhere.
func mediaOf(v view, m *moment) []string {
	list := m.history.media
	if folder, ok := v.(*folderView); ok {
		for _, f := range folder.details.Frames {
			list = withOrigin(withOrigin(list, f.MediaURL), f.ThumbnailURL)
		}
	}
	return list
}

// withOrigin adds the origin of an address to a list that is not changed.
func withOrigin(list []string, address string) []string {
	const most = 16 // a policy is in a header
	origin := originOf(address)
	if origin == "" || slices.Contains(list, origin) || len(list) >= most {
		return list
	}
	return append(slices.Clip(list), origin)
}
