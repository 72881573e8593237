package alttext

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	utf "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// decode turns a file's bytes into text: UTF-8, or UTF-16 with a byte order mark.
// Other encodings cannot be recognised and would come out as garbage on a product page. Zeros at the
// end are kept.
func decode(data []byte) (string, error) {
	byMark := encoding.Nop.NewDecoder()
	text, _, err := transform.String(utf.BOMOverride(byMark), string(data))
	if err != nil || !utf8.ValidString(text) || strings.ContainsAny(strings.TrimRight(text, "\x00"), "\x00\ufffd") {
		return "", errors.New("is not UTF-8 text; save it as UTF-8")
	}
	return text, nil
}

// clean makes one line of a text: line ends and tabs become a space, and other control characters
// go. The result is trimmed and composed (NFC).
func clean(text string) string {
	text = strings.ToValidUTF8(text, "")
	text = strings.ReplaceAll(text, "\r\n", " ")
	text = strings.Map(func(c rune) rune {
		switch {
		case strings.ContainsRune("\t\n\v\f\r\u0085\u2028\u2029", c):
			return ' '
		case unicode.IsControl(c), c == '\ufeff':
			return -1
		}
		return c
	}, text)
	return norm.NFC.String(strings.TrimSpace(text))
}

// fields are those of the i-th frame, each followed by its value.
func (r *reader) fields(i int) []string {
	return []string{"{n}", strconv.Itoa(i + 1), "{total}", strconv.Itoa(len(r.folder.Frames)), "{title}", r.folder.Title, "{sku}", r.folder.SKU}
}

// fill puts the fields of the i-th frame into a template. Field values are not searched for further
// fields.
func (r *reader) fill(template string, i int) string {
	return clean(strings.NewReplacer(r.fields(i)...).Replace(template))
}

// filledLength is the number of characters of a template that is filled in for the last frame.
func (r *reader) filledLength(template string) int {
	length := utf8.RuneCountInString(template)
	for pair := range slices.Chunk(r.fields(len(r.folder.Frames)-1), 2) {
		length += strings.Count(template, pair[0]) * (utf8.RuneCountInString(pair[1]) - len(pair[0]))
	}
	return length
}

// unknownField returns the first {field} of a template that is none, "" if all are known.
func unknownField(template string) string {
	for _, part := range strings.Split(template, "{")[1:] {
		name, _, closed := strings.Cut(part, "}")
		if !closed || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "" {
			continue
		}
		switch name {
		case "n", "total", "title", "sku":
		default:
			return "{" + name + "}"
		}
	}
	return ""
}
