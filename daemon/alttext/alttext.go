// Package alttext reads the alt texts of a product folder from its sidecars, and merges them with
// those on the service. Call Read, then Merge for each image.
//
// Texts come from many places, and the nearest to a person's hand wins, for each frame and locale
// on its own. For a frame S.E (stem and extension) these are, highest first:
//
//	product.toml            [alt.de] with "S.E" = "…", then with "*" = "…" for every frame
//	S.E.de.txt  S.de.txt    a text file that names its locale
//	S.E.txt     S.txt       a text file that names none
//	alt.csv                 file,locale,alt or file,alt,alt.de; the file * is every frame
//	S.E.xmp     S.xmp       the IPTC property AltTextAccessibility in all its languages
//	S.E                     the same in the XMP packet inside the frame
//	alt.de.txt  alt.txt     one text for every frame
//
// A text for every frame is a template: {n} {total} {title} {sku} are filled in. Names are compared
// without regard to letter case and Unicode form. Captions and descriptions are never taken for alt
// texts, and no text is made up.
//
// All sidecars are hostile input. At most 1 MiB of each is read, and what comes out is bounded too:
// each text once its fields are filled in, and all texts of a folder together. A sidecar that makes
// no sense is reported with its line and the remedy, and all others count.
package alttext

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Text is an alt text and where it was found.
type Text struct {
	Value  string
	Source string // name of the sidecar, or of the frame whose XMP packet it is in
	Line   int    // 0 = the file as a whole
}

// Texts holds the alt texts of a folder: frame's local name → locale → text. No text is blank.
type Texts map[string]map[string]Text

// Problem is something in a sidecar that a person should mend.
type Problem struct {
	File    string
	Line    int // 0 = the file as a whole
	Message string

	// Unread means that texts in the file are unknown because it, or this line, cannot be read, or
	// names no frame or no locale. A text that came from there before must not be taken for withdrawn.
	Unread bool

	// Passing means that the file may be readable later although nothing in the folder is changed.
	Passing bool

	// BeingWritten means that the file is not read yet because it is being written.
	BeingWritten bool
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}

// Folder is a product folder as Read sees it.
type Folder struct {
	Frames   []string // local names in manifest order
	Sidecars []string // names of possible sidecars in the folder, without its marker
	Open     func(name string) (io.ReadCloser, error)
	Embedded map[string]*Packet // frame → its embedded XMP packet, as far as it has one

	// Product is [alt.<locale>] of product.toml: locale → file name or "*" → text.
	Product map[string]map[string]string

	Locale     string // of texts that name none
	Title, SKU string // for templates
}

const (
	maxSidecar    = 1 << 20 // bytes
	maxProblems   = 20      // problems of one file
	advisedLength = 250     // characters, as IPTC advises: a screen reader cannot skim
	maxText       = 2000    // characters
	maxTexts      = 8 << 20 // bytes of all texts of a folder
	textCost      = 128     // bytes that a text takes in memory in addition to its characters
)

// A rank orders the sources; the lowest wins.
type rank int

const (
	productName rank = iota
	productAll
	textNameLocale
	textStemLocale
	textName
	textStem
	csvName
	csvAll
	xmpName
	xmpStem
	xmpEmbedded
	folderLocale
	folderPlain
)

// entry is one text of a sidecar. An empty locale means that the sidecar names none.
type entry struct {
	locale, value string
	line          int
}

// Read finds the alt texts of a folder's frames. Problems come in the order of the sources. They
// stop nothing: Read returns the texts of all other sources. The Texts are never nil.
func Read(f Folder) (Texts, []Problem) {
	r := &reader{
		folder: f,
		names:  newNames(f.Frames),
		texts:  map[string]map[string]ranked{},
		counts: map[string]int{},
	}
	r.product()
	for _, name := range slices.Sorted(slices.Values(f.Sidecars)) {
		r.sidecar(name)
	}
	for _, frame := range f.Frames {
		if packet := f.Embedded[frame]; packet != nil {
			r.embedded(frame, packet)
		}
	}
	texts := r.result()
	return texts, r.problems
}

// everyFrame stands for all frames where a frame's name is asked for. No file is called so.
const everyFrame = "*/"

// reader gathers the texts of all sources of one folder.
type reader struct {
	folder   Folder
	names    names
	texts    map[string]map[string]ranked
	problems []Problem
	counts   map[string]int // problems so far by file
	size     int            // of all texts so far
}

type ranked struct {
	Text
	rank rank
}

// result joins the texts of each frame with the templates for every frame.
func (r *reader) result() Texts {
	texts, common := Texts{}, r.templates()
	for i, frame := range r.folder.Frames {
		found := map[string]Text{}
		for locale, text := range r.texts[frame] {
			found[locale] = text.Text
		}
		for _, locale := range slices.Sorted(maps.Keys(common)) {
			template := common[locale]
			if text, ok := r.texts[frame][locale]; ok && text.rank < template.rank {
				continue
			}
			if template.Value = r.fill(template.Value, i); !r.fits(template.Text) {
				return Texts{}
			}
			found[locale] = template.Text
		}
		maps.DeleteFunc(found, func(_ string, text Text) bool { return text.Value == "" })
		if len(found) > 0 {
			texts[frame] = found
		}
	}
	if r.size > maxTexts {
		return Texts{}
	}
	return texts
}

