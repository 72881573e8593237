// Package terminal is how the program speaks, everywhere the same:
//
//   - Errors begin with a small letter and end without a full stop; the remedy follows a semicolon.
//   - Names of files, titles and other texts from outside pass through Printable on their way to a
//     terminal.
//   - What a script reads goes to standard output, and nothing else goes there with --json.
//   - Colour and bars are for terminals alone, and NO_COLOR turns them off.
package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable escapes what would not stand in its place on a terminal: control characters, marks that
// turn the direction of writing, line separators, and bytes that are no text.
func Printable(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsGraphic(r):
			b.WriteRune(r)
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// PrintableLines is printable for texts of several lines.
func PrintableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Printable(line)
	}
	return strings.Join(lines, "\n")
}

// Warn prints a line for a person who should know of something.
func Warn(w io.Writer, text string) { fmt.Fprintf(w, "%-9s  %s\n", "warning", PrintableLines(text)) }

// JSON prints a document for scripts that people can read too.
func JSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// Quoted writes a string as TOML, whose basic strings hold what those of JSON hold.
func Quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return `""`
	}
	return strings.TrimSpace(b.String())
}
