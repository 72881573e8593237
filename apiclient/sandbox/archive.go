package sandbox

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// download is 4.11: the sources of the newest finished revision, else those of the newest.
func (s *Server) download(w http.ResponseWriter, r *http.Request) error {
	uuid, isZIP := strings.CutSuffix(r.PathValue("file"), ".zip")
	if !isZIP {
		return nothingHere()
	}
	images, err := s.store.sources(uuid)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", uuid+".zip"))
	if err := s.store.files.writeZIP(w, images); err != nil {
		s.opts.Log.Warn("a download broke off", "product", uuid, "error", err)
		panic(http.ErrAbortHandler) // the answer has begun: only a cut connection can still show it
	}
	return nil
}

func (s *store) sources(uuid string) (images []*image, err error) {
	err = s.view(func(tx *tx) error {
		p, err := tx.product(uuid)
		if err != nil {
			return err
		}
		from := p.shown(tx.now)
		if from == nil {
			from = p.Newest
		}
		if from == nil {
			return refuse(http.StatusNotFound, "the product has no source files yet")
		}
		images, err = tx.images(p.UUID, from.Revision)
		return err
	})
	return images, err
}

// writeZIP stores the files as they are: photos do not become smaller.
func (f fileStore) writeZIP(w io.Writer, images []*image) error {
	archive := zip.NewWriter(w)
	for _, i := range images {
		entry, err := archive.CreateHeader(&zip.FileHeader{Name: i.File.Name, Method: zip.Store, Modified: i.File.Stored})
		if err != nil {
			return err
		}
		if err := f.copyTo(entry, i.File.Blob); err != nil {
			return err
		}
	}
	return archive.Close()
}

func (f fileStore) copyTo(w io.Writer, blob string) error {
	file, err := f.open(blob)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(w, file)
	return err
}
