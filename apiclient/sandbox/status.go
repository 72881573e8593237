package sandbox

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"time"

	"spinsync/apiclient"
)

// progress is what 4.14 tells of a product, and each of its images in 4.12.
func (s *Shapes) progress(p *product, now time.Time) apiclient.Status {
	newest := s.told(p, now)
	switch {
	case newest == nil, s.RaiseEarly && (!p.Form.Closed || newest != p.Newest):
		return apiclient.Status{SourceRevision: int64(s.pendingRevision(p)), ImageStatus: s.PendingWord}
	case newest.ready(now):
		return apiclient.Status{SourceRevision: int64(newest.Revision), ImageStatus: apiclient.StatusFinished}
	}
	return apiclient.Status{SourceRevision: int64(newest.Revision), ImageStatus: s.processingWord(newest, now)}
}

// told is the newest revision that is spoken of, or nil.
func (s *Shapes) told(p *product, now time.Time) *stage {
	if p.Newest != nil && now.Before(p.Newest.Uploaded.Add(s.FinishLag)) {
		return p.Before
	}
	return p.Newest
}

func (s *Shapes) pendingRevision(p *product) uint64 {
	if s.RaiseEarly {
		return p.Form.Revision
	}
	return s.FirstRevision
}

// processingWord gives each word the same share of the time. The clock may have been set back.
func (s *Shapes) processingWord(newest *stage, now time.Time) string {
	passed, whole := now.Sub(newest.Uploaded), newest.Ready.Sub(newest.Uploaded)
	index := int(float64(len(s.ProcessingWords)) * float64(passed) / float64(whole))
	return s.ProcessingWords[min(max(index, 0), len(s.ProcessingWords)-1)]
}

// status is 4.14. The answer may be kept, but must be asked for again each time, which the ETag
// makes cheap.
func (s *Server) status(w http.ResponseWriter, r *http.Request) error {
	var answer apiclient.StatusAnswer
	err := s.view(func(tx *tx) error {
		p, err := tx.productIfThere(r.PathValue("product"))
		if p != nil {
			answer.Variant = new(s.opts.Shapes.progress(p, tx.now))
		}
		return err
	})
	if err != nil {
		return err
	}
	data, err := s.opts.Shapes.encode(answer)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", jsonType)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(data)))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	return nil
}
