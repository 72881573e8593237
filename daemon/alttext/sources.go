package alttext

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// sidecar reads one file of the folder by the form of its name.
func (r *reader) sidecar(name string) {
	switch folded := fold(name); {
	case folded == "alt.csv":
		r.csv(name)
	case strings.HasSuffix(folded, ".csv"):
		r.note(name, 0, "is not read; call the file alt.csv if it holds alt texts")
	case strings.HasSuffix(folded, ".txt"):
		base := strings.TrimSuffix(folded, ".txt")
		r.text(name, strings.TrimSuffix(base, ".txt")) // where extensions are hidden, people write it again
	case strings.HasSuffix(folded, ".xmp"):
		r.xmp(name, strings.TrimSuffix(folded, ".xmp"))
	}
}

// ErrBeingWritten is what Open returns for a file that is not read yet because it is being written.
var ErrBeingWritten = errors.New("is being written")

// load returns a sidecar's text. It notes the problem of a sidecar that cannot be read.
func (r *reader) load(name string) (text string, ok bool) {
	data, err := r.bytes(name)
	if err != nil {
		r.add(Problem{
			File: name, Message: err.Error(), Unread: true,
			Passing: !errors.Is(err, errTooLong), BeingWritten: errors.Is(err, ErrBeingWritten),
		})
		return "", false
	}
	if text, err = decode(data); err != nil {
		r.lost(name, 0, "%v", err)
	}
	return text, err == nil
}

// loadWhole is load for a format that ends in no padding.
func (r *reader) loadWhole(name string) (text string, ok bool) {
	if text, ok = r.load(name); ok && strings.HasSuffix(text, "\x00") {
		r.lost(name, 0, "its end is empty (zeros), as long as a program copies it; if it stays so, save it again")
		return "", false
	}
	return text, ok
}

var errTooLong = errors.New("is longer than 1 MiB; make it shorter")

func (r *reader) bytes(name string) ([]byte, error) {
	file, err := r.folder.Open(name)
	switch {
	case errors.Is(err, ErrBeingWritten):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("cannot be read (%w); look at its permissions", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxSidecar+1))
	if err != nil {
		return nil, fmt.Errorf("cannot be read to its end (%w); look at the drive", err)
	}
	if len(data) > maxSidecar {
		return nil, errTooLong
	}
	return data, nil
}

// product takes the texts of product.toml.
func (r *reader) product() {
	const file = "product.toml"
	for _, locale := range slices.Sorted(maps.Keys(r.folder.Product)) {
		for _, name := range slices.Sorted(maps.Keys(r.folder.Product[locale])) {
			list := []entry{{locale: locale, value: r.folder.Product[locale][name]}}
			frames := r.names.find(name)
			switch {
			case name == "*":
				r.takeAll(file, productAll, list)
			case frames == nil:
				r.lost(file, 0, "[alt.%s] names %q, which is no frame of this folder; correct the name", locale, name)
			default:
				r.take(file, productName, frames, list)
			}
		}
	}
}

// text takes S.E.de.txt and its like.
func (r *reader) text(name, base string) {
	o, ok := r.names.owner(base)
	if !ok {
		r.folderText(name, base)
		return
	}
	level := pick(o.whole, textName, textStem)
	if o.locale != "" {
		level = pick(o.whole, textNameLocale, textStemLocale)
	}
	if text, ok := r.loadWhole(name); ok {
		r.take(name, level, o.frames, []entry{{locale: o.locale, value: text}})
	}
}

// folderText takes alt.txt and alt.de.txt, where no frame has one of these names.
func (r *reader) folderText(name, base string) {
	stem, locale, named := cutLocale(base)
	level := folderPlain
	switch {
	case base == "alt":
		locale = ""
	case stem == "alt" && named:
		level = folderLocale
	default:
		r.note(name, 0, "names no frame of this folder; call it like a frame, for instance frame_01.jpg.de.txt")
		return
	}
	if text, ok := r.loadWhole(name); ok {
		r.takeAll(name, level, []entry{{locale: locale, value: text}})
	}
}

func pick(whole bool, name, stem rank) rank {
	if whole {
		return name
	}
	return stem
}

func (r *reader) csv(name string) {
	text, ok := r.loadWhole(name)
	if !ok {
		return
	}
	rows, flaws := parseCSV(text)
	for _, flaw := range flaws {
		r.flawed(name, flaw)
	}
	for _, row := range rows {
		frames := r.names.find(row.file)
		switch {
		case row.file == "*":
			r.takeAll(name, csvAll, row.texts)
		case frames == nil:
			r.lost(name, row.line, "%q is no frame of this folder; correct the name or remove the line", row.file)
		default:
			r.take(name, csvName, frames, row.texts)
		}
	}
}

// xmp takes S.E.xmp and S.xmp. A packet of no frame is left alone: folders with raw pictures are
// full of them.
func (r *reader) xmp(name, base string) {
	frames, whole := r.names.named(base)
	if frames == nil {
		return
	}
	text, ok := r.load(name)
	if !ok {
		return
	}
	list, err := parseXMP(text)
	if err != nil {
		r.flawed(name, err)
	}
	r.take(name, pick(whole, xmpName, xmpStem), frames, r.named(list))
}

// embedded takes the packet inside a frame.
func (r *reader) embedded(frame string, packet *Packet) {
	if packet.err != nil {
		r.lost(frame, 0, "its embedded XMP cannot be read: %v; write it again", packet.err)
	}
	r.take(frame, xmpEmbedded, []string{frame}, r.named(packet.texts))
}

// named gives the x-default text of XMP the folder's locale, unless the packet has one for it, and
// drops the x-repair that some programs leave behind.
func (r *reader) named(list []entry) []entry {
	own, _ := NormalizeLocale(r.folder.Locale)
	has := slices.ContainsFunc(list, func(s entry) bool {
		locale, err := NormalizeLocale(s.locale)
		return err == nil && locale == own
	})
	var kept []entry
	for _, s := range list {
		switch lower := strings.ToLower(s.locale); {
		case lower == "x-default" && !has:
			s.locale = ""
			kept = append(kept, s)
		case !strings.HasPrefix(lower, "x-"):
			kept = append(kept, s)
		}
	}
	return kept
}
