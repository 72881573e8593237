package config

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"spinsync/daemon/alttext"
)

// MaxTableSize is the number of bytes that a products file may have.
const MaxTableSize = 16 << 20

// ProductTable is a products file: details of many product folders of one root. A nil table has no
// rows.
type ProductTable struct {
	// BySKU means that rows are found by SKU, else by the folder's path below the root.
	BySKU bool
	// Mistakes are those of single rows, in the order of the lines.
	Mistakes Mistakes
	// Unused are the names of columns that are not read.
	Unused []string

	rows map[string]tableRow
}

type tableRow struct {
	line     int
	says     Product
	mistakes Mistakes
}

// Find returns the row of a product folder, by its path below the root or by its SKU. It returns an
// empty Product for a folder that is not in the table. The error is the Mistakes of its rows.
func (t *ProductTable) Find(folder, sku string) (Product, error) {
	if t == nil {
		return Product{}, nil
	}
	row := t.rows[t.key(folder, sku)]
	if len(row.mistakes) > 0 {
		return Product{}, row.mistakes
	}
	return row.says, nil
}

// Names reports whether the table has a row for a product folder.
func (t *ProductTable) Names(folder, sku string) bool {
	_, ok := t.rows[t.key(folder, sku)]
	return ok
}

// Len is how many folders or SKUs the table names.
func (t *ProductTable) Len() int { return len(t.rows) }

func (t *ProductTable) key(folder, sku string) string {
	if t.BySKU {
		folder = sku
	}
	return norm.NFC.String(folder)
}

