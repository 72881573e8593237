package servicetest

import (
	"maps"
	"slices"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
)

// note records something that befell a product.
func (s *stock) note(p *product, e sandbox.Entry) {
	e.Time, e.Project, e.Product, e.Title, e.SKU = time.Now(), p.project, p.uuid, p.title, p.sku
	s.journal = append(s.journal, e)
}

// Journal returns every effect in its order, without the end of processing.
func (s *Server) Journal() ([]sandbox.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.stock.journal), nil
}

// Products returns everything the service holds, also what it does not list yet.
func (s *Server) Products() ([]sandbox.Product, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []sandbox.Product
	for _, p := range s.stock.products {
		if p.removed.IsZero() {
			all = append(all, s.stock.truthOf(p))
		}
	}
	return all, nil
}

func (s *stock) truthOf(p *product) sandbox.Product {
	v := s.viewAt(p, len(p.revisions), time.Now())
	truth := sandbox.Product{
		Product: apiclient.Product{
			UUID: p.uuid, Title: p.title, SKU: p.sku, Manufacturer: p.manufacturer, Year: p.year, Project: p.project,
			CreatedAt: apiclient.Timestamp{Time: p.created},
		},
		Status: apiclient.Status{SourceRevision: int64(v.revision), ImageStatus: v.word},
	}
	if p.form != nil {
		truth.Open, truth.Pending = true, p.form.sorted()
	}
	for _, r := range p.revisions {
		truth.Revisions = append(truth.Revisions, sandbox.Revision{
			Number: r.number, Finished: !time.Now().Before(r.ready), Files: r.files,
		})
	}
	for _, i := range v.images {
		truth.Images = append(truth.Images, apiclient.Image{ID: i.id, Source: i.source, AltTexts: maps.Clone(i.texts)})
	}
	return truth
}
