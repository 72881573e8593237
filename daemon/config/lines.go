package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// maxDepth bounds tables within tables. The TOML decoder needs seconds for a
// few kilobytes of deeper ones.
const maxDepth = 8

var errTooDeep = errors.New("tables lie too deep within one another")

// keyLines returns the line of each key of a TOML text. The decoder tells no lines, and each
// mistake is reported with its own. Keys are paths as table.path writes them. In a text that is not
// TOML it finds as many keys as possible.
func keyLines(text string) (map[string]int, error) {
	s := scanner{text: strings.TrimPrefix(text, "\ufeff"), line: 1, lines: map[string]int{}, elements: map[string]int{}}
	s.document()
	if s.tooDeep {
		return nil, errTooDeep
	}
	return s.lines, nil
}

// scanner goes through a text key by key and skips the values. Every step of it
// takes at least one byte, so that it ends on any text.
type scanner struct {
	text     string // not scanned yet
	line     int    // of its first byte
	depth    int
	tooDeep  bool
	lines    map[string]int
	elements map[string]int // of each array of tables, so far
}

func (s *scanner) document() {
	table := ""
	for s.skipBlank("\n"); s.text != ""; s.skipBlank("\n") {
		line := s.line
		element := s.take("[[")
		if !element && !s.take("[") {
			s.pair(table)
			continue
		}
		table = s.header(s.key(), element)
		s.lines[table] = line
		s.skipLine()
	}
}

// header returns the path of the table that a header opens. Below an array of
// tables it means the array's newest element.
func (s *scanner) header(key []string, element bool) string {
	path := ""
	for i, part := range key {
		path = join(path, part)
		s.note(path, s.line)
		if element && i == len(key)-1 {
			s.elements[path]++
		}
		if n := s.elements[path]; n > 0 {
			path = index(path, n-1)
		}
	}
	return path
}

func (s *scanner) pair(table string) {
	line := s.line
	path := table
	for _, part := range s.key() {
		path = join(path, part)
		s.note(path, line)
	}
	s.skipBlank("")
	if !s.take("=") {
		s.advance(1)
		return
	}
	s.skipBlank("")
	s.value(path)
}

// note keeps the first line of a table that has no header of its own.
func (s *scanner) note(path string, line int) {
	if _, ok := s.lines[path]; !ok {
		s.lines[path] = line
	}
}

func (s *scanner) value(path string) {
	for _, quote := range []string{`"""`, `'''`, `"`, `'`} {
		if s.take(quote) {
			s.skipString(quote)
			return
		}
	}
	switch {
	case s.take("["):
		s.nested("]", func(i int) { s.value(index(path, i)) })
	case s.take("{"):
		s.nested("}", func(int) { s.pair(path) })
	default:
		s.advance(1)
		s.skipUntilAny(",]}#\n")
	}
}

// nested reads the items of an array or an inline table, up to its end.
func (s *scanner) nested(end string, item func(i int)) {
	if s.depth++; s.depth > maxDepth {
		s.tooDeep, s.text = true, ""
	}
	defer func() { s.depth-- }()
	for i := 0; ; i++ {
		s.skipBlank("\n")
		if s.text == "" || s.take(end) {
			return
		}
		item(i)
		s.skipBlank("\n")
		s.take(",")
	}
}

// key reads a dotted key and returns its parts.
func (s *scanner) key() []string {
	var parts []string
	for {
		s.skipBlank("")
		parts = append(parts, s.keyPart())
		s.skipBlank("")
		if !s.take(".") {
			break
		}
	}
	if len(parts) > maxDepth {
		s.tooDeep, s.text = true, ""
	}
	return parts
}

func (s *scanner) keyPart() string {
	before := s.text
	switch {
	case s.take("'"):
		s.skipString("'")
		return strings.Trim(before[:len(before)-len(s.text)], "'")
	case s.take(`"`):
		s.skipString(`"`)
		return unquote(before[:len(before)-len(s.text)])
	}
	s.skipUntilAny(" \t.=]}#\r\n")
	return before[:len(before)-len(s.text)]
}

// unquote lets the decoder read the escapes of a string, which are not Go's.
func unquote(quoted string) string {
	if !strings.Contains(quoted, `\`) {
		return strings.Trim(quoted, `"`)
	}
	var v struct{ S string }
	if _, err := toml.Decode("S="+quoted, &v); err != nil {
		return quoted
	}
	return v.S
}

// skipString skips the rest of a string after its opening quote.
func (s *scanner) skipString(quote string) {
	multiline := len(quote) == 3
	for s.text != "" && (multiline || s.text[0] != '\n') {
		switch {
		case s.take(quote):
			// Up to two quotes may stand right before the closing three; none follows a single one.
			for i := 0; i < 2 && s.take(quote[:1]); i++ {
			}
			return
		case s.text[0] == '\\' && quote[0] == '"':
			s.advance(2)
		default:
			s.advance(1)
		}
	}
}

// skipBlank skips white space and, where it may span lines, comments too.
func (s *scanner) skipBlank(newline string) {
	for {
		s.advance(len(s.text) - len(strings.TrimLeft(s.text, " \t\r"+newline)))
		if newline == "" || !strings.HasPrefix(s.text, "#") {
			return
		}
		s.skipLine()
	}
}

func (s *scanner) skipLine() { s.skipUntilAny("\n") }

func (s *scanner) skipUntilAny(chars string) {
	n := strings.IndexAny(s.text, chars)
	if n < 0 {
		n = len(s.text)
	}
	s.advance(n)
}

func (s *scanner) take(prefix string) bool {
	if !strings.HasPrefix(s.text, prefix) {
		return false
	}
	s.advance(len(prefix))
	return true
}

func (s *scanner) advance(n int) {
	n = min(n, len(s.text))
	s.line += strings.Count(s.text[:n], "\n")
	s.text = s.text[n:]
}

func join(path, key string) string {
	key = toml.Key{key}.String()
	if path == "" {
		return key
	}
	return path + "." + key
}

func index(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }
