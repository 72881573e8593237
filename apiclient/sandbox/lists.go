package sandbox

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// listed tells what lists have by now.
func (s *Server) listed(now time.Time) func(life) bool {
	return func(l life) bool {
		gone := !l.isThere() && !now.Before(l.Removed.Add(s.opts.Shapes.RemovedLag))
		return !gone && !now.Before(l.Created.Add(s.opts.Shapes.ListLag))
	}
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
