package servicetest

import (
	"fmt"
	"maps"
	"path"
	"time"

	"spinsync/apiclient/sandbox"
)

// A revision is what one 4.4 closed.
type revision struct {
	number          uint64
	announced       int
	uploaded, ready time.Time
	files           []sandbox.File
	images          []*image
}

type image struct {
	id       int64
	revision uint64 // of its file
	source   string
	texts    map[string]string
}

// A view is the public state of a product at one time.
type view struct {
	revision uint64
	word     string // image_status
	images   []*image
	ready    bool // media can be had
}

const finished = "finished"

func (h Habits) firstRevision() uint64 {
	if h.FirstRises {
		return h.FirstRevision + 1
	}
	return h.FirstRevision
}

// raisesEarly reports whether a revision rises when images are announced.
func (h Habits) raisesEarly() bool {
	return h.Raise == "form" || h.Raise == "once" || h.Raise == "twice"
}

// nextRevision is the number for a new form.
func (s *stock) nextRevision(p *product) uint64 {
	switch last := len(p.revisions) - 1; {
	case s.habits.Raise == "once" && p.form != nil:
		return p.raised
	case s.habits.raisesEarly() && p.issued > 1:
		return p.raised + 1
	case last >= 0:
		return p.revisions[last].number + 1
	}
	return s.habits.firstRevision()
}

// close makes a revision of the open form.
func (s *stock) close(p *product, now time.Time) {
	files := p.form.sorted()
	processing := max(s.options.Processing, 0) + time.Duration(len(files))*s.options.ProcessingPerImage
	if s.habits.Raise == "twice" {
		p.form.revision++
		p.raised++
	}
	next := revision{
		number: p.form.revision, announced: p.form.images, uploaded: now, ready: now.Add(processing), files: files,
	}
	for i, f := range files {
		next.images = append(next.images, s.newImage(p, next.number, i, f))
	}
	s.note(p, sandbox.Entry{
		Effect: sandbox.Uploaded, Revision: next.number, Images: next.announced, Path: p.form.path, Files: files,
	})
	p.revisions = append(p.revisions, next)
	p.form = nil
}

// newImage is the image of a file, with the kept properties of the revision before.
func (s *stock) newImage(p *product, number uint64, i int, f sandbox.File) *image {
	s.images++
	made := &image{id: s.images, revision: number, texts: map[string]string{}}
	switch s.habits.Sources {
	case "same":
		made.source = f.Name
	case "new":
		made.source = fmt.Sprintf("frame_r%d_%03d%s", number, i+1, path.Ext(f.Name))
	case "number":
		made.source = fmt.Sprintf("%d%s", s.ids.Uint32(), path.Ext(f.Name))
	case "path":
		made.source = fmt.Sprintf("sources/r%d/%s", number, f.Name)
	}
	if len(p.revisions) == 0 {
		return made
	}
	before := p.revisions[len(p.revisions)-1]
	if s.habits.KeepIDs && i < len(before.images) {
		made.id = before.images[i].id
	}
	for k, file := range before.files {
		if s.habits.KeepTexts == "file" && file.Name == f.Name || s.habits.KeepTexts == "place" && k == i {
			made.texts = maps.Clone(before.images[k].texts)
		}
	}
	return made
}

// viewOf is what the service shows of a product.
func (s *stock) viewOf(p *product, now time.Time) view {
	shown, open := len(p.revisions), p.form != nil
	if shown > 0 && now.Sub(p.revisions[shown-1].uploaded) < s.habits.StatusDelay {
		shown, open = shown-1, true
	}
	v := s.viewAt(p, shown, now)
	if open && s.habits.raisesEarly() {
		v.revision = p.raised
	}
	if open && shown > 0 && s.habits.Announced != "" {
		v.word, v.ready = s.habits.Announced, false
	}
	return v
}

// viewAt is what there is of a product that has so many revisions.
func (s *stock) viewAt(p *product, revisions int, now time.Time) view {
	if revisions == 0 {
		return view{revision: s.habits.FirstRevision, word: s.habits.Idle}
	}
	newest := p.revisions[revisions-1]
	v := view{revision: newest.number, word: finished, images: newest.images}
	v.ready = !now.Before(newest.ready.Add(s.habits.MediaLag))
	left, whole := newest.ready.Sub(now), newest.ready.Sub(newest.uploaded)
	if left <= 0 {
		return v
	}
	v.word = s.habits.Words[int(now.Sub(newest.uploaded))*len(s.habits.Words)/int(whole)]
	if s.habits.Raise == "late" && left > whole/2 {
		v.revision = s.viewAt(p, revisions-1, now).revision
	}
	if s.habits.OldImages {
		v.images = s.viewAt(p, revisions-1, now).images
	}
	return v
}
