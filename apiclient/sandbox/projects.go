package sandbox

import (
	"net/http"

	"github.com/google/uuid"

	"spinsync/apiclient"
)

// createProject is 4.1.
func (s *Server) createProject(w http.ResponseWriter, r *http.Request) error {
	body, err := readBody(w, r, "title")
	if err != nil {
		return err
	}
	p := &project{UUID: uuid.NewString()}
	body.require("title")
	body.title(&p.Title)
	if err := body.err(); err != nil {
		return err
	}
	if err := s.store.update(func(tx *tx) error { return tx.addProject(p) }); err != nil {
		return err
	}
	return s.reply(w, http.StatusCreated, p.wire())
}

func (t *tx) addProject(p *project) (err error) {
	p.Created = t.now
	if p.Seq, err = t.Bucket(bucketProjects).NextSequence(); err != nil {
		return err
	}
	if err := t.putProject(p); err != nil {
		return err
	}
	return t.note(Entry{Effect: ProjectCreated, Project: p.UUID, Title: p.Title})
}

// wire is the Project without its number of products.
func (p *project) wire() apiclient.Project {
	return apiclient.Project{UUID: p.UUID, Title: p.Title, CreatedAt: apiclient.Timestamp{Time: p.Created}}
}

// listProjects is 4.7.
func (s *Server) listProjects(w http.ResponseWriter, _ *http.Request) error {
	answer := []apiclient.Project{}
	err := s.store.view(func(tx *tx) error {
		projects, err := tx.projects()
		if err != nil {
			return err
		}
		counts, err := tx.productCounts()
		for _, p := range projects {
			listed := p.wire()
			listed.Products = new(counts[p.UUID])
			answer = append(answer, listed)
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.reply(w, http.StatusOK, answer)
}

func (t *tx) productCounts() (map[string]int, error) {
	products, err := t.products()
	counts := map[string]int{}
	for _, p := range products {
		counts[p.Project]++
	}
	return counts, err
}
