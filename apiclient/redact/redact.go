// Package redact takes secrets out of text that a host sent back, and makes the rest safe to show.
package redact

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Hidden is what a secret is shown as.
const Hidden = "***"

// How much of a text is shown, in characters.
const (
	MaxMessage = 300  // by Clean
	maxError   = 1000 // by Error
)

// wholeWordBelow is the number of characters of a secret that is Hidden inside words too. A shorter
// one is Hidden only as a word of its own: the gaps that it left in other words would give it away.
const wholeWordBelow = 6

// A Redactor hides known secrets in text, however their characters are spelled there: as they are,
// or escaped for JSON, HTML, XML or a URL, also one inside the other.
type Redactor [][]rune

// New returns a redactor of these secrets. Empty ones are none.
func New(secrets ...string) Redactor {
	var r Redactor
	for _, s := range secrets {
		if s != "" {
			r = append(r, []rune(s))
		}
	}
	// The longest first, or a secret that begins another would uncover the rest of it.
	slices.SortFunc(r, func(a, b []rune) int { return len(b) - len(a) })
	return r
}

// Clean returns text without secrets, safe to show, and cut to the length of a message.
func (r Redactor) Clean(text string) string { return r.cleanTo(text, MaxMessage) }

// Hide returns text of any length without secrets.
func (r Redactor) Hide(text string) string { return r.hide(text, len(text)) }

// cleanTo reads no more of the text than it shows.
func (r Redactor) cleanTo(text string, runes int) string { return Escape(r.hide(text, runes)) }

func (r Redactor) hide(text string, runes int) string {
	var b strings.Builder
	for inWord := false; text != ""; runes-- {
		if runes == 0 {
			b.WriteString("…")
			break
		}
		if n := r.secretAt(text, inWord); n > 0 {
			b.WriteString(Hidden)
			text, inWord = text[n:], false
			continue
		}
		_, n := utf8.DecodeRuneInString(text)
		b.WriteString(text[:n])
		inWord, text = beginsWord(text), text[n:]
	}
	return b.String()
}

// Error returns an error without the secrets in its text. A host's words may have come into it.
func (r Redactor) Error(err error) error {
	text := err.Error()
	clean := r.cleanTo(text, maxError)
	if clean == text {
		return err
	}
	return cleanError{clean, err}
}

// cleanError is an error in other words.
type cleanError struct {
	text string
	err  error
}

func (e cleanError) Error() string { return e.text }

func (e cleanError) Unwrap() error { return e.err }

// secretAt returns how many bytes of the text's beginning spell a secret, or 0. The text may stand
// inside a word.
func (r Redactor) secretAt(text string, inWord bool) int {
	for _, secret := range r {
		n := spells(text, secret)
		partOfWord := inWord || beginsWord(text[n:])
		if n > 0 && (len(secret) >= wholeWordBelow || !partOfWord) {
			return n
		}
	}
	return 0
}

func beginsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// spells returns how many bytes of the text's beginning spell the secret. What looks like an escape
// may be the secret's own, so that there may be several ways to read on.
func spells(text string, secret []rune) int {
	ends := []int{0}
	for _, want := range secret {
		var next []int
		for _, end := range ends {
			for depth := range maxSpelling + 1 {
				got, n := readSpelled(text[end:], depth)
				if n > 0 && same(got, want) && !slices.Contains(next, end+n) {
					next = append(next, end+n)
				}
				if !startsEscape(text[end:]) {
					break
				}
			}
		}
		if len(next) == 0 {
			return 0
		}
		ends = next
	}
	return slices.Max(ends)
}

// same knows that a form in a URL has + for a space, and that invalid UTF-8 was replaced before.
func same(got, want rune) bool {
	return got == want || got == '+' && want == ' ' || got == utf8.RuneError && want >= utf8.RuneSelf
}

const (
	maxSpelling = 4  // escapes inside each other
	maxEscape   = 32 // bytes
)

