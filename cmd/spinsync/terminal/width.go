package terminal

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"
)

// IsTerminal returns the file behind a stream when it is a terminal.
func IsTerminal(stream any) (*os.File, bool) {
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

// A Sheet is text to print where lines have so many columns; 0 for no end.
type Sheet struct {
	bytes.Buffer
	Columns int
}

// ColumnsOf is how many columns the lines of a stream have, 0 when they have no end.
func ColumnsOf(w io.Writer) int {
	if s, ok := w.(*Sheet); ok {
		return s.Columns
	}
	if screen, ok := IsTerminal(w); ok {
		columns, _ := sizeOf(screen)
		return columns
	}
	return 0
}

// Redraw makes a page take the place of the one before, on a terminal.
func Redraw(w io.Writer, page string) string {
	screen, ok := IsTerminal(w)
	if !ok {
		return page
	}
	width, height := sizeOf(screen)
	return fit(page, width, height)
}

// fit cuts a page to a terminal's size and puts before it what clears the screen.
func fit(page string, width, height int) string {
	lines := cutHeight(strings.Split(strings.TrimSuffix(page, "\n"), "\n"), max(height-1, 1))
	for i, line := range lines {
		lines[i] = CutWidth(line, width)
	}
	return "\x1b[H\x1b[2J" + strings.Join(lines, "\n") + "\n"
}

// cutHeight cuts a page to so many lines. What stands below the last empty line concerns all that
// is above, and stays.
func cutHeight(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	foot := len(lines)
	for foot > 0 && lines[foot-1] != "" {
		foot--
	}
	above := most - (len(lines) - foot) - 2 // for the mark of a gap, and the empty line
	if foot == 0 || above < 1 {
		return lines[:most]
	}
	return slices.Concat(lines[:above], []string{"…", ""}, lines[foot:])
}

// CutWidth cuts a line to so many columns.
func CutWidth(line string, width int) string { return runewidth.Truncate(line, width, "…") }
