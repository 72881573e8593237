package sandbox

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// listedProjects are the projects as the list of 4.7 has them.
func (s *Server) listedProjects(tx *tx) ([]*project, error) {
	there, err := tx.projects()
	if err != nil {
		return nil, err
	}
	there = slices.DeleteFunc(there, func(p *project) bool { return !s.isListed(tx, p.Created) })
	removed, err := s.listedRemoved(tx)
	for _, r := range removed {
		if r.Project != nil {
			there = append(there, r.Project)
		}
	}
	slices.SortFunc(there, func(a, b *project) int { return cmp.Compare(a.Seq, b.Seq) })
	return there, err
}

// listedProducts are the products of a project, or of all with "", as the lists of 4.6 and 4.8 have
// them.
func (s *Server) listedProducts(tx *tx, project string) ([]*product, error) {
	there, err := tx.products()
	if err != nil {
		return nil, err
	}
	there = slices.DeleteFunc(there, func(p *product) bool { return !s.isListed(tx, p.Created) })
	removed, err := s.listedRemoved(tx)
	for _, r := range removed {
		if r.Product != nil {
			there = append(there, r.Product)
		}
	}
	slices.SortFunc(there, func(a, b *product) int { return cmp.Compare(a.Seq, b.Seq) })
	return slices.DeleteFunc(there, func(p *product) bool { return project != "" && p.Project != project }), err
}

// isListed reports whether lists already show an object of this creation time.
func (s *Server) isListed(tx *tx, created time.Time) bool {
	return !tx.now.Before(created.Add(s.opts.Shapes.ListLag))
}

// listedRemoved are the removed objects that lists still show.
func (s *Server) listedRemoved(tx *tx) ([]*removed, error) {
	all, err := list[removed](tx.Bucket(bucketRemoved), nil)
	return slices.DeleteFunc(all, func(r *removed) bool {
		return !tx.now.Before(r.At.Add(s.opts.Shapes.RemovedLag))
	}), err
}

// replyList answers a list of 4.6 to 4.8 in the chosen shape.
func replyList[T any](s *Server, w http.ResponseWriter, r *http.Request, all []T) error {
	shapes := s.opts.Shapes
	if shapes.PageSize > 0 {
		all = turnPage(w, r, all, shapes.PageSize)
	}
	if shapes.WrapLists != "" {
		return s.reply(w, http.StatusOK, map[string]any{shapes.WrapLists: all})
	}
	return s.reply(w, http.StatusOK, all)
}

// turnPage picks the page that the query names, from 1 on, and links to the next.
func turnPage[T any](w http.ResponseWriter, r *http.Request, all []T, size int) []T {
	query := r.URL.Query()
	page, err := strconv.Atoi(query.Get("page"))
	if err != nil || page < 1 {
		page = 1
	}
	if page > (len(all)-1)/size { // the last page, or one behind it
		return all[min(min(page-1, len(all))*size, len(all)):]
	}
	query.Set("page", strconv.Itoa(page+1))
	w.Header().Set("Link", fmt.Sprintf(`<%s?%s>; rel="next"`, r.URL.EscapedPath(), query.Encode()))
	return all[(page-1)*size : page*size]
}
