// Package viewer renders the page behind an embed link (interface 4.5). Call
// Page with a View, and send it with Policy. The page is a 360° view
// that turns with mouse, touch, keys and a play button, or a video that
// plays. It is one HTML document without requests other than those for the
// images, works alone and framed, and shows the first image without script.
//
// It takes every title, alt text and address as written by a stranger. It does
// not choose images, sizes or languages, and sets no HTTP headers.
package viewer

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

// View is what a page shows: Frames in the order of the turn, or a video.
// With neither the page has a note that nothing is published yet.
type View struct {
	Title    string
	Frames   []Frame
	VideoURL string // wins over Frames
	// Width and Height bound the view, in CSS pixels; 0 is no bound. A Responsive
	// view ignores them and fills the window.
	Width, Height int
	Responsive    bool
}

// Frame is one image of the turn. Thumb is a small version of it; Alt may be empty.
type Frame struct {
	URL   string `json:"url"`
	Thumb string `json:"-"`
	Alt   string `json:"alt"`
}

//go:embed page.html viewer.css viewer.js
var files embed.FS

var page = template.Must(template.ParseFS(files, "page.html"))

// Page writes the document. It carries its own policy, that of Policy.
func Page(w io.Writer, v View) error {
	return page.Execute(w, document{v, template.CSS(text("viewer.css")), template.JS(text("viewer.js"))})
}

// Policy is the Content-Security-Policy of the page: nothing but its own style
// and script, and images and videos from anywhere. It may be framed by anyone.
func Policy() string {
	return fmt.Sprintf(
		"default-src 'none'; style-src %s; script-src %s; img-src http: https:; media-src http: https:; "+
			"base-uri 'none'; form-action 'none'", digest(text("viewer.css")), digest(text("viewer.js")))
}

// document is what the template sees.
type document struct {
	View   View
	Style  template.CSS
	Script template.JS
}

func (document) Policy() string { return Policy() }

// Icon is a small picture of the first frame, empty without one.
func (d document) Icon() string {
	if len(d.View.Frames) == 0 {
		return ""
	}
	return d.View.Frames[0].Thumb
}

// Bound is a limit of the view in CSS pixels, 0 where there is none.
func (d document) Bound(side int) int {
	if d.View.Responsive {
		return 0
	}
	return side
}

// text returns an embedded file; it is there, or the program would not have been built.
func text(name string) string {
	content, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(content)
}

func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
