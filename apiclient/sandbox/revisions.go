package sandbox

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
)

// finish is 4.4.
func (s *Server) finish(w http.ResponseWriter, r *http.Request) error {
	err := s.store.update(func(tx *tx) error {
		p, err := tx.product(r.PathValue("product"))
		if err != nil || p.Form.Closed {
			return err // a repeated 4.4 changes nothing
		}
		return s.closeForm(tx, p)
	})
	if err != nil {
		return err
	}
	return s.reply(w, http.StatusOK, notice)
}

// closeForm makes the files of the open form the newest revision, whose processing begins.
func (s *Server) closeForm(tx *tx, p *product) error {
	uploads, err := tx.uploads(p.Form)
	if err != nil {
		return err
	}
	if len(uploads) == 0 {
		return refuse(http.StatusUnprocessableEntity, "no file was uploaded")
	}
	images := s.arrange(p, uploads)
	if err := tx.dropUnseen(p); err != nil {
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

// arrange makes images of uploads, which are sorted by name. Positions begin at 1.
func (s *Server) arrange(p *product, uploads []*upload) []*image {
	images := make([]*image, len(uploads))
	for i, u := range uploads {
		images[i] = &image{
			File: *u, Product: p.UUID, Revision: p.Form.Revision, Ordial: i + 1, Row: 1,
			Group: s.group(u.Name), Source: source(u.Name, p.Form.Revision),
		}
	}
	return images
}

func (s *Server) group(name string) string {
	for prefix, group := range s.opts.Groups {
		if strings.HasPrefix(name, prefix) {
			return group
		}
	}
	return "rotation"
}

// source is the stored name of an uploaded one: another in each revision.
func source(name string, revision uint64) string {
	if revision == 0 {
		return name
	}
	extension := path.Ext(name)
	return fmt.Sprintf("%s_r%d%s", strings.TrimSuffix(name, extension), revision, extension)
}

// dropUnseen drops the images that are never shown again, now that another revision comes: those of
// all revisions but the newest that is finished.
func (t *tx) dropUnseen(p *product) error {
	if p.Newest == nil {
		return nil
	}
	unseen := p.Newest
	if p.Newest.ready(t.now) {
		p.Before, unseen = p.Newest, p.Before
	} else if err := t.markReplaced(p); err != nil {
		return err
	}
	if unseen == nil {
		return nil
	}
	return t.dropImages(p.UUID, unseen.Revision)
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

// addImages stores images under new ids.
func (t *tx) addImages(images []*image) error {
	ids := t.Bucket(bucketIDs)
	for _, i := range images {
		n, err := ids.NextSequence()
		if err != nil {
			return err
		}
		i.ID = int64(n)
		if err := ids.Put(numberKey(n), i.key()); err != nil {
			return err
		}
		if err := t.putImage(i); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) addRevision(p *product, newest stage, uploads []*upload) error {
	r := &revision{Stage: newest}
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
