package sandbox

import (
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
)

// The size of a view whose embed request names none, and the largest that can be asked for, in
// pixels.
const (
	defaultWidth, defaultHeight = 800, 600
	maxSide                     = 10000
)

// frame is the space that an embedded view is given. The zero value sizes itself.
type frame struct{ width, height int }

func (f frame) responsive() bool { return f == frame{} }

// iframe has the attributes of interface 4.5.
var iframe = template.Must(template.New("iframe").Parse(
	`<iframe width="{{.Width}}" height="{{.Height}}" src="{{.Source}}" frameborder="0" scrolling="no" ` +
		`style="{{.Style}}" allowfullscreen></iframe>`))

// embed is 4.5.
func (s *Server) embed(w http.ResponseWriter, r *http.Request) error {
	var p *product
	err := s.store.view(func(tx *tx) (err error) {
		p, err = tx.product(r.PathValue("product"))
		return err
	})
	if err != nil {
		return err
	}
	f, err := readFrame(r)
	if err != nil {
		return err
	}
	markup, err := f.markup(s.opts.origin(r) + "/embed/" + f.link(p.EmbedID))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, err = w.Write([]byte(markup))
	return err
}

// readFrame reads the query of 4.5. A responsive view ignores width and height.
func readFrame(r *http.Request) (frame, error) {
	query := r.URL.Query()
	var found problems
	kind := query.Get("type")
	if kind == "responsive" {
		return frame{}, nil
	}
	if kind != "" && kind != "iframe" {
		found.add("type must be iframe or responsive")
	}
	f := frame{
		width:  found.side("width", query.Get("width"), defaultWidth),
		height: found.side("height", query.Get("height"), defaultHeight),
	}
	return f, found.err()
}

// side reads a number of pixels.
func (p *problems) side(name, text string, fallback int) int {
	if text == "" {
		return fallback
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxSide {
		p.add("%s must be a number from 1 to %d", name, maxSide)
	}
	return n
}

func (f frame) markup(source string) (string, error) {
	values := struct{ Width, Height, Source, Style any }{
		f.width, f.height, source, template.CSS("max-width: 100%; border: 0"),
	}
	if f.responsive() {
		values.Width, values.Height = "100%", "100%"
		values.Style = template.CSS("width: 100%; height: auto; aspect-ratio: 4 / 3; border: 0")
	}
	var markup strings.Builder
	err := iframe.Execute(&markup, values)
	return markup.String(), err
}

// link is the embed id of a view in this frame: that of the product, and the size, since the link
// has no query.
func (f frame) link(embedID string) string {
	if f.responsive() {
		return embedID
	}
	return fmt.Sprintf("%s-%dx%d", embedID, f.width, f.height)
}

// parseLink is the reverse of link.
func parseLink(link string) (embedID string, f frame, ok bool) {
	embedID, size, sized := strings.Cut(link, "-")
	if !sized {
		return embedID, f, true
	}
	width, height, _ := strings.Cut(size, "x")
	var found problems
	f = frame{found.side("width", width, 0), found.side("height", height, 0)}
	return embedID, f, len(found) == 0 && f.link(embedID) == link
}
