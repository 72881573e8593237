package servicetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"spinsync/apiclient/sandbox"
)

const mediaHost = "https://media.invalid/5a6c1f0e-7d53-4f0e-9c7e-000000000001"

func (s *stock) listImages(r *request) (any, error) {
	p, err := s.productOf(r)
	if err != nil {
		return nil, err
	}
	r.header.Set("Cache-Control", "no-store")
	v := s.viewOf(p, r.now)
	var list []object
	for i, image := range v.images {
		url := s.mediaURL(p, image, v)
		entry := object{
			"id": image.id, "ordial": s.habits.FirstOrdial + i*s.habits.OrdialStep,
			"alt_texts":       s.habits.textsOf(image),
			"source_revision": v.revision, "storage_version": s.habits.Storage, "image_status": v.word,
			"source": image.source, "row": s.habits.Row, "image_group": "rotation",
			"media_ready": v.ready, "media_url": nil, "thumbnail_url": nil,
		}
		if v.ready {
			entry["media_url"], entry["thumbnail_url"] = url, url+"/resize;w_320/image.webp"
		}
		list = append(list, entry)
	}
	for i, id := range p.added {
		entry := object{
			"id": id, "ordial": s.habits.FirstOrdial + (len(v.images)+i)*s.habits.OrdialStep, "alt_texts": map[string]string{},
			"source_revision": v.revision, "storage_version": s.habits.Storage, "image_status": v.word,
			"source": fmt.Sprintf("picture_%d.jpg", id), "row": s.habits.Row, "image_group": "gallery",
			"media_ready": v.ready, "media_url": nil, "thumbnail_url": nil,
		}
		if v.ready {
			url := fmt.Sprintf("%s/gallery/%s/picture_%d.jpg", mediaHost, p.uuid, id)
			entry["media_url"], entry["thumbnail_url"] = url, url+"/resize;w_320/image.webp"
		}
		list = append(list, entry)
	}
	return list, nil
}

// AddPicture adds a picture to a product, as people can on the service's own pages. No upload removes it.
func (s *Server) AddPicture(uuid string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.stock.products {
		if p.uuid == uuid {
			s.stock.images++
			p.added = append(p.added, s.stock.images)
		}
	}
}

// MovesImages reports whether the former images get other media URLs when a reupload is announced,
// although they are shown as before.
func (s *Server) MovesImages() bool {
	h := s.habits
	return h.NewestPaths && h.Storage == 1 && h.Raise == "form" && h.Announced == ""
}

// ShowsNames reports whether the source of an image ends in the name of its file.
func (s *Server) ShowsNames() bool { return s.habits.Sources == "same" || s.habits.Sources == "path" }

// LeavesTexts reports whether an image begins with the texts of the one that had its place.
func (s *Server) LeavesTexts() bool { return s.habits.KeepTexts == "place" }

// mediaURL follows the layouts of section 2.
func (s *stock) mediaURL(p *product, i *image, v view) string {
	var segments []string
	for segment := range strings.SplitSeq(i.source, "/") {
		segments = append(segments, url.PathEscape(segment))
	}
	source := strings.Join(segments, "/")
	if s.habits.Storage == 2 {
		return mediaHost + "/images/" + p.uuid + "/" + source
	}
	revision := i.revision
	if s.habits.NewestPaths {
		revision = v.revision
	}
	return fmt.Sprintf("%s/frames/%s/%d;%d;%s", mediaHost, p.uuid, revision, s.habits.Row, source)
}

// status is public, and knows nothing of an unknown product.
func (s *stock) status(r *request) (any, error) {
	r.header.Set("Cache-Control", "no-cache")
	p, err := s.productOf(r)
	if err != nil {
		return object{"variant": nil}, nil
	}
	v := s.viewOf(p, r.now)
	return object{"variant": object{"source_revision": v.revision, "image_status": v.word}}, nil
}

// setAltTexts replaces all texts of an image. Blank ones are left out.
func (s *stock) setAltTexts(r *request) (any, error) {
	id, err := strconv.ParseInt(r.PathValue("image"), 10, 64)
	if err != nil || strconv.FormatInt(id, 10) != r.PathValue("image") {
		return nil, wrong("the image id %q is no integer", r.PathValue("image"))
	}
	p, held := s.imageOf(id, r.now)
	if held == nil {
		return nil, s.habits.notThere("image")
	}
	texts := map[string]string{}
	if err := json.Unmarshal(r.fields["alt_texts"], &texts); err != nil {
		return nil, wrong("the alt texts cannot be read: %v", err)
	}
	maps.DeleteFunc(texts, func(_, text string) bool { return strings.TrimSpace(text) == "" })
	held.texts = texts
	s.note(p, sandbox.Entry{Effect: sandbox.AltTextsSet, Image: id, AltTexts: maps.Clone(texts)})
	return object{"id": id, "variant_uuid": p.uuid, "alt_texts": s.habits.textsOf(held)}, nil
}

// textsOf are the texts of an image as an answer has them.
func (h Habits) textsOf(i *image) map[string]any {
	texts := map[string]any{}
	for locale, text := range i.texts {
		texts[locale] = text
	}
	if h.NullTexts && len(texts) > 0 && texts["it"] == nil {
		texts["it"] = nil
	}
	return texts
}

// imageOf finds an image that is listed, or will be once it is processed.
func (s *stock) imageOf(id int64, now time.Time) (*product, *image) {
	for _, p := range s.products {
		if !p.removed.IsZero() {
			continue
		}
		all := s.viewOf(p, now).images
		if n := len(p.revisions); n > 0 {
			all = slices.Concat(p.revisions[n-1].images, all)
		}
		for _, i := range all {
			if i.id == id {
				return p, i
			}
		}
	}
	return nil, nil
}
