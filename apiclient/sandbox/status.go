package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
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
		p, err := get[product](tx.Bucket(bucketProducts), []byte(r.PathValue("product")))
		if p != nil {
			progress := s.opts.Shapes.progress(p, tx.now)
			answer.Variant = &progress
		}
		return err
	})
	if err != nil {
		return err
	}
	etag := answerTag(answer)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", etag)
	if tagMatches(r.Header.Get("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return s.reply(w, http.StatusOK, answer)
}

func answerTag(answer apiclient.StatusAnswer) string {
	text := "unknown"
	if v := answer.Variant; v != nil {
		text = fmt.Sprintf("%d %s", v.SourceRevision, v.ImageStatus)
	}
	sum := sha256.Sum256([]byte(text))
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

// tagMatches reads an If-None-Match header, which holds "*" or a list of tags, weak ones included.
func tagMatches(header, etag string) bool {
	for tag := range strings.SplitSeq(header, ",") {
		tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
		if tag == etag || tag == "*" {
			return true
		}
	}
	return false
}
