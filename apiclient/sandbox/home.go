package sandbox

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"

	"spinsync/apiclient"
)

//go:embed home.html
var homeSource string

var homePage = template.Must(template.New("home").Parse(homeSource))

// homeProject is a project on the front page.
type homeProject struct {
	Title    string
	Products []homeProduct
}

type homeProduct struct {
	Title, SKU, View string
	Status           apiclient.Status
}

// showHome is the front page: it explains the sandbox and lists the products.
func (s *Server) showHome(w http.ResponseWriter, _ *http.Request) error {
	projects, err := s.homeProjects()
	if err != nil {
		return err
	}
	var html bytes.Buffer
	if err := homePage.Execute(&html, projects); err != nil {
		return err
	}
	return writePage(w, &html,
		"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
}

// writePage answers with a page that may do no more than its policy allows.
func writePage(w http.ResponseWriter, html *bytes.Buffer, policy string) error {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-cache")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", policy)
	_, err := html.WriteTo(w)
	return err
}

func (s *Server) homeProjects() (all []homeProject, err error) {
	err = s.store.view(func(tx *tx) error {
		projects, err := tx.projects()
		if err != nil {
			return err
		}
		for _, p := range projects {
			products, err := tx.productsOf(p.UUID)
			if err != nil {
				return err
			}
			listed := homeProject{Title: p.Title}
			for _, p := range products {
				listed.Products = append(listed.Products, homeProduct{p.Title, p.SKU, "/embed/" + p.EmbedID, p.progress(tx.now)})
			}
			all = append(all, listed)
		}
		return nil
	})
	return all, err
}
