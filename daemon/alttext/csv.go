package alttext

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// csvRow is a row of a table: a frame's name or "*", and its texts.
type csvRow struct {
	file  string
	line  int
	texts []entry
}

// csvColumns holds the index of each column; -1 = the table has none.
type csvColumns struct {
	file, locale, alt int
	byLocale          map[int]string // columns alt.de and the like
}

// parseCSV reads a table whose first row names its columns: file, locale, alt, or file and alt.de
// for each locale, in any order and among others. A row that cannot be read is a flaw and the rest
// goes on.
func parseCSV(text string) (rows []csvRow, flaws []error) {
	table := csv.NewReader(strings.NewReader(text))
	table.Comma = separator(text)
	table.FieldsPerRecord = -1
	header, err := table.Read()
	if err == io.EOF {
		return nil, nil
	} else if err != nil {
		return nil, []error{csvFlaw(err)}
	}
	line, _ := table.FieldPos(0)
	columns, flaws := readColumns(header, line)
	if columns.file < 0 {
		return nil, flaws
	}
	for {
		record, err := table.Read()
		switch {
		case err == io.EOF:
			return rows, flaws
		case err != nil:
			flaws = append(flaws, csvFlaw(err))
		default:
			line, _ := table.FieldPos(0)
			if row := columns.row(record, line); row.file != "" || len(row.texts) > 0 {
				rows = append(rows, row)
			}
		}
	}
}

// separator returns the character that splits the first line into the most columns. Spreadsheets
// choose it by the country they run in.
func separator(text string) rune {
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	best := ','
	for _, comma := range ";\t" {
		if strings.Count(line, string(comma)) > strings.Count(line, string(best)) {
			best = comma
		}
	}
	return best
}

func csvFlaw(err error) error {
	if e, ok := errors.AsType[*csv.ParseError](err); ok {
		return lineError{
			e.StartLine,
			e.Err.Error() + `; write a text with separators or quotes as "…", and a quote in it twice`,
		}
	}
	return err
}

// readColumns finds the columns. Without a file column and one for texts there is nothing to read,
// and file is -1.
func readColumns(header []string, line int) (csvColumns, []error) {
	columns := csvColumns{file: -1, locale: -1, alt: -1, byLocale: map[int]string{}}
	var flaws []error
	for i, name := range header {
		name = fold(strings.TrimSpace(name))
		locale, named := strings.CutPrefix(name, "alt.")
		switch {
		case name == "file":
			columns.file = i
		case name == "locale":
			columns.locale = i
		case name == "alt":
			columns.alt = i
		case named:
			if _, err := NormalizeLocale(locale); err != nil {
				flaws = append(flaws, lineError{line, err.Error()})
				continue
			}
			columns.byLocale[i] = locale
		case strings.HasPrefix(name, "alt"):
			flaws = append(flaws, lineError{line, "the column " + name + ` is not read; call it "alt" or "alt.de"`})
		}
	}
	if columns.file < 0 || columns.alt < 0 && len(columns.byLocale) == 0 {
		columns.file = -1
		flaws = append(flaws, lineError{
			line,
			`the first line names no columns "file" and "alt"; begin with file,locale,alt or file,alt,alt.de`,
		})
	}
	return columns, flaws
}

func (c csvColumns) row(record []string, line int) csvRow {
	cell := func(i int) string {
		if i < 0 || i >= len(record) {
			return ""
		}
		return record[i]
	}
	row := csvRow{file: strings.TrimSpace(cell(c.file)), line: line}
	if text := cell(c.alt); text != "" {
		row.texts = append(row.texts, entry{strings.TrimSpace(cell(c.locale)), text, line})
	}
	for i := range record {
		if locale, ok := c.byLocale[i]; ok && record[i] != "" {
			row.texts = append(row.texts, entry{locale, record[i], line})
		}
	}
	return row
}
