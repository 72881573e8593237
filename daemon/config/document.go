package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	root     *table         // nil when the file cannot be read
	lines    map[string]int // by path
	tables   []*table       // every table that was asked for
	leftOut  []int          // lines that are not TOML, and are told
	mistakes Mistakes
}

// newDocument returns a document with mistakes when the text is not TOML. If it can be read without
// the wrong lines it has a root too, so that a person is told of all mistakes at once.
func newDocument(data []byte) *document {
	if len(data) > MaxSize {
		tooLarge := fmt.Sprintf("the file is larger than %d KiB; shorten it", MaxSize>>10)
		return &document{mistakes: Mistakes{{Message: tooLarge}}}
	}
	lines, err := keyLines(string(data))
	if err != nil {
		return &document{mistakes: Mistakes{{Message: err.Error()}}}
	}
	d := &document{lines: lines}
	if values := d.decode(string(data)); values != nil {
		d.root = d.open("", "", values)
	}
	return d
}

// decode returns the values of a text, nil when it cannot be read. Wrong lines that hold a key with
// its whole value are left out.
func (d *document) decode(text string) map[string]any {
	for len(d.mistakes) < maxListed {
		values := map[string]any{}
		_, err := toml.Decode(text, &values)
		if err == nil {
			return values
		}
		m := syntaxMistake(text, err)
		d.mistakes = append(d.mistakes, m)
		if !isPair(lineOf(text, m.Line)) {
			return nil
		}
		d.leftOut = append(d.leftOut, m.Line)
		lines := strings.Split(text, "\n")
		lines[m.Line-1] = ""
		text = strings.Join(lines, "\n")
	}
	return nil
}

// isPair reports whether a line is a key with a value that does not span lines.
func isPair(line string) bool {
	key, value, found := strings.Cut(line, "=")
	heading := strings.HasPrefix(strings.TrimSpace(key), "[")
	value = strings.TrimSpace(value)
	return found && !heading && !slices.ContainsFunc([]string{"[", "{", `"""`, `'''`},
		func(opening string) bool { return strings.HasPrefix(value, opening) })
}

// syntaxMistake keeps the decoder's message, unless it may quote a password or a token.
func syntaxMistake(text string, err error) Mistake {
	var parse toml.ParseError
	if !errors.As(err, &parse) {
		return Mistake{Message: err.Error()}
	}
	m := Mistake{Line: parse.Position.Line, Key: parse.LastKey, Message: parse.Message}
	switch line := strings.ToLower(lineOf(text, m.Line)); {
	case strings.Contains(strings.ToLower(m.Key), "pass") || strings.Contains(line, "pass"):
		m.Message = "this cannot be read; write the password between single quotes, or name a file with password_file"
	case strings.Contains(line, "webhook"):
		m.Message = "this cannot be read; write the address between double quotes"
	case strings.Contains(m.Message, "escape") || strings.Contains(m.Message, "hexadecimal"):
		m.Message += pathRemedy
	default:
		m.explain()
	}
	return m
}

// explain replaces the decoder's words, which are those of a grammar, by plain ones.
func (m *Mistake) explain() {
	said := func(words string) bool { return strings.Contains(m.Message, words) }
	switch heading := said("end table name") || said("table array name"); {
	case heading:
		if said(`'\n'`) {
			m.Line-- // the decoder has gone on to the next one
		}
		m.Key, m.Message = "", "the heading is not closed; write it like [service] or [[watch]]"
	case said("cannot contain newlines"):
		m.Message = "the closing quote is missing"
	case said("expected value"):
		m.Message = "this is no value; write text between double quotes, numbers in digits, and close each list with ]"
	case said("expected '.' or '='"):
		m.Key, m.Message = "", `this is neither a key with = and a value, nor a heading like [service]`
	case said("top-level item to end"):
		m.Key, m.Message = "", "something follows where the line should end; "+
			"write text between double quotes, and each key on a line of its own"
	case said("already been defined"):
		m.Key, _, _ = strings.Cut(strings.TrimPrefix(m.Message, "Key '"), "'")
		m.Message = "the file has it already; remove one of the two"
		if m.Key == "watch" || m.Key == "upload.limits" {
			m.Message = fmt.Sprintf("write [[%s]] with two brackets, once for each", m.Key)
		}
	}
}

func lineOf(text string, n int) string {
	lines := strings.SplitN(text, "\n", n+1)
	if n < 1 || n > len(lines) {
		return ""
	}
	return lines[n-1]
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
// when the key is not there. A line that was left out is told already.
func (t *table) mistake(key, format string, args ...any) {
	line, ok := t.doc.lines[join(t.path, key)]
	switch {
	case !ok:
		line = t.doc.lines[t.path]
	case slices.Contains(t.doc.leftOut, line):
		return
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
