package sandbox

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"spinsync/apiclient"
)

// createProduct is 4.2.
func (s *Server) createProduct(w http.ResponseWriter, r *http.Request) error {
	body, err := readBody(w, r, "title", "sku", "manufacturer", "year", "project", "images")
	if err != nil {
		return err
	}
	p := &product{
		UUID:           uuid.NewString(),
		EmbedID:        strings.ToLower(rand.Text()),
		StorageVersion: s.opts.StorageVersion,
	}
	body.require("title", "sku", "manufacturer", "project", "images")
	body.metadata(p)
	body.text("project", &p.Project)
	images := body.count("images")
	if err := body.err(); err != nil {
		return err
	}
	if err := s.store.update(func(tx *tx) error { return s.addProduct(tx, p, images) }); err != nil {
		return err
	}
	return s.reply(w, http.StatusCreated, s.credentials(p, r))
}

// metadata reads the fields that 4.2 and 4.9 share. A field that is not sent keeps its value.
func (b *body) metadata(p *product) {
	b.title(&p.Title)
	b.text("sku", &p.SKU)
	b.text("manufacturer", &p.Manufacturer)
	b.text("year", &p.Year)
}

func (s *Server) addProduct(tx *tx, p *product, images int) error {
	owner, err := tx.project(p.Project)
	if err != nil {
		return err
	}
	if owner == nil {
		return refuse(http.StatusUnprocessableEntity, "project does not exist")
	}
	p.Created = tx.now
	if p.Seq, err = tx.Bucket(bucketProducts).NextSequence(); err != nil {
		return err
	}
	if err := tx.Bucket(bucketEmbeds).Put([]byte(p.EmbedID), []byte(p.UUID)); err != nil {
		return err
	}
	if err := tx.note(p.entry(ProductCreated)); err != nil {
		return err
	}
	return tx.issueForm(p, 0, images)
}

func (p *product) entry(effect Effect) Entry {
	return Entry{Effect: effect, Project: p.Project, Product: p.UUID, Title: p.Title, SKU: p.SKU}
}

// updateProduct is 4.9.
func (s *Server) updateProduct(w http.ResponseWriter, r *http.Request) error {
	body, err := readBody(w, r, "title", "sku", "manufacturer", "year", "images")
	if err != nil {
		return err
	}
	var updated *product
	err = s.store.update(func(tx *tx) (err error) {
		updated, err = tx.changeProduct(r.PathValue("product"), body)
		return err
	})
	if err != nil {
		return err
	}
	if !body.has("images") {
		return s.reply(w, http.StatusOK, notice)
	}
	return s.reply(w, http.StatusOK, s.credentials(updated, r))
}

func (t *tx) changeProduct(uuid string, body *body) (*product, error) {
	p, err := t.product(uuid)
	if err != nil {
		return nil, err
	}
	before := *p
	body.metadata(p)
	images := body.count("images")
	if err := body.err(); err != nil {
		return nil, err
	}
	if *p != before {
		if err := t.note(p.entry(ProductUpdated)); err != nil {
			return nil, err
		}
	}
	if body.has("images") {
		return p, t.issueForm(p, p.Form.Revision+1, images)
	}
	return p, t.putProduct(p)
}

// deleteProduct is 4.10.
func (s *Server) deleteProduct(w http.ResponseWriter, r *http.Request) error {
	err := s.store.update(func(tx *tx) error {
		p, err := tx.product(r.PathValue("product"))
		if err != nil {
			return err
		}
		return tx.removeProduct(p)
	})
	if err != nil {
		return err
	}
	return s.reply(w, http.StatusOK, notice)
}

func (t *tx) removeProduct(p *product) error {
	if err := t.dropUploads(p.Form); err != nil {
		return err
	}
	for _, stage := range p.stages() {
		if err := t.dropImages(p.UUID, stage.Revision); err != nil {
			return err
		}
	}
	if err := remove(t.Bucket(bucketRevisions), []byte(p.UUID)); err != nil {
		return err
	}
	if err := t.Bucket(bucketEmbeds).Delete([]byte(p.EmbedID)); err != nil {
		return err
	}
	if err := t.Bucket(bucketProducts).Delete([]byte(p.UUID)); err != nil {
		return err
	}
	return t.note(p.entry(ProductDeleted))
}

// listProducts is 4.6, and with a project 4.8.
func (s *Server) listProducts(w http.ResponseWriter, r *http.Request) error {
	answer, query, project := []apiclient.Product{}, r.URL.Query(), r.PathValue("project")
	err := s.store.view(func(tx *tx) error {
		owner, err := tx.project(project)
		if err == nil && owner == nil && project != "" {
			err = refuse(http.StatusNotFound, "there is no such project")
		}
		if err != nil {
			return err
		}
		products, err := tx.products()
		for _, p := range products {
			if (owner == nil || p.Project == project) && p.matches(query) {
				answer = append(answer, p.wire())
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.reply(w, http.StatusOK, answer)
}

func (t *tx) productsOf(project string) ([]*product, error) {
	products, err := t.products()
	return slices.DeleteFunc(products, func(p *product) bool { return p.Project != project }), err
}

func (p *product) wire() apiclient.Product {
	return apiclient.Product{
		UUID: p.UUID, Title: p.Title, SKU: p.SKU, Manufacturer: p.Manufacturer, Year: p.Year,
		Project: p.Project, CreatedAt: apiclient.Timestamp{Time: p.Created},
	}
}

// matches reports whether a product has all values that the query names.
func (p *product) matches(query url.Values) bool {
	for name, value := range map[string]string{
		"title": p.Title, "sku": p.SKU, "manufacturer": p.Manufacturer, "year": p.Year,
	} {
		if query.Has(name) && value != query.Get(name) {
			return false
		}
	}
	return true
}
