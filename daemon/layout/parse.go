package layout

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const fieldNames = "{project}, {sku}, {title}, {manufacturer} and {year}"

// field returns the place of the field called name, nil when there is none.
func (f *Fields) field(name string) *string {
	switch name {
	case "project":
		return &f.Project
	case "sku":
		return &f.SKU
	case "title":
		return &f.Title
	case "manufacturer":
		return &f.Manufacturer
	case "year":
		return &f.Year
	}
	return nil
}

// Parse reads a pattern. Its errors name the segment and the remedy.
func Parse(pattern string) (Layout, error) {
	l := Layout{pattern: pattern}
	if err := checkPath(pattern); err != nil {
		return Layout{}, fmt.Errorf("layout %q: %w", pattern, err)
	}
	for i, part := range strings.Split(pattern, "/") {
		s, err := l.parseSegment(part)
		if err != nil {
			return Layout{}, fmt.Errorf("layout %q: segment %d: %w", pattern, i+1, err)
		}
		l.segments = append(l.segments, s)
	}
	if !l.has("sku") && !l.has("title") {
		return Layout{}, fmt.Errorf("layout %q: no field names the product; add {sku} or {title}", pattern)
	}
	return l, nil
}

func checkPath(pattern string) error {
	switch {
	case pattern == "":
		return errors.New(`the pattern is empty; write for instance "{project}/{sku}"`)
	case !utf8.ValidString(pattern):
		return errors.New("the pattern is not valid UTF-8")
	case strings.ContainsFunc(pattern, unicode.IsControl):
		return errors.New("the pattern holds a control character; no folder name does")
	case strings.Contains(pattern, `\`):
		return errors.New(`segments are separated by "/" on every system, not by "\"`)
	case strings.HasPrefix(pattern, "/") || hasDrive(pattern):
		return errors.New(`the pattern is an absolute path; it starts below the watched folder, for instance "{project}/{sku}"`)
	}
	return nil
}

func hasDrive(pattern string) bool {
	return len(pattern) > 1 && pattern[1] == ':' && pattern[0] < utf8.RuneSelf && unicode.IsLetter(rune(pattern[0]))
}

// parseSegment knows the segments before it, because a field may stand once in
// a pattern.
func (l Layout) parseSegment(part string) (segment, error) {
	switch part {
	case "":
		return segment{}, errors.New(`it is empty; write one "/" between segments and none at the end`)
	case ".", "..":
		return segment{}, fmt.Errorf("%q is no folder below the watched one; leave it out", part)
	case "*":
		return segment{pattern: part, skip: true}, nil
	}
	if part != strings.TrimSpace(part) {
		return segment{}, errors.New("it begins or ends with white space; remove it")
	}
	s := segment{pattern: part}
	for rest := norm.NFC.String(part); ; {
		literal, field, after, err := cutField(rest)
		if err != nil {
			return segment{}, err
		}
		s.literals = append(s.literals, literal)
		if field == "" {
			return s, nil
		}
		if err := l.checkField(s, field); err != nil {
			return segment{}, err
		}
		s.fields = append(s.fields, field)
		rest = after
	}
}

// cutField cuts s after its first field. The field is empty when there is none.
func cutField(s string) (literal, field, after string, err error) {
	literal, inside, found := strings.Cut(s, "{")
	switch {
	case strings.Contains(literal, "}"):
		return "", "", "", errors.New(`a "}" has no "{" before it`)
	case strings.Contains(literal, "*"):
		return "", "", "", errors.New(`"*" skips a whole segment and cannot stand beside other text`)
	case !found:
		return literal, "", "", nil
	}
	field, after, closed := strings.Cut(inside, "}")
	if !closed || strings.Contains(field, "{") {
		return "", "", "", errors.New(`a "{" has no "}" after it`)
	}
	if new(Fields).field(field) == nil {
		return "", "", "", fmt.Errorf("unknown field {%s}; the fields are %s", field, fieldNames)
	}
	return literal, field, after, nil
}

// checkField holds a field against those before it in the pattern.
func (l Layout) checkField(s segment, field string) error {
	if l.has(field) || slices.Contains(s.fields, field) {
		return fmt.Errorf("{%s} is in the pattern twice; keep one of them", field)
	}
	if n := len(s.fields); n > 0 && s.literals[n] == "" {
		return fmt.Errorf("it is unclear where {%s} ends and {%s} begins; put text between them", s.fields[n-1], field)
	}
	return nil
}
