package alttext

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
)

// csvRow is a row of a table: a frame's name or "*", and its texts.
type csvRow struct {
	file  string
	line  int
	texts []entry
}

// csvColumns are the contents of the columns: "file", "locale", "alt", "alt.de" and the like; "" =
// nothing that is read.
type csvColumns []string

// parseCSV reads a table whose first row names its columns: file, locale, alt, or file and alt.de
// for each locale, in any order and among others. A row that cannot be read is a flaw and the rest
// goes on.
func parseCSV(text string) (rows []csvRow, flaws []error) {
	table := Table(text)
	table.FieldsPerRecord = -1
	header, err := table.Read()
	if err == io.EOF {
		return nil, nil
	} else if err != nil {
		return nil, []error{csvFlaw(err)}
	}
	line, _ := table.FieldPos(0)
	columns, flaws := readColumns(header, line)
	if columns == nil {
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

// Table reads a table as spreadsheets write it. They separate columns by the character that is usual
// in the country that they run in: the one that splits the first line into the most. Excel may name
// it in a line of its own, which is no row of the table.
func Table(text string) *csv.Reader {
	table := csv.NewReader(strings.NewReader(text))
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	for _, comma := range ";\t" {
		if strings.Count(line, string(comma)) > strings.Count(line, string(table.Comma)) {
			table.Comma = comma
		}
	}
	if strings.EqualFold(strings.TrimRight(line, "\r"), "sep="+string(table.Comma)) {
		_, _ = table.Read()
		table.FieldsPerRecord = 0
	}
	return table
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
// and it returns nil.
func readColumns(header []string, line int) (csvColumns, []error) {
	columns := make(csvColumns, len(header))
	var flaws []error
	for i, name := range header {
		name = fold(strings.TrimSpace(name))
		locale, named := strings.CutPrefix(name, "alt.")
		switch {
		case name == "file", name == "locale", name == "alt":
			columns[i] = name
		case named:
			if _, err := NormalizeLocale(locale); err != nil {
				flaws = append(flaws, lineError{line, err.Error()})
				continue
			}
			columns[i] = name
		case strings.HasPrefix(name, "alt"):
			flaws = append(flaws, lineError{line, "the column " + name + ` is not read; call it "alt" or "alt.de"`})
		}
	}
	isText := func(column string) bool { return strings.HasPrefix(column, "alt") }
	if !slices.Contains(columns, "file") || !slices.ContainsFunc(columns, isText) {
		return nil, append(flaws, lineError{
			line,
			`the first line names no columns "file" and "alt"; begin with file,locale,alt or file,alt,alt.de`,
		})
	}
	return columns, flaws
}

func (c csvColumns) row(record []string, line int) csvRow {
	row, plain := csvRow{line: line}, entry{line: line}
	for i, cell := range record[:min(len(record), len(c))] {
		locale, named := strings.CutPrefix(c[i], "alt.")
		switch {
		case c[i] == "file":
			row.file = strings.TrimSpace(cell)
		case c[i] == "locale":
			plain.locale = strings.TrimSpace(cell)
		case c[i] == "alt":
			plain.value = cell
		case named && cell != "":
			row.texts = append(row.texts, entry{locale, cell, line})
		}
	}
	if plain.value != "" {
		row.texts = slices.Insert(row.texts, 0, plain)
	}
	return row
}
