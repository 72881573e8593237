package sandbox

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"spinsync/apiclient"
)

// thumbnail is what follows a media URL in a thumbnail URL (interface section 2).
const thumbnail = "/resize;w_320/image.webp"

// listImages is 4.12.
func (s *Server) listImages(w http.ResponseWriter, r *http.Request) error {
	answer := []apiclient.Image{}
	err := s.store.view(func(tx *tx) error {
		p, err := tx.product(r.PathValue("product"))
		if err != nil {
			return err
		}
		if p.Newest == nil {
			return nil
		}
		images, err := tx.images(p.UUID, p.Newest.Revision)
		progress := p.progress(tx.now)
		for _, i := range images {
			answer = append(answer, s.wireImage(p, i, progress, s.opts.origin(r)))
		}
		return err
	})
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return s.reply(w, http.StatusOK, answer)
}

func (s *Server) wireImage(p *product, i *image, progress apiclient.Status, origin string) apiclient.Image {
	wire := apiclient.Image{
		ID:             i.ID,
		Ordial:         i.Ordial,
		AltTexts:       i.AltTexts,
		SourceRevision: progress.SourceRevision,
		StorageVersion: p.StorageVersion,
		ImageStatus:    progress.ImageStatus,
		Source:         i.Source,
		Row:            i.Row,
		ImageGroup:     i.Group,
		MediaReady:     progress.Finished(),
	}
	if wire.MediaReady {
		wire.MediaURL = s.mediaURL(p, i, origin)
		wire.ThumbnailURL = wire.MediaURL + thumbnail
	}
	return wire
}

func (s *Server) mediaURL(p *product, i *image, origin string) string {
	return origin + "/media/" + s.store.owner().UUID + "/" + i.mediaPath(p.StorageVersion, url.PathEscape)
}

// mediaPath is the path of an image below the account (interface section 2, media path layouts),
// with its source written by escape.
func (i *image) mediaPath(storageVersion int, escape func(string) string) string {
	source := escape(i.Source)
	switch {
	case storageVersion == 2:
		return fmt.Sprintf("images/%s/%s", i.Product, source)
	case i.Group == "rotation":
		return fmt.Sprintf("frames/%s/%d;%d;%s", i.Product, i.Revision, i.Row, source)
	case i.Group == "gallery":
		return fmt.Sprintf("gallery/%s/%d;%s", i.Product, i.Revision, source)
	}
	return fmt.Sprintf("stills/%s/%d;%s", i.Product, i.Revision, source)
}

// updateAltTexts is 4.13.
func (s *Server) updateAltTexts(w http.ResponseWriter, r *http.Request) error {
	body, err := readBody(w, r, "alt_texts")
	if err != nil {
		return err
	}
	body.require("alt_texts")
	var texts map[string]string
	if body.has("alt_texts") {
		texts = body.texts("alt_texts")
	}
	if err := body.err(); err != nil {
		return err
	}
	var answer apiclient.ImageAltTexts
	err = s.store.update(func(tx *tx) error {
		i, err := tx.image(r.PathValue("image"))
		if err != nil {
			return err
		}
		i.AltTexts = texts
		answer = apiclient.ImageAltTexts{ID: i.ID, VariantUUID: i.Product, AltTexts: texts}
		return tx.putAltTexts(i)
	})
	if err != nil {
		return err
	}
	return s.reply(w, http.StatusOK, answer)
}

// image finds an image of a newest revision by its id, or refuses the request.
func (t *tx) image(id string) (*image, error) {
	missing := refuse(http.StatusNotFound, "there is no such image")
	n, err := strconv.ParseUint(id, 10, 63)
	if err != nil || strconv.FormatUint(n, 10) != id {
		return nil, missing
	}
	key := t.Bucket(bucketIDs).Get(numberKey(n))
	if key == nil {
		return nil, missing
	}
	i, err := get[image](t.Bucket(bucketImages), key)
	if err != nil || i == nil {
		return nil, missing
	}
	p, err := t.product(i.Product)
	if err != nil || p.Newest == nil || p.Newest.Revision != i.Revision {
		return nil, missing
	}
	return i, nil
}

func (t *tx) putAltTexts(i *image) error {
	if err := t.putImage(i); err != nil {
		return err
	}
	return t.note(Entry{
		Effect:   AltTextsSet,
		Product:  i.Product,
		Revision: i.Revision,
		Image:    i.ID,
		AltTexts: i.AltTexts,
	})
}
