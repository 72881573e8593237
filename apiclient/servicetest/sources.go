package servicetest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"path"

	"spinsync/apiclient/sandbox"
)

// An archive is a ZIP.
type archive []byte

// sources packs the files of the newest revision (4.11).
func (s *stock) sources(r *request) (any, error) {
	if r.PathValue("product") == "" {
		return nil, wrong("the interface has no such operation")
	}
	p, err := s.productOf(r)
	if err != nil {
		return nil, err
	}
	if len(p.revisions) == 0 {
		return nil, s.habits.no("the product has no files")
	}
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	newest := p.revisions[len(p.revisions)-1]
	for i, file := range newest.files {
		w, err := z.Create(s.nameInArchive(p, newest.images[i], file, i))
		if err != nil {
			panic(err)
		}
		w.Write(s.contents[file.SHA256])
	}
	if s.habits.PacksAdded {
		for _, id := range p.added {
			w, err := z.Create(fmt.Sprintf("picture_%d.jpg", id))
			if err != nil {
				panic(err)
			}
			w.Write([]byte("a picture"))
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return archive(packed.Bytes()), nil
}

// nameInArchive is what the ZIP calls a file.
func (s *stock) nameInArchive(p *product, of *image, file sandbox.File, i int) string {
	switch s.habits.Archive {
	case "below":
		return p.uuid + "/" + file.Name
	case "source":
		return of.source
	case "number":
		return fmt.Sprintf("%d%s", i+1, path.Ext(file.Name))
	}
	return file.Name
}

// sendArchive answers with a ZIP.
func sendArchive(w http.ResponseWriter, a archive) {
	w.Header().Set("Content-Type", "application/zip")
	w.Write(a)
}
