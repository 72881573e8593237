package terminal

import (
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Table prints rows in columns, as wide as their widest cell on a terminal. The last column is not
// padded. Where lines have an end no column takes more than half of one, and a last cell that does
// not fit has a line of its own, which is not broken: it may hold a command to be copied.
func Table(w io.Writer, rows [][]string) error {
	most := ColumnsOf(w)
	widths := tableWidths(rows, most/2)
	var b strings.Builder
	for _, row := range rows {
		line, last := tableLine(row, widths), len(row)-1
		if most > 0 && last > 0 && row[last] != "" && runewidth.StringWidth(line) > most {
			line = tableLine(row[:last], widths) + "\n    " + Printable(row[last])
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
			widths[i] = max(widths[i], runewidth.StringWidth(Printable(cell)))
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
		b.WriteString(runewidth.FillRight(Printable(cell), widths[i]) + "  ")
	}
	return strings.TrimRight(b.String(), " ")
}