// templates are the texts for every frame, without those that become too long.
func (r *reader) templates() map[string]ranked {
	common := map[string]ranked{}
	for locale, template := range r.texts[everyFrame] {
		if n := r.filledLength(template.Value); n > maxText {
			r.lost(template.Source, template.Line,
				"the text has %d characters once its fields are filled in, and is left out; shorten it to %d", n, advisedLength)
			continue
		}
		common[locale] = template
	}
	return common
}

// fits counts a text, and reports whether the texts so far are not too many. Beyond that no text
// of the folder is known.
func (r *reader) fits(text Text) bool {
	fitted := r.size <= maxTexts
	r.size += len(text.Value) + textCost
	if fitted && r.size > maxTexts {
		r.lost(text.Source, 0, "all alt texts of the folder are left out, because they have more than %d MiB; make them fewer or shorter",
			maxTexts>>20)
	}
	return r.size <= maxTexts
}

func (r *reader) note(file string, line int, format string, args ...any) {
	r.add(Problem{File: file, Line: line, Message: fmt.Sprintf(format, args...)})
}

// lost notes a problem that leaves texts unknown.
func (r *reader) lost(file string, line int, format string, args ...any) {
	r.add(Problem{File: file, Line: line, Message: fmt.Sprintf(format, args...), Unread: true})
}

// add keeps the first problems of a file. The last of them marks the file as unread, because the
// problems after it may be of any sort.
func (r *reader) add(p Problem) {
	r.counts[p.File]++
	switch n := r.counts[p.File]; {
	case n < maxProblems:
		r.problems = append(r.problems, p)
	case n == maxProblems:
		r.problems = append(r.problems, Problem{
			File:    p.File,
			Message: "has more problems; correct these first",
			Unread:  true,
		})
	}
}

// flawed notes a parser's error, with its line if the parser knows it.
func (r *reader) flawed(file string, err error) {
	if at, ok := errors.AsType[lineError](err); ok {
		r.lost(file, at.line, "%s", at.message)
		return
	}
	r.lost(file, 0, "%v", err)
}

// lineError is a fault in one line of a sidecar.
type lineError struct {
	line    int
	message string
}

func (e lineError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.message) }

// take gives the texts to frames.
func (r *reader) take(file string, level rank, frames []string, list []entry) {
	for _, s := range list {
		locale, value, ok := r.judge(file, s)
		if !ok {
			continue
		}
		r.put(frames, locale, ranked{Text{value, file, s.line}, level})
	}
}

// takeAll gives the texts, which are templates, to every frame.
func (r *reader) takeAll(file string, level rank, list []entry) {
	for _, s := range list {
		locale, template, ok := r.judge(file, s)
		if !ok {
			continue
		}
		if unknown := unknownField(template); unknown != "" {
			r.lost(file, s.line, "%s is not known, and the text is left out; write {n}, {total}, {title} or {sku}", unknown)
			continue
		}
		r.put([]string{everyFrame}, locale, ranked{Text{template, file, s.line}, level})
	}
}

// judge cleans a text and its locale for the service. A blank text is not ok.
func (r *reader) judge(file string, s entry) (locale, value string, ok bool) {
	value = clean(s.value)
	if value == "" {
		return "", "", false
	}
	if s.locale == "" {
		s.locale = r.folder.Locale
	}
	locale, err := NormalizeLocale(s.locale)
	if err != nil {
		r.lost(file, s.line, "%v", err)
		return "", "", false
	}
	switch n := utf8.RuneCountInString(value); {
	case n > maxText:
		r.lost(file, s.line, "the text has %d characters, and is left out; shorten it to %d", n, advisedLength)
		return "", "", false
	case n > advisedLength:
		r.note(file, s.line, "the text has %d characters; shorten it to %d", n, advisedLength)
	}
	return locale, value, true
}

// put keeps a text for frames without a text of a better source. Of two equal sources the first one
// counts, and the other is reported once.
func (r *reader) put(frames []string, locale string, text ranked) {
	reported := false
	for _, frame := range frames {
		old, exists := r.texts[frame][locale]
		switch {
		case !exists || text.rank < old.rank:
			if !r.fits(text.Text) {
				return
			}
			if r.texts[frame] == nil {
				r.texts[frame] = map[string]ranked{}
			}
			r.texts[frame][locale] = text
		case old.rank == text.rank && old.Value != text.Value && !reported:
			r.note(text.Source, text.Line, "says %s of %s once more; the text of %s counts, remove one",
				locale, strings.Replace(frame, everyFrame, "every frame", 1), place(old.Text))
			reported = true
		}
	}
}

func place(t Text) string {
	if t.Line == 0 {
		return t.Source
	}
	return fmt.Sprintf("%s:%d", t.Source, t.Line)
}