// ParseProductTable reads the text of a products file: UTF-8 with or without a mark, a header line,
// comma, semicolon or tab. The error is Mistakes when the file as a whole cannot be read. A mistake
// in one row is kept with that row, and Find returns it for the row's folder.
func ParseProductTable(data []byte) (*ProductTable, error) {
	if len(data) > MaxTableSize {
		return nil, Mistakes{{Message: fmt.Sprintf("the file is larger than %d MiB; shorten it", MaxTableSize>>20)}}
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if line := firstBadLine(text); line > 0 {
		return nil, Mistakes{{Line: line, Message: "this is not UTF-8 text; save the file as UTF-8"}}
	}
	if strings.HasSuffix(text, "\x00\x00") {
		return nil, Mistakes{{Message: emptyEnd}}
	}
	p := &tableParser{
		lines:  strings.Split(text, "\n"),
		reader: alttext.Table(text),
		table:  &ProductTable{rows: map[string]tableRow{}},
	}
	if err := p.header(); err != nil {
		return nil, err
	}
	for {
		record, err := p.reader.Read()
		if err == io.EOF {
			return p.table, nil
		}
		if err := p.row(record, err); err != nil {
			return nil, err
		}
	}
}

// firstBadLine is the first line with bytes that are not UTF-8; 0 for none.
func firstBadLine(text string) int {
	if utf8.ValidString(text) {
		return 0
	}
	for i, line := range strings.Split(text, "\n") {
		if !utf8.ValidString(line) {
			return i + 1
		}
	}
	return 0
}

type tableParser struct {
	lines   []string
	reader  *csv.Reader
	table   *ProductTable
	columns map[string]int // by name, of those that are read
}

var tableColumns = []string{"folder", "sku", "title", "manufacturer", "year", "frames"}

func (p *tableParser) header() error {
	names, err := p.reader.Read()
	if err != nil {
		return Mistakes{{
			Line:    1,
			Message: "the header line is missing; begin with for instance sku,title,manufacturer,year",
		}}
	}
	line, _ := p.reader.FieldPos(0)
	p.columns = map[string]int{}
	for i, name := range names {
		name = strings.ToLower(strings.TrimSpace(name))
		_, twice := p.columns[name]
		switch {
		case twice:
			return Mistakes{{
				Line:    line,
				Message: fmt.Sprintf("the column %s is here twice; remove one of the two", name),
			}}
		case slices.Contains(tableColumns, name):
			p.columns[name] = i
		case name != "":
			p.table.Unused = append(p.table.Unused, name)
		}
	}
	_, byFolder := p.columns["folder"]
	_, p.table.BySKU = p.columns["sku"]
	if byFolder == p.table.BySKU {
		return Mistakes{{Line: line, Message: `the first line has to name one of the columns "folder" and "sku"; ` +
			"begin with for instance sku,title,manufacturer,year"}}
	}
	return nil
}

// row takes one row in. It returns Mistakes when the beginning of the next row cannot be found.
func (p *tableParser) row(record []string, err error) error {
	switch broken, ok := errors.AsType[*csv.ParseError](err); {
	case ok:
		return p.brokenRow(record, broken)
	case err != nil:
		return err
	}
	line, _ := p.reader.FieldPos(0)
	key := p.key(record)
	row := p.read(record, line)
	if key == "" && row.says.equal(Product{}) && row.mistakes == nil {
		return nil // spreadsheets write lines of nothing but separators
	}
	p.put(key, row)
	return nil
}

// brokenRow keeps the mistake of a row for the folder that the row is about.
func (p *tableParser) brokenRow(record []string, broken *csv.ParseError) error {
	line := broken.StartLine
	var message string
	switch {
	case errors.Is(broken, csv.ErrFieldCount):
		advice := "write a text with a %q in it between double quotes"
		if len(record) < p.reader.FieldsPerRecord {
			advice = "write a %q for each empty cell too"
		}
		message = fmt.Sprintf("the line has %d cells and the first line %d; "+advice,
			len(record), p.reader.FieldsPerRecord, p.reader.Comma)
	case line != broken.Line:
		return Mistakes{{
			Line:    line,
			Message: "a text begins with a double quote and does not end; close it with another one",
		}}
	default:
		record = p.guess(line)
		message = "a double quote is where none may be; " +
			"write the text between double quotes, and a double quote in it twice"
	}
	p.put(p.key(record), tableRow{line: line, mistakes: Mistakes{{Line: line, Message: message}}})
	return nil
}

// guess splits a line with misplaced quotes, to find out which folder it is about.
func (p *tableParser) guess(line int) []string {
	lenient := csv.NewReader(strings.NewReader(p.lines[line-1]))
	lenient.Comma, lenient.LazyQuotes = p.reader.Comma, true
	record, _ := lenient.Read()
	return record
}

func (p *tableParser) cell(record []string, column string) string {
	i, ok := p.columns[column]
	if !ok || i >= len(record) {
		return ""
	}
	return norm.NFC.String(strings.TrimSpace(record[i]))
}

// key is the folder or SKU that a row is about; empty for none.
func (p *tableParser) key(record []string) string {
	if p.table.BySKU {
		return p.cell(record, "sku")
	}
	folder := strings.Trim(strings.ReplaceAll(p.cell(record, "folder"), `\`, "/"), "/")
	if folder == "" {
		return ""
	}
	return path.Clean(folder)
}

func (p *tableParser) read(record []string, line int) tableRow {
	row := tableRow{line: line}
	read := func(column string, into *string) {
		text, err := title(p.cell(record, column))
		if err != nil {
			row.mistakes = append(row.mistakes, Mistake{line, column, err.Error()})
		}
		*into = text
	}
	read("title", &row.says.Title)
	read("manufacturer", &row.says.Manufacturer)
	read("year", &row.says.Year)
	if text := p.cell(record, "frames"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > maxFrames {
			message := fmt.Sprintf("%q is no number of frames; write a whole number from 0 to %d", text, maxFrames)
			row.mistakes = append(row.mistakes, Mistake{line, "frames", message})
		}
		row.says.Frames = &n
	}
	return row
}

// put keeps a row. Two rows that contradict each other are a mistake of both.
func (p *tableParser) put(key string, row tableRow) {
	if key == "" {
		row.mistakes = append(row.mistakes, Mistake{
			Line:    row.line,
			Message: "the line names no folder or SKU; fill in its cell, or remove the line",
		})
	}
	p.table.Mistakes = append(p.table.Mistakes, row.mistakes...)
	if key == "" {
		return
	}
	if before, ok := p.table.rows[key]; ok &&
		(len(row.mistakes) > 0 || len(before.mistakes) > 0 || !before.says.equal(row.says)) {
		twice := Mistake{
			Line:    row.line,
			Message: fmt.Sprintf("%s is in line %d too, with other values; remove one of the two", key, before.line),
		}
		p.table.Mistakes = append(p.table.Mistakes, twice)
		row.mistakes = slices.Concat(before.mistakes, row.mistakes, Mistakes{twice})
	}
	p.table.rows[key] = row
}

func (p Product) equal(q Product) bool {
	sameFrames := p.Frames == q.Frames || p.Frames != nil && q.Frames != nil && *p.Frames == *q.Frames
	return sameFrames && p.Title == q.Title && p.Manufacturer == q.Manufacturer && p.Year == q.Year
}

// parseProducts accepts the slash-separated path of a file below the root, or "" for none.
func parseProducts(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	below := filepath.ToSlash(s)
	if strings.ContainsFunc(s, unicode.IsControl) ||
		strings.HasPrefix(below, "/") || strings.HasSuffix(below, "/") || !filepath.IsLocal(s) {
		return "", fmt.Errorf(`%q is no file below the watched folder; write for instance "products.csv"`, s)
	}
	return path.Clean(below), nil
}
