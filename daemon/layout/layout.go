// Package layout reads the path of a product folder by a pattern. Call Parse,
// then the Layout for each folder: "{project}/{sku} - {title}" takes a project
// from the first directory below a root and a SKU and a title from the second.
//
// A pattern is a list of segments separated by "/". A segment is literal text
// with fields in braces, or "*", which fits any directory and has no field.
// The package reads names alone. It refuses to guess: a pattern that could
// be read in two ways is an error when it is parsed, and a folder that does not
// fit is an error that names the segment.
package layout

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fields are the details of a product in its folder's path. A field that the pattern names
// is never empty; all others are. All are in NFC and without white space around them.
type Fields struct {
	Project, SKU, Title, Manufacturer, Year string
}

// Complete returns the fields with the SKU standing in for a missing title and
// the title for a missing SKU.
func (f Fields) Complete() Fields {
	f.Title, f.SKU = cmp.Or(f.Title, f.SKU), cmp.Or(f.SKU, f.Title)
	return f
}

// Layout is a parsed pattern. The zero value fits no folder.
type Layout struct {
	pattern  string
	segments []segment
}

// String returns the pattern as it was given to Parse.
func (l Layout) String() string { return l.pattern }

// Example returns the pattern without its braces, as people read it: project/sku.
func (l Layout) Example() string { return strings.NewReplacer("{", "", "}", "").Replace(l.pattern) }

// MarshalText implements encoding.TextMarshaler.
func (l Layout) MarshalText() ([]byte, error) { return []byte(l.pattern), nil }

// Depth returns how many directories below its root a product folder lies.
func (l Layout) Depth() int { return len(l.segments) }

// HasProject reports whether the pattern holds {project}.
func (l Layout) HasProject() bool { return l.has("project") }

func (l Layout) has(field string) bool {
	return slices.ContainsFunc(l.segments, func(s segment) bool { return slices.Contains(s.fields, field) })
}

// Match reads the fields out of a folder's path below its root, separated by
// "/" on every system. Of several fields in one segment the earlier ones are as
// short as the literal text between them allows. Names are compared in NFC,
// because macOS hands out NFD.
func (l Layout) Match(folder string) (Fields, error) {
	names := strings.Split(folder, "/")
	if len(names) != len(l.segments) {
		return Fields{}, fmt.Errorf("its path has %d segments, layout %q has %d", len(names), l.pattern, len(l.segments))
	}
	var f Fields
	for i, s := range l.segments {
		if err := s.match(names[i], &f); err != nil {
			return Fields{}, fmt.Errorf("segment %d: %w", i+1, err)
		}
	}
	return f, nil
}

// segment is the pattern of one directory name. Field i stands between
// literals i and i+1, so there is one literal more than there are fields.
type segment struct {
	pattern  string
	skip     bool
	literals []string
	fields   []string
}

func (s segment) match(name string, f *Fields) error {
	if name == "" {
		return errors.New("the name is empty")
	}
	if s.skip {
		return nil
	}
	if !utf8.ValidString(name) {
		return fmt.Errorf("%q is not valid UTF-8; rename the folder", name)
	}
	values, ok := s.split(norm.NFC.String(name))
	if !ok {
		return fmt.Errorf("%q does not fit %q; rename the folder, or correct layout in [[watch]]", name, s.pattern)
	}
	for i, field := range s.fields {
		*f.field(field) = values[i]
	}
	return nil
}

// split cuts name at the segment's literals, one value for each field. Taking
// each literal at its first place never loses a match, because what follows
// only becomes longer.
func (s segment) split(name string) (values []string, ok bool) {
	last := len(s.fields)
	rest, ok := strings.CutPrefix(name, s.literals[0])
	if !ok || last == 0 {
		return nil, ok && rest == ""
	}
	if rest, ok = strings.CutSuffix(rest, s.literals[last]); !ok {
		return nil, false
	}
	for _, literal := range s.literals[1:last] {
		value, after, ok := cutAfterText(rest, literal)
		if !ok {
			return nil, false
		}
		values, rest = append(values, value), after
	}
	rest = strings.TrimSpace(rest)
	return append(values, rest), rest != ""
}

// cutAfterText cuts s at the first literal that has more than white space
// before it.
func cutAfterText(s, literal string) (before, after string, ok bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", "", false
	}
	i := strings.Index(s[1:], literal) + 1
	if i == 0 {
		return "", "", false
	}
	return strings.TrimSpace(s[:i]), s[i+len(literal):], true
}
