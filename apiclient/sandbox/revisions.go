package sandbox

import (
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
)

// finish is 4.4.
func (s *Server) finish(w http.ResponseWriter, r *http.Request) error {
	err := s.update(func(tx *tx) error {
		p, err := tx.product(r.PathValue("product"))
		if err != nil || p.Form.Closed {
			return err // a repeated 4.4 changes nothing
		}
		return s.closeForm(tx, p)
	})
	if err != nil {
		return err
	}
	if s.opts.Shapes.SilentFinish {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return s.reply(w, http.StatusOK, notice)
}

// closeForm makes the files of the open form the newest revision, whose processing begins.
func (s *Server) closeForm(tx *tx, p *product) error {
	uploads, err := tx.uploads(p.Form)
	if err != nil {
		return err
	}
	if err := s.opts.Shapes.checkCount(len(uploads), p.Form.Announced); err != nil {
		return err
	}
	images := s.opts.Shapes.arrange(p, uploads)
	if err := s.carryOver(tx, p, images); err != nil {
		return err
	}
	if err := tx.addImages(images); err != nil {
		return err
	}
	if err := remove(tx.Bucket(bucketUploads), []byte(p.Form.Path+"/")); err != nil {
		return err
	}
	ready := tx.now.Add(s.opts.Processing + time.Duration(len(images))*s.opts.ProcessingPerImage)
	return tx.addRevision(p, stage{Revision: p.Form.Revision, Uploaded: tx.now, Ready: ready}, uploads)
}

func (s *Shapes) checkCount(files, announced int) error {
	switch {
	case files == 0:
		return refuse(http.StatusUnprocessableEntity, "no file was uploaded")
	case s.RefuseWrongCount && files != announced:
		return refuse(http.StatusUnprocessableEntity,
			fmt.Sprintf("%d files were uploaded, %d were announced", files, announced))
	}
	return nil
}

// arrange makes images of uploads, which are sorted by name. Positions begin at 1.
func (s *Shapes) arrange(p *product, uploads []*upload) []*image {
	images := make([]*image, len(uploads))
	for i, u := range uploads {
		images[i] = &image{
			upload: *u, Product: p.UUID, Revision: p.Form.Revision, Ordial: i + 1, Row: 1,
			Group: s.group(u.Name), Source: s.source(u.Name, p.Form.Revision),
		}
	}
	return images
}

func (s *Shapes) group(name string) string {
	for prefix, group := range s.Groups {
		if strings.HasPrefix(name, prefix) {
			return group
		}
	}
	return "rotation"
}

// source is the stored name of an uploaded one.
func (s *Shapes) source(name string, revision uint64) string {
	extension := path.Ext(name)
	switch {
	case s.Sources == SourcesRandom:
		return strings.ToLower(rand.Text()) + extension
	case s.Sources == SourcesKept || revision == s.FirstRevision:
		return name
	}
	return fmt.Sprintf("%s_r%d%s", strings.TrimSuffix(name, extension), revision, extension)
}

// carryOver gives new images the values that stay over a reupload, and drops the images that are
// never shown again: those of all revisions but the newest that is finished.
func (s *Server) carryOver(tx *tx, p *product, images []*image) error {
	if p.Newest == nil {
		return nil
	}
	old, err := tx.images(p.UUID, p.Newest.Revision)
	if err != nil {
		return err
	}
	s.opts.Shapes.inherit(images, old)
	unseen := p.Newest
	if p.Newest.ready(tx.now) {
		p.Before, unseen = p.Newest, p.Before
	} else if err := tx.markReplaced(p); err != nil {
		return err
	}
	if unseen == nil {
		return nil
	}
	return tx.dropImages(p.UUID, unseen.Revision)
}

// inherit keeps ids by position and alt texts by uploaded name.
func (s *Shapes) inherit(images, old []*image) {
	texts := map[string]map[string]string{}
	for i, o := range old {
		texts[o.Name] = o.AltTexts
		if s.KeepIDs && i < len(images) {
			images[i].ID = o.ID
		}
	}
	for _, i := range images {
		if s.KeepAltTexts {
			i.AltTexts = maps.Clone(texts[i.Name])
		}
	}
}

// markReplaced notes that the newest revision will never be finished.
func (t *tx) markReplaced(p *product) error {
	key := revisionKey(p.UUID, p.Newest.Revision)
	r, err := get[revision](t.Bucket(bucketRevisions), key)
	if err != nil || r == nil {
		return err
	}
	r.Replaced = true
	return t.putRevision(p.UUID, r)
}

// addImages stores images, with new ids for those that have none.
func (t *tx) addImages(images []*image) error {
	ids := t.Bucket(bucketIDs)
	for _, i := range images {
		if i.ID == 0 {
			n, err := ids.NextSequence()
			if err != nil {
				return err
			}
			i.ID = int64(n)
		}
		if err := ids.Put(numberKey(uint64(i.ID)), i.key()); err != nil {
			return err
		}
		if err := t.putImage(i); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) addRevision(p *product, newest stage, uploads []*upload) error {
	r := &revision{stage: newest}
	for _, u := range uploads {
		r.Files = append(r.Files, u.file())
	}
	p.Newest, p.Form.Closed = &newest, true
	if err := t.putRevision(p.UUID, r); err != nil {
		return err
	}
	if err := t.putProduct(p); err != nil {
		return err
	}
	entry := p.entry(Uploaded)
	entry.Revision, entry.Images, entry.Path = newest.Revision, p.Form.Announced, p.Form.Path
	entry.Files = r.Files
	return t.note(entry)
}

func (s *stage) ready(now time.Time) bool { return !now.Before(s.Ready) }

// stages are the revisions whose images are kept, the newest first.
func (p *product) stages() []*stage {
	return slices.DeleteFunc([]*stage{p.Newest, p.Before}, func(s *stage) bool { return s == nil })
}

// shown is the newest finished revision, or nil.
func (p *product) shown(now time.Time) *stage {
	for _, s := range p.stages() {
		if s.ready(now) {
			return s
		}
	}
	return nil
}
