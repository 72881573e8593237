package names

import (
	"errors"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

var errPattern = errors.New("no valid pattern: a bracket is not closed, or a backslash is last")

// pattern is one line in the language of gitignore.
type pattern struct {
	glob     string  // folded, in doublestar's language; "" = an empty line or a comment
	says     opinion // ignored, or wanted after a "!"
	dirOnly  bool    // the line ended in a slash
	anchored bool    // it is about the path below the root, else about a name at any depth
}

func parsePattern(line string) (pattern, error) {
	p := pattern{says: ignored}
	line = trimSpaces(line)
	if strings.HasPrefix(line, "#") {
		return p, nil
	}
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		p.says, line = wanted, rest
	}
	if rest, ok := strings.CutSuffix(line, "/"); ok {
		p.dirOnly, line = true, rest
	}
	p.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	// "a/**" is what lies inside a; doublestar would count a itself.
	if rest, ok := strings.CutSuffix(line, "/**"); ok {
		line = rest + "/**/*"
	}
	p.glob = fold(escapeBraces(line))
	if !doublestar.ValidatePattern(p.glob) {
		return p, errPattern
	}
	return p, nil
}

// trimSpaces takes away the spaces at the end, save one behind a backslash.
func trimSpaces(line string) string {
	trimmed := strings.TrimRight(line, " \t\r\n")
	if strings.HasSuffix(trimmed, `\`) && len(trimmed) < len(line) {
		return trimmed + " "
	}
	return trimmed
}

// escapeBraces makes braces mean themselves: gitignore knows no alternatives.
func escapeBraces(line string) string {
	return strings.NewReplacer(`\\`, `\\`, `\{`, `\{`, `\}`, `\}`, `{`, `\{`, `}`, `\}`).Replace(line)
}

// match compares with the folded path below the root, or with the folded name alone.
func (p pattern) match(full, name string, dir bool) bool {
	if p.dirOnly && !dir {
		return false
	}
	if p.anchored {
		return doublestar.MatchUnvalidated(p.glob, full)
	}
	return doublestar.MatchUnvalidated(p.glob, name)
}

// nameSet finds which of many patterns fit a name. Most patterns are a plain name or an ending;
// these cost one map access together, so that a long list costs a reading of 250,000 names nothing.
type nameSet struct {
	count   int
	exact   map[string]int // the last one, by name
	begins  [256]bool      // the first bytes of exact names: most names need no map access
	endings map[string]int // "*.tmp" by ".tmp"
	globs   [256][]glob    // by the first byte, 0 where that may be any
}

type glob struct {
	index   int
	pattern string
	literal string // its longest plain part, which every name that fits contains
}

// add appends a pattern without slashes.
func (s *nameSet) add(p string) error {
	p = fold(p)
	if p == "" || !doublestar.ValidatePattern(p) || strings.Contains(p, "/") {
		return errPattern
	}
	if s.exact == nil {
		s.exact, s.endings = map[string]int{}, map[string]int{}
	}
	i := s.count
	s.count++
	switch ending, star := strings.CutPrefix(p, "*"); {
	case !hasMeta(p):
		s.exact[p] = i
		s.begins[p[0]] = true
	case star && !hasMeta(ending) && path.Ext(ending) == ending && ending != "":
		s.endings[ending] = i
	case strings.IndexByte(meta, p[0]) >= 0:
		s.globs[0] = append(s.globs[0], glob{i, p, literalOf(p)})
	default:
		s.globs[p[0]] = append(s.globs[p[0]], glob{i, p, literalOf(p)})
	}
	return nil
}

// last gives the index of the last pattern that fits the folded name, or -1.
func (s *nameSet) last(folded string) int {
	best := -1
	if s.begins[folded[0]] {
		if i, ok := s.exact[folded]; ok {
			best = i
		}
	}
	if i, ok := s.endings[path.Ext(folded)]; ok {
		best = max(best, i)
	}
	for _, first := range []byte{0, folded[0]} {
		for _, g := range s.globs[first] {
			if g.index > best && g.match(folded) {
				best = g.index
			}
		}
	}
	return best
}

const meta = `*?[{\`

func hasMeta(p string) bool { return strings.ContainsAny(p, meta) }

func (g *glob) match(folded string) bool {
	return strings.Contains(folded, g.literal) && doublestar.MatchUnvalidated(g.pattern, folded)
}

// literalOf gives the longest plain part of a pattern, or "" where brackets, braces or escapes make
// that unclear.
func literalOf(p string) string {
	if strings.ContainsAny(p, `[{\`) {
		return ""
	}
	longest := ""
	for part := range strings.FieldsFuncSeq(p, func(c rune) bool { return c == '*' || c == '?' }) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}
