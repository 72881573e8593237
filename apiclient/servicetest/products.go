package servicetest

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"spinsync/apiclient/sandbox"
)

type product struct {
	uuid, title, sku, manufacturer, year, project string

	created   time.Time
	removed   time.Time  // zero for as long as it is there
	issued    int        // forms
	raised    uint64     // the number of the newest form
	form      *form      // the newest; nil once 4.4 closed it
	revisions []revision // the oldest first
	added     []int64    // ids of pictures that are in no revision
}

func (s *stock) createProject(r *request) (any, error) {
	title, _ := r.fields.text("title")
	p := &project{uuid: s.newUUID(), title: title, created: r.now}
	s.projects = append(s.projects, p)
	s.journal = append(s.journal, sandbox.Entry{
		Time: r.now, Effect: sandbox.ProjectCreated, Project: p.uuid, Title: title,
	})
	return object{"uuid": p.uuid, "title": p.title, "created_at": s.habits.written(p.created)}, nil
}

func (s *stock) listProjects(r *request) (any, error) {
	var list []object
	for _, p := range ordered(s, s.projects, func(p *project) string { return p.uuid }) {
		if !s.lists(p.created, p.removed, r.now) {
			continue
		}
		products := 0
		for _, other := range s.products {
			if other.project == p.uuid && other.removed.IsZero() {
				products++
			}
		}
		list = append(list, object{
			"uuid": p.uuid, "title": p.title, "created_at": s.habits.written(p.created), "products": products,
		})
	}
	return list, nil
}

func (s *stock) projectOf(uuid string) *project {
	i := slices.IndexFunc(s.projects, func(p *project) bool { return p.uuid == uuid && p.removed.IsZero() })
	if i < 0 {
		return nil
	}
	return s.projects[i]
}

func (s *stock) createProduct(r *request) (any, error) {
	p := &product{created: r.now}
	p.set(r.fields)
	p.project, _ = r.fields.text("project")
	if s.projectOf(p.project) == nil {
		return nil, s.habits.notThere("project")
	}
	p.uuid = s.newUUID()
	s.products = append(s.products, p)
	s.note(p, sandbox.Entry{Effect: sandbox.ProductCreated})
	images, _ := r.fields.count()
	return s.newForm(p, images), nil
}

// texts are the fields that are sent, listed and asked for by the same names.
func (p *product) texts() map[string]*string {
	return map[string]*string{"title": &p.title, "sku": &p.sku, "manufacturer": &p.manufacturer, "year": &p.year}
}

// set takes over the fields that a body has, and reports whether any is new.
func (p *product) set(f fields) (changed bool) {
	for name, field := range p.texts() {
		if text, given := f.text(name); given && text != *field {
			*field, changed = text, true
		}
	}
	return changed
}

// productOf finds the product that a request names.
func (s *stock) productOf(r *request) (*product, error) {
	i := slices.IndexFunc(s.products, func(p *product) bool {
		return p.uuid == r.PathValue("product") && p.removed.IsZero()
	})
	if i < 0 {
		return nil, s.habits.notThere("product")
	}
	return s.products[i], nil
}

// listProducts is both 4.6 and 4.8.
func (s *stock) listProducts(r *request) (any, error) {
	project := r.PathValue("project")
	if project != "" && s.projectOf(project) == nil {
		return nil, s.habits.notThere("project")
	}
	var list []object
	for _, p := range ordered(s, s.products, func(p *product) string { return p.uuid }) {
		if project != "" && p.project != project || !s.lists(p.created, p.removed, r.now) || !s.passes(r, p) {
			continue
		}
		list = append(list, object{
			"uuid": p.uuid, "title": p.title, "sku": p.sku, "manufacturer": p.manufacturer, "year": s.habits.year(p.year),
			"project": p.project, "created_at": s.habits.written(p.created),
		})
	}
	return list, nil
}

// lists reports whether lists show a thing that was created and removed at these times.
func (s *stock) lists(created, removed, now time.Time) bool {
	gone := !removed.IsZero() && now.Sub(removed) >= s.options.RemovedLag
	return now.Sub(created) >= s.options.ListLag && !gone
}

func (s *stock) passes(r *request, p *product) bool {
	for name, value := range p.texts() {
		if !s.habits.lets(r.query.Get(name), *value) {
			return false
		}
	}
	return true
}

// updateProduct changes fields, and begins a reupload if images are announced.
func (s *stock) updateProduct(r *request) (any, error) {
	p, err := s.productOf(r)
	if err != nil {
		return nil, err
	}
	if p.set(r.fields) {
		s.note(p, sandbox.Entry{Effect: sandbox.ProductUpdated})
	}
	images, reupload := r.fields.count()
	if !reupload {
		return object{"notice": "OK"}, nil
	}
	credentials := s.newForm(p, images)
	if s.habits.Wrap != "" {
		return object{"notice": "OK", s.habits.Wrap: credentials}, nil
	}
	return credentials, nil
}

func (s *stock) deleteProduct(r *request) (any, error) {
	p, err := s.productOf(r)
	if err != nil {
		return nil, err
	}
	s.remove(p)
	return object{"notice": "OK"}, nil
}

func (s *stock) remove(p *product) {
	p.removed = time.Now()
	s.note(p, sandbox.Entry{Effect: sandbox.ProductDeleted})
}

// RemoveProject removes a project and all its products, as people can on the service's own pages.
func (s *Server) RemoveProject(uuid string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stock.removeProject(uuid)
}

func (s *stock) removeProject(uuid string) error {
	p := s.projectOf(uuid)
	if p == nil {
		return fmt.Errorf("no project %s", uuid)
	}
	for _, held := range s.products {
		if held.project == uuid && held.removed.IsZero() {
			s.remove(held)
		}
	}
	p.removed = time.Now()
	s.journal = append(s.journal, sandbox.Entry{
		Time: time.Now(), Effect: sandbox.ProjectRemoved, Project: uuid, Title: p.title,
	})
	return nil
}

// finishUpload makes a revision of the files that came with the open form.
func (s *stock) finishUpload(r *request) (any, error) {
	p, err := s.productOf(r)
	if err != nil {
		return nil, err
	}
	switch {
	case p.form == nil && s.habits.Again:
		return nil, s.habits.no("there is nothing to finish")
	case p.form == nil:
	case len(p.form.files) != p.form.images && s.habits.WrongCount:
		return nil, s.habits.no("%d of %d files are there", len(p.form.files), p.form.images)
	default:
		s.close(p, r.now)
	}
	switch s.habits.Finish {
	case "nothing":
		return plain{status: http.StatusNoContent}, nil
	case "empty":
		return plain{status: http.StatusOK}, nil
	case "null":
		return plain{status: http.StatusOK, body: "null"}, nil
	case "product":
		return object{"uuid": p.uuid, "title": p.title}, nil
	}
	return object{"notice": "OK"}, nil
}
