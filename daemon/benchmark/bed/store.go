package bed

import (
	"io"
	"net/http"
	"sync/atomic"
)

// Store is an upload host that throws away what it gets. It looks at nothing, so that it costs next
// to nothing.
type Store struct {
	Files, Bytes atomic.Int64 // forms, and their bytes with all that is around the files
}

// ServeHTTP takes a form.
func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		return
	}
	s.Files.Add(1)
	s.Bytes.Add(n)
	w.WriteHeader(http.StatusNoContent)
}