// readSpelled returns the character that the text begins with, so many escapes undone, and the
// number of bytes that spell it.
func readSpelled(text string, depth int) (rune, int) {
	if depth == 0 {
		return utf8.DecodeRuneInString(text)
	}
	r, n := unescapeOne(text)
	if n < 2 || !startsEscape(string(r)) {
		return r, n
	}
	inner, used := readSpelled(string(r)+text[n:min(n+maxEscape, len(text))], depth-1)
	return inner, n + used - 1
}

func startsEscape(text string) bool {
	return strings.HasPrefix(text, `\`) || strings.HasPrefix(text, "&") || strings.HasPrefix(text, "%")
}

// unescapeOne undoes one escape at the beginning of the text. Any other character stands for
// itself.
func unescapeOne(text string) (rune, int) {
	unescape := func(string) (rune, int) { return 0, 0 }
	switch {
	case strings.HasPrefix(text, `\`):
		unescape = unescapeJSON
	case strings.HasPrefix(text, "&"):
		unescape = unescapeHTML
	case strings.HasPrefix(text, "%"):
		unescape = unescapeURL
	}
	if r, n := unescape(text); n > 0 {
		return r, n
	}
	return utf8.DecodeRuneInString(text)
}

// unescapeJSON reads \u and four digits, twice for a character beyond 16 bits, or a backslash
// before any other character.
func unescapeJSON(text string) (rune, int) {
	first, ok := hexAt(text, `\u`, 4)
	if !ok {
		r, n := utf8.DecodeRuneInString(text[1:])
		if n == 0 {
			return 0, 0
		}
		return r, 1 + n
	}
	rest := strings.TrimLeft(text[6:], `\`) // of which there are more inside another escape
	if second, ok := hexAt(rest, "u", 4); ok && utf16.IsSurrogate(rune(first)) {
		return utf16.DecodeRune(rune(first), rune(second)), len(text) - len(rest) + 5
	}
	return rune(first), 6
}

// unescapeHTML reads an entity of HTML or XML.
func unescapeHTML(text string) (rune, int) {
	end := strings.IndexByte(text[:min(len(text), maxEscape)], ';') + 1 // 0: there is none
	said := html.UnescapeString(text[:end])
	if r, n := utf8.DecodeRuneInString(said); n == len(said) {
		return r, end
	}
	return 0, 0
}

// unescapeURL reads the bytes of one character in UTF-8, each as % and two digits. Where there are
// several, the % of each may be escaped once more.
func unescapeURL(text string) (rune, int) {
	if b, ok := hexAt(text, "%", 2); ok && b < utf8.RuneSelf && b != '%' {
		return rune(b), 3
	}
	var bytes []byte
	rest := text
	for !utf8.FullRune(bytes) {
		digits, _ := strings.CutPrefix(rest, "%")
		for strings.HasPrefix(digits, "25") {
			digits = digits[2:]
		}
		b, ok := hexAt(digits, "", 2)
		if !ok || b < utf8.RuneSelf || rest[0] != '%' {
			break
		}
		bytes, rest = append(bytes, byte(b)), digits[2:]
	}
	if r, n := utf8.DecodeRune(bytes); r != utf8.RuneError && n == len(bytes) {
		return r, len(text) - len(rest)
	}
	if strings.HasPrefix(text, "%25") {
		return '%', 3
	}
	return 0, 0
}

// hexAt reads a prefix and a number of hexadecimal digits.
func hexAt(text, prefix string, digits int) (uint64, bool) {
	rest, ok := strings.CutPrefix(text, prefix)
	if !ok || len(rest) < digits {
		return 0, false
	}
	value, err := strconv.ParseUint(rest[:digits], 16, 32)
	return value, err == nil
}

// Escape makes text of the service safe to show: control and other unprintable characters are
// written as escapes.
func Escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRuneToASCII(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// Userinfo hides what stands before an @, in an address that may not even parse.
func Userinfo(raw string) string {
	if i := strings.LastIndex(raw, "@"); i >= 0 {
		return Hidden + raw[i:]
	}
	return raw
}
