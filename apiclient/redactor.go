package apiclient

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
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
	messageLength = 300
	errorLength   = 1000
)

// wholeWordBelow is the number of characters of a secret that is Hidden inside words too. A shorter
// one is Hidden only as a word of its own: the gaps that it left in other words would give it away.
const wholeWordBelow = 6

// A Redactor hides known secrets in text: as they are, and as hosts escape them in JSON, HTML and
// URLs.
type Redactor struct {
	anywhere *strings.Replacer
	words    []string // hidden as words only, the longest first
}

// NewRedactor returns a redactor of these secrets. Empty ones are none.
func NewRedactor(secrets ...string) Redactor {
	var long, short []string
	for _, secret := range secrets {
		switch n := utf8.RuneCountInString(secret); {
		case n >= wholeWordBelow:
			long = append(long, spellings(secret)...)
		case n > 0:
			short = append(short, spellings(secret)...)
		}
	}
	var pairs []string
	for _, spelling := range longestFirst(long) {
		pairs = append(pairs, spelling, Hidden)
	}
	return Redactor{strings.NewReplacer(pairs...), longestFirst(short)}
}

// longestFirst sorts texts so, or a secret that begins another would uncover the rest of it.
func longestFirst(texts []string) []string {
	slices.Sort(texts)
	texts = slices.Compact(texts)
	slices.SortStableFunc(texts, func(a, b string) int { return len(b) - len(a) })
	return texts
}

// Hide returns text of any length without secrets.
func (r Redactor) Hide(text string) string {
	text = r.anywhere.Replace(text)
	for _, word := range r.words {
		text = hideWord(text, word)
	}
	return text
}

func hideWord(text, word string) string {
	var b strings.Builder
	written := 0
	for at := 0; ; at++ {
		next := strings.Index(text[at:], word)
		if next < 0 {
			break
		}
		at += next
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(word):])
		if isOfWord(before) || isOfWord(after) {
			continue
		}
		b.WriteString(text[written:at] + Hidden)
		written = at + len(word)
		at = written - 1
	}
	return b.String() + text[written:]
}

func isOfWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// clean returns text without secrets, safe to show, and cut to the length of a message.
func (r Redactor) clean(text string) string { return r.cleanTo(text, messageLength) }

// cleanTo cuts the text after the secrets are hidden: half a secret would not be found.
func (r Redactor) cleanTo(text string, runes int) string {
	text = r.Hide(text)
	for at := range text {
		if runes--; runes < 0 {
			text = text[:at] + "…"
			break
		}
	}
	return printable(text)
}

// cleanError returns an error without the secrets in its text. A host's words may have come into
// it.
func (r Redactor) cleanError(err error) error {
	text := err.Error()
	clean := r.cleanTo(text, errorLength)
	if clean == text {
		return err
	}
	return reworded{clean, err}
}

// reworded is an error in other words.
type reworded struct {
	text string
	err  error
}

func (e reworded) Error() string { return e.text }

func (e reworded) Unwrap() error { return e.err }

// spellings are the ways in which hosts repeat a text.
func spellings(text string) []string {
	all := longestFirst(slices.Concat([]string{text}, inJSON(text), inHTML(text), inURL(text)))
	for _, s := range slices.Clone(all) {
		all = append(all, inJSON(s)...)
	}
	return all
}

// jsonEscapes are what encoders of JSON escape in addition to what every one must.
var jsonEscapes = []*strings.Replacer{
	strings.NewReplacer(), // JavaScript, Python
	strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`),                               // Go, Ruby on Rails
	strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "=", `\u003d`, "'", `\u0027`), // Gson
	strings.NewReplacer("/", `\/`), // PHP
}

// dotNetEscapes are those of .NET, which also writes its digits in upper case.
var dotNetEscapes = strings.NewReplacer(`\"`, `\u0022`, "'", `\u0027`, "&", `\u0026`, "+", `\u002B`,
	"<", `\u003C`, ">", `\u003E`, "`", `\u0060`)

// inJSON spells a text as it is between the quotes of a JSON string.
func inJSON(text string) []string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string never fails
	plain := strings.TrimSuffix(b.String(), "\n")
	plain = plain[1 : len(plain)-1]
	all := []string{inASCII(dotNetEscapes.Replace(plain), `\u%04X`)}
	for _, escapes := range jsonEscapes {
		escaped := escapes.Replace(plain)
		all = append(all, escaped, inASCII(escaped, `\u%04x`))
	}
	return all
}

// inASCII writes each other character as an escape, or as two.
func inASCII(text, escape string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		if unit < utf8.RuneSelf {
			b.WriteByte(byte(unit))
		} else {
			fmt.Fprintf(&b, escape, unit)
		}
	}
	return b.String()
}

// htmlEscapes differ in what they make of quotes.
var htmlEscapes = []*strings.Replacer{
	htmlEscape(`"`, "'"),           // in text
	htmlEscape("&quot;", "'"),      // PHP
	htmlEscape("&quot;", "&#039;"), // PHP 8.1 and later
	htmlEscape("&quot;", "&#39;"),  // JavaScript, Ruby
	htmlEscape("&quot;", "&#x27;"), // Python
	htmlEscape("&quot;", "&apos;"), // XML
	htmlEscape("&#34;", "&#39;"),   // Go
}

func htmlEscape(quote, apostrophe string) *strings.Replacer {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, quote, "'", apostrophe)
}

func inHTML(text string) (all []string) {
	for _, escapes := range htmlEscapes {
		all = append(all, escapes.Replace(text))
	}
	return all
}

var urlEscape = regexp.MustCompile(`%[0-9A-F]{2}`)

// inURL spells a text as it is in a path or a query.
func inURL(text string) (all []string) {
	query := url.QueryEscape(text)
	for _, escaped := range []string{query, strings.ReplaceAll(query, "+", "%20"), url.PathEscape(text)} {
		all = append(all, escaped, urlEscape.ReplaceAllStringFunc(escaped, strings.ToLower))
	}
	return all
}

// printable makes text of the service safe to show: control and other unprintable characters are
// written as escapes.
func printable(s string) string {
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

// withoutUserinfo hides what is before an @, in an address that may not even parse.
func withoutUserinfo(raw string) string {
	if i := strings.LastIndex(raw, "@"); i >= 0 {
		return Hidden + raw[i:]
	}
	return raw
}
