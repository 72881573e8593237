package servicetest

import (
	"archive/zip"
	"bytes"
	"net/http"
)

// An archive is a ZIP.
type archive []byte

// sources packs the files of the newest revision (4.11).
func (s *Server) sources(r *request) (any, error) {
	if r.PathValue("product") == "" {
		return nil, wrong("the interface has no such operation")
	}
	p, err := s.productOf(r)
	if err != nil {
		return nil, err
	}
	if len(p.revisions) == 0 {
		return nil, s.no("the product has no files")
	}
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	newest := p.revisions[len(p.revisions)-1]
	for _, file := range newest.files {
		name := file.Name
		if s.habits.Archive == "below" {
			name = p.uuid + "/" + name
		}
		w, err := z.Create(name)
		if err != nil {
			panic(err)
		}
		w.Write(s.contents[file.SHA256])
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return archive(packed.Bytes()), nil
}

// sendArchive answers with a ZIP.
func sendArchive(w http.ResponseWriter, a archive) {
	w.Header().Set("Content-Type", "application/zip")
	w.Write(a)
}
