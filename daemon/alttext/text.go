package alttext

import (
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// decode turns a file's bytes into text: UTF-8, or UTF-16 that says so by its byte order mark.
// Other encodings cannot be told apart and would come out as garbage on a product page.
func decode(data []byte) (string, error) {
	text := string(data)
	switch {
	case strings.HasPrefix(text, "\xff\xfe"):
		return decode16(data[2:], binary.LittleEndian)
	case strings.HasPrefix(text, "\xfe\xff"):
		return decode16(data[2:], binary.BigEndian)
	}
	text = strings.TrimRight(strings.TrimPrefix(text, "\ufeff"), "\x00")
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return "", errors.New("is not UTF-8 text; save it as UTF-8")
	}
	return text, nil
}

func decode16(data []byte, order binary.ByteOrder) (string, error) {
	if len(data)%2 != 0 {
		return "", errors.New("is UTF-16 with half a character at its end; save it as UTF-8")
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return string(utf16.Decode(units)), nil
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

// fill puts the fields of the i-th frame into a template. Field values are not searched for further
// fields.
func (r *reader) fill(template string, i int) string {
	filled := strings.NewReplacer(
		"{n}", strconv.Itoa(i+1),
		"{total}", strconv.Itoa(len(r.Frames)),
		"{title}", r.Title,
		"{sku}", r.SKU,
	).Replace(template)
	return clean(filled)
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
