package sandbox

import (
	"time"

	"spinsync/apiclient"
)

// Product is a product with its history, for tests.
type Product struct {
	apiclient.Product
	Status apiclient.Status
	// Open means that 4.4 has not finished the newest form.
	Open bool
	// Pending are the files stored under the open form, sorted by name.
	Pending []File
	// Revisions are all that 4.4 closed, the oldest first.
	Revisions []Revision
	// Images are those of the newest revision, with their alt texts. Their URLs begin at
	// Options.PublicURL.
	Images []apiclient.Image
}

// Revision is what one 4.4 closed.
type Revision struct {
	Number   uint64
	Finished bool // processed, and not replaced before that
	Files    []File
}

// Products returns everything the sandbox holds of its products, in the order of their creation.
func (s *Server) Products() ([]Product, error) {
	var all []Product
	err := s.store.view(func(tx *tx) error {
		products, err := tx.products()
		if err != nil {
			return err
		}
		for _, p := range products {
			inspected, err := s.inspect(tx, p)
			if err != nil {
				return err
			}
			all = append(all, inspected)
		}
		return nil
	})
	return all, err
}

func (s *Server) inspect(tx *tx, p *product) (Product, error) {
	progress := p.progress(tx.now)
	inspected := Product{Product: p.wire(), Status: progress, Open: !p.Form.Closed}
	pending, err := tx.uploads(p.Form)
	if err != nil {
		return inspected, err
	}
	for _, u := range pending {
		inspected.Pending = append(inspected.Pending, u.file())
	}
	revisions, err := tx.revisions(p.UUID)
	if err != nil {
		return inspected, err
	}
	for _, r := range revisions {
		inspected.Revisions = append(inspected.Revisions, r.inspected(tx.now))
	}
	if p.Newest == nil {
		return inspected, nil
	}
	images, err := tx.images(p.UUID, p.Newest.Revision)
	for _, i := range images {
		inspected.Images = append(inspected.Images, s.wireImage(p, i, progress, s.opts.PublicURL))
	}
	return inspected, err
}

func (r *revision) inspected(now time.Time) Revision {
	return Revision{Number: r.Stage.Revision, Finished: !r.Replaced && r.Stage.ready(now), Files: r.Files}
}

// RemoveProject removes a project and all its products, as people can on a service's own pages: the
// interface has no operation for it.
func (s *Server) RemoveProject(uuid string) error {
	return s.store.update(func(tx *tx) error {
		p, err := tx.project(uuid)
		if err != nil || p == nil {
			return err
		}
		products, err := tx.productsOf(uuid)
		if err != nil {
			return err
		}
		for _, p := range products {
			if err := tx.removeProduct(p); err != nil {
				return err
			}
		}
		if err := tx.Bucket(bucketProjects).Delete([]byte(uuid)); err != nil {
			return err
		}
		return tx.note(Entry{Effect: ProjectRemoved, Project: uuid, Title: p.Title})
	})
}
