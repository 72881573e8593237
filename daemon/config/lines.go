package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
)

// maxDepth bounds tables within tables. The TOML decoder needs hours for a
// megabyte of deeper ones.
const maxDepth = 8

var errTooDeep = errors.New("tables lie too deep within one another")

// token is a piece of a TOML text that decides where keys are: a string, a comment, the end of a
// line, or a sign. A string that is not closed ends with its line or with the text.
var token = regexp.MustCompile(`(?s)"""(?:\\.|[^\\])*?(?:"""+|\z)|'''.*?(?:'''+|\z)|` +
	`"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?|#[^\n]*|[\n=.,\[\]{}]`)

// keyLines returns the line of each heading and each key with a value, in the order of the text.
// In TOML they are those of toml.MetaData.Keys.
func keyLines(text string) (lines []int, err error) {
	line, depth, dots := 1, 0, 0
	begun := false // a heading or a key of the top level, which ends with its last line
	for _, t := range token.FindAllString(text, -1) {
		opens := t == "[" || t == "{"
		if t == "=" || opens && !begun {
			lines = append(lines, line)
			begun = true
		}
		switch {
		case opens:
			depth++
		case t == "]" || t == "}":
			depth--
		case t == "\n" && depth == 0:
			begun = false
		}
		switch t {
		case ".":
			dots++
		case "\n", "=", ",", "[", "{":
			dots = 0
		}
		if depth > maxDepth || dots >= maxDepth {
			return nil, errTooDeep
		}
		line += strings.Count(t, "\n")
	}
	return lines, nil
}

// paths returns the lines by the paths of their keys, as table.path writes them. The keys stand in
// the order of the text, and lines has one for each.
func paths(keys []toml.Key, lines []int, values map[string]any) map[string]int {
	l := located{lines: map[string]int{}, begun: map[string]int{}}
	for i, key := range keys {
		l.put("", values, key, lines[i])
	}
	delete(l.lines, "")
	return l.lines
}

// located has the lines of the keys that were met so far.
type located struct {
	lines map[string]int // by path
	begun map[string]int // the number of elements of each array that were met
}

// put gives a line to a key below the value at path. It reports false when the key has one already,
// or is not there. An element of an array without headings ends where a key follows that it has not,
// or has already.
func (l located) put(path string, value any, key toml.Key, line int) bool {
	switch value := value.(type) {
	case map[string]any:
		if len(key) == 0 {
			break
		}
		below, ok := value[key[0]]
		if ok = ok && l.put(join(path, key[0]), below, key[1:], line); ok {
			l.note(path, line)
		}
		return ok
	case []map[string]any: // each has a heading
		if len(key) == 0 {
			l.begun[path]++
		}
		l.note(path, line)
		i := l.begun[path] - 1
		return l.put(index(path, i), value[i], key, line)
	case []any:
		if len(key) == 0 {
			break
		}
		for i := max(0, l.begun[path]-1); i < len(value); i++ {
			if l.put(index(path, i), value[i], key, line) {
				l.begun[path] = i + 1
				l.note(path, line)
				return true
			}
		}
	}
	return len(key) == 0 && l.note(path, line)
}

// note keeps the first line of a table that has several.
func (l located) note(path string, line int) bool {
	if _, known := l.lines[path]; known {
		return false
	}
	l.lines[path] = line
	return true
}

func join(path, key string) string {
	key = toml.Key{key}.String()
	if path == "" {
		return key
	}
	return path + "." + key
}

func index(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }
