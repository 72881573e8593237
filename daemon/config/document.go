package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// Mistake is one fault in a file. Its message never quotes a value that may be a secret.
type Mistake struct {
	Line    int    // counted from 1; 0 when it belongs to no line
	Key     string // as in "upload.limit"; empty when it belongs to no key
	Message string // the fault and the remedy
}

func (m Mistake) String() string {
	var b strings.Builder
	if m.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", m.Line)
	}
	if m.Key != "" {
		fmt.Fprintf(&b, "%s: ", m.Key)
	}
	return b.String() + m.Message
}

// Mistakes is everything that is wrong in a file, in the order of its lines.
type Mistakes []Mistake

// maxListed is the number of mistakes that are listed at once.
const maxListed = 50

func (m Mistakes) Error() string {
	if len(m) == 1 {
		return m[0].String()
	}
	text := fmt.Sprintf("%d mistakes", len(m))
	for _, mistake := range m[:min(len(m), maxListed)] {
		text += "\n  " + mistake.String()
	}
	if more := len(m) - maxListed; more > 0 {
		text += fmt.Sprintf("\n  and %d more", more)
	}
	return text
}

// document is a TOML file being read. A key becomes known when the code asks for it, so that there
// is no second list of keys.
type document struct {
	root     *table         // nil when the file is not TOML
	lines    map[string]int // by path
	tables   []*table       // every table that was asked for
	mistakes Mistakes
}

// emptyEnd is the mistake of a file whose length was set and whose content did not come.
const emptyEnd = "its end is empty (zeros), as where a copy was broken off; save it again"

// newDocument returns a document with one mistake and without a root when the text is not TOML.
func newDocument(data []byte) *document {
	text := strings.TrimPrefix(string(data), "\ufeff")
	switch {
	case len(data) > MaxSize:
		return unreadable(0, fmt.Sprintf("the file is larger than %d KiB; shorten it", MaxSize>>10))
	case strings.HasSuffix(text, "\x00\x00"):
		return unreadable(0, emptyEnd)
	case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		return unreadable(0, "the file is not text in UTF-8; save it as UTF-8")
	}
	lines, err := keyLines(text)
	if err != nil {
		return unreadable(0, err.Error())
	}
	values := map[string]any{}
	meta, err := toml.Decode(text, &values)
	if err != nil {
		return notTOML(text, err)
	}
	d := &document{lines: paths(meta.Keys(), lines, values)}
	d.root = d.open("", "", values)
	return d
}

func unreadable(line int, message string) *document {
	return &document{mistakes: Mistakes{{Line: line, Message: message}}}
}

// notTOML finds a sentence for an error of the decoder. The decoder's own words are not shown: they
// quote values, and a value may be a password.
func notTOML(text string, err error) *document {
	var parse toml.ParseError
	if !errors.As(err, &parse) {
		return unreadable(0, "the file is not TOML")
	}
	start := min(max(0, parse.Position.Start), len(text)) // of the text in question; -1 for some errors
	line := 1 + strings.Count(text[:start], "\n")
	if defined, ok := strings.CutPrefix(parse.Message, "Key '"); ok {
		key, _, _ := strings.Cut(defined, "'")
		message := "the file has it already; remove one of the two"
		if key == "watch" || key == "upload.limits" {
			message = fmt.Sprintf("write [[%s]] with two brackets, once for each", key)
		}
		return &document{mistakes: Mistakes{{Line: line, Key: key, Message: message}}}
	}
	return unreadable(line, `this cannot be read; write text between single quotes, as in '5s' or 'C:\shoots', `+
		"a heading like [service] or [[watch]], and each key on a line of its own")
}

func (d *document) open(name, path string, values map[string]any) *table {
	t := &table{doc: d, name: name, path: path, values: values, asked: map[string]bool{}}
	d.tables = append(d.tables, t)
	return t
}

// finish reports the keys that the code never asked for. It returns all mistakes, or nil.
func (d *document) finish() error {
	for _, t := range d.tables {
		for _, key := range slices.Sorted(maps.Keys(t.values)) {
			if !t.asked[key] {
				t.mistake(key, "unknown key%s", d.advice(t, key))
			}
		}
	}
	if len(d.mistakes) == 0 {
		return nil
	}
	slices.SortStableFunc(d.mistakes, func(a, b Mistake) int { return a.Line - b.Line })
	return d.mistakes
}

// advice suggests the key that was meant: a similar key of the same table, or the same key of
// another table.
func (d *document) advice(t *table, key string) string {
	if near := Nearest(key, slices.Sorted(maps.Keys(t.asked))); len(near) > 0 {
		return fmt.Sprintf("; did you mean %s?", near[0])
	}
	for _, other := range d.tables {
		switch {
		case other == t || !other.asked[key]:
		case other.name == "":
			return "; it belongs at the top of the file"
		default:
			return fmt.Sprintf("; it belongs in [%s]", other.name)
		}
	}
	return ""
}

// table is a part of a document.
type table struct {
	doc    *document
	name   string // as in "upload.limits"
	path   string // as in "upload.limits[0]"
	values map[string]any
	asked  map[string]bool
}

// mistake reports that something is wrong with a key, at the line of the table
// when the key is not there.
func (t *table) mistake(key, format string, args ...any) {
	line, ok := t.doc.lines[join(t.path, key)]
	if !ok {
		line = t.doc.lines[t.path]
	}
	m := Mistake{Line: line, Key: join(t.name, key), Message: fmt.Sprintf(format, args...)}
	t.doc.mistakes = append(t.doc.mistakes, m)
}

func (t *table) get(key string) (value any, ok bool) {
	t.asked[key] = true
	value, ok = t.values[key]
	return value, ok
}

// table returns the table under key, an empty one when there is none.
func (t *table) table(key string) *table {
	value, ok := t.get(key)
	values, isTable := value.(map[string]any)
	if ok && !isTable {
		t.mistake(key, "want a table, got %s; write [%s] on a line of its own", kindOf(value), join(t.name, key))
	}
	return t.doc.open(join(t.name, key), join(t.path, key), values)
}

// elements returns the tables of the array under key.
func (t *table) elements(key string) []*table {
	name, path := join(t.name, key), join(t.path, key)
	value, ok := t.get(key)
	if !ok {
		return nil
	}
	if values, ok := value.(map[string]any); ok {
		t.mistake(key, "write [[%s]] with two brackets, once for each", name)
		return []*table{t.doc.open(name, path, values)}
	}
	items, ok := tablesIn(value)
	if !ok {
		t.mistake(key, "want tables, got %s; write [[%s]] on a line of its own, once for each", kindOf(value), name)
	}
	var tables []*table
	for i, values := range items {
		tables = append(tables, t.doc.open(name, index(path, i), values))
	}
	return tables
}

// tablesIn knows both forms in which the decoder returns a list of tables.
func tablesIn(value any) (tables []map[string]any, ok bool) {
	if tables, ok := value.([]map[string]any); ok {
		return tables, true
	}
	list, ok := value.([]any)
	for _, item := range list {
		values, isTable := item.(map[string]any)
		if !isTable {
			return nil, false
		}
		tables = append(tables, values)
	}
	return tables, ok
}

// read returns the value of a key as parse understands it. It returns fallback
// when the key is not there, and when the value is wrong, which it reports.
func read[T any](t *table, key string, fallback T, parse func(any) (T, error)) T {
	value, ok := t.get(key)
	if !ok {
		return fallback
	}
	parsed, err := parse(value)
	if err != nil {
		t.mistake(key, "%s", err)
		return fallback
	}
	return parsed
}

// require is read for a key that has to be there.
func require[T any](t *table, key, example string, parse func(any) (T, error)) T {
	if _, ok := t.get(key); !ok {
		t.mistake(key, "it is missing; write for instance %s = %s", key, example)
	}
	return read(t, key, *new(T), parse)
}
