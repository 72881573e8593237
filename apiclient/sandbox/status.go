package sandbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"spinsync/apiclient"
)

// progress is the answer to 4.14 for a product, and to 4.12 for each of its images.
func (p *product) progress(now time.Time) apiclient.Status {
	switch {
	case p.Newest == nil:
		return apiclient.Status{ImageStatus: "pending"}
	case p.Newest.ready(now):
		return apiclient.Status{SourceRevision: int64(p.Newest.Revision), ImageStatus: apiclient.StatusFinished}
	}
	return apiclient.Status{SourceRevision: int64(p.Newest.Revision), ImageStatus: "processing"}
}

// status is 4.14. The answer may be kept, but must be asked for again each time, which the ETag
// makes cheap.
func (s *Server) status(w http.ResponseWriter, r *http.Request) error {
	var answer apiclient.StatusAnswer
	err := s.store.view(func(tx *tx) error {
		p, err := tx.productIfThere(r.PathValue("product"))
		if p != nil {
			answer.Variant = new(p.progress(tx.now))
		}
		return err
	})
	if err != nil {
		return err
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", jsonType)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(data)))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	return nil
}
