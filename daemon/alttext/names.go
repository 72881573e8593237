package alttext

import (
	"path"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold makes names comparable that one file system or another takes for the same: letter case does
// not count, and neither does the form of accents, which macOS hands out decomposed.
func fold(name string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
}

// names finds frames by their folded names and stems. Two frames may share a stem.
type names struct {
	full, stem map[string][]string
}

func newNames(frames []string) names {
	n := names{full: map[string][]string{}, stem: map[string][]string{}}
	for _, frame := range frames {
		full := fold(frame)
		n.full[full] = append(n.full[full], frame)
		if stem := strings.TrimSuffix(full, path.Ext(full)); stem != "" {
			n.stem[stem] = append(n.stem[stem], frame)
		}
	}
	return n
}

// find returns the frames that a person means by a name, which may lack its extension.
func (n names) find(name string) []string {
	frames, _ := n.named(fold(name))
	return frames
}

// named returns the frames of a folded name: whole, or by stem. None is nil.
func (n names) named(folded string) (frames []string, whole bool) {
	if frames := n.full[folded]; frames != nil {
		return frames, true
	}
	return n.stem[folded], false
}

// owner is the meaning of a text file's name.
type owner struct {
	frames []string
	whole  bool   // it names the frame with its extension
	locale string // "" = none
}

// owner finds the frames of a text file from its folded name without .txt. The longest frame name
// that fits wins, then the longest stem. The remainder must be empty or a locale. So where there is a
// frame shoe.de.jpg, shoe.de.txt is its text, and no German one of shoe.jpg.
func (n names) owner(base string) (owner, bool) {
	if frames := n.full[base]; frames != nil {
		return owner{frames: frames, whole: true}, true
	}
	rest, locale, ok := cutLocale(base)
	if frames := n.full[rest]; ok && frames != nil {
		return owner{frames: frames, whole: true, locale: locale}, true
	}
	if frames := n.stem[base]; frames != nil {
		return owner{frames: frames}, true
	}
	if frames := n.stem[rest]; ok && frames != nil {
		return owner{frames: frames, locale: locale}, true
	}
	return owner{}, false
}

// cutLocale splits "shoe.de" into shoe and de.
func cutLocale(base string) (rest, locale string, ok bool) {
	i := strings.LastIndexByte(base, '.')
	if i < 0 {
		return "", "", false
	}
	_, err := NormalizeLocale(base[i+1:])
	return base[:i], base[i+1:], err == nil
}
