package sandbox

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"spinsync/apiclient/sandbox/viewer"
)

// maxFrame is the largest source, in bytes, that a view shows as it is.
const maxFrame = 1 << 20

// showView is the page behind an embed link: the newest finished revision.
func (s *Server) showView(w http.ResponseWriter, r *http.Request) error {
	embedID, f, ok := parseLink(r.PathValue("embed"))
	if !ok {
		return nothingHere()
	}
	p, images, err := s.shown(embedID)
	if err != nil {
		return err
	}
	page := viewer.View{Title: p.Title, Width: f.width, Height: f.height, Responsive: f.responsive()}
	s.fill(&page, p, images, r)
	var html bytes.Buffer
	if err := viewer.Page(&html, page); err != nil {
		return err
	}
	return writePage(w, &html, viewer.Policy())
}

// shown finds what an embed link shows. There are no images before the first revision is finished.
func (s *Server) shown(embedID string) (p *product, images []*image, err error) {
	err = s.store.view(func(tx *tx) error {
		uuid := tx.Bucket(bucketEmbeds).Get([]byte(embedID))
		if uuid == nil {
			return nothingHere()
		}
		p, err = tx.product(string(uuid))
		if err != nil {
			return err
		}
		if stage := p.shown(tx.now); stage != nil {
			images, err = tx.images(p.UUID, stage.Revision)
		}
		return err
	})
	return p, images, err
}

// fill puts the images of the turn into the page. Stills and gallery images have no place in it.
func (s *Server) fill(page *viewer.View, p *product, images []*image, r *http.Request) {
	for _, i := range images {
		url := s.mediaURL(p, i, s.opts.origin(r))
		switch {
		case i.File.isVideo():
			page.VideoURL = url
		case i.Group == "rotation":
			page.Frames = append(page.Frames, viewer.Frame{
				URL: i.frameURL(url), Thumb: url + thumbnail, Alt: altText(i.AltTexts, r.Header.Get("Accept-Language")),
			})
		}
	}
}

// frameURL is the photo in a size and format that a browser can turn.
func (i *image) frameURL(mediaURL string) string {
	switch i.File.Type {
	case "image/jpeg", "image/png", "image/webp":
		if i.File.Size <= maxFrame {
			return mediaURL
		}
	}
	return mediaURL + "/resize;w_1280/image.jpg"
}

func (u *upload) isVideo() bool { return strings.HasPrefix(u.Type, "video/") }

// sortedLocales returns the locales of texts, English first, with their tags.
func sortedLocales(texts map[string]string) (locales []string, tags []language.Tag) {
	for _, locale := range slices.Sorted(maps.Keys(texts)) {
		tag, err := language.Parse(locale)
		at := len(locales)
		if base, _ := tag.Base(); err == nil && base.String() == "en" {
			at = 0
		}
		locales, tags = slices.Insert(locales, at, locale), slices.Insert(tags, at, tag)
	}
	return locales, tags
}

// altText picks the text in the reader's language, else in English, else in any.
func altText(texts map[string]string, accepted string) string {
	if len(texts) == 0 {
		return ""
	}
	locales, tags := sortedLocales(texts)
	_, index := language.MatchStrings(language.NewMatcher(tags), accepted)
	return texts[locales[index]]
}
