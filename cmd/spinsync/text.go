package main

// How the program speaks to people, everywhere the same:
//
//   - Errors begin with a small letter and end without a full stop; the remedy follows a semicolon.
//   - Names of files, titles and other texts from outside pass through printable on their way to
//     a terminal.
//   - What a script reads goes to standard output, and nothing else goes there with --json.
//   - Colour and bars are for terminals alone, and NO_COLOR turns them off.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// printable escapes what would not stand in its place on a terminal: control characters, marks that
// turn the direction of writing, line separators, and bytes that are no text.
func printable(s string) string {
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

// printableLines is printable for texts of several lines.
func printableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = printable(line)
	}
	return strings.Join(lines, "\n")
}

// table prints rows in columns, as wide as their widest cell on a terminal. The last column is not
// padded. Where lines have an end no column takes more than half of one, and a last cell that does
// not fit has a line of its own, which is not broken: it may hold a command to be copied.
func table(w io.Writer, rows [][]string) error {
	most := columnsOf(w)
	widths := tableWidths(rows, most/2)
	var b strings.Builder
	for _, row := range rows {
		line, last := tableLine(row, widths), len(row)-1
		if most > 0 && last > 0 && row[last] != "" && uniseg.StringWidth(line) > most {
			line = tableLine(row[:last], widths) + "\n    " + printable(row[last])
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// tableWidths is how wide the columns of a table are, up to most where that is not 0.
func tableWidths(rows [][]string, most int) (widths []int) {
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], uniseg.StringWidth(printable(cell)))
		}
	}
	for i := range widths {
		if most > 0 {
			widths[i] = min(widths[i], most)
		}
	}
	return widths
}

func tableLine(row []string, widths []int) string {
	var b strings.Builder
	for i, cell := range row {
		cell = printable(cell)
		b.WriteString(cell)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", max(0, widths[i]-uniseg.StringWidth(cell))+2))
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// printJSON prints a document for scripts that people can read too.
func printJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// counted is "1 frame" or "36 frames".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// terminal returns the file behind a stream when it is a terminal.
func terminal(stream any) (*os.File, bool) {
	f, ok := stream.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// sizeOf is how many columns and lines a terminal has. Some do not know it.
func sizeOf(screen *os.File) (columns, lines int) {
	columns, lines, err := term.GetSize(int(screen.Fd()))
	if err != nil || columns <= 0 || lines <= 0 {
		return 80, 24
	}
	return columns, lines
}

// A sheet is text that is to be shown where lines have so many columns; 0 for no end.
type sheet struct {
	bytes.Buffer
	columns int
}

// columnsOf is how many columns the lines of a stream have, 0 when they have no end.
func columnsOf(w io.Writer) int {
	if s, ok := w.(*sheet); ok {
		return s.columns
	}
	if screen, ok := terminal(w); ok {
		columns, _ := sizeOf(screen)
		return columns
	}
	return 0
}

// fancy tells whether a stream may have colour and bars.
func (a *app) fancy(stream any) bool {
	_, ok := terminal(stream)
	return ok && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb"
}
