package dashboard

import "spinsync/daemon/status"

// A matrix shows each frame's alt texts: a line for each frame, a column for each locale.
type matrix struct {
	Locales  []string
	Lines    []matrixLine
	Missing  int // cells without any text
	Cells    int
	Problems []string
}

type matrixLine struct {
	Number int
	File   string
	Cells  []matrixCell
}

// A matrixCell is one text, with where it is from and where it stands.
type matrixCell struct {
	Locale string
	Text   string
	Source string
	Mark   string // how it stands, in words
	Tone   tone
	Other  string // what the service holds instead
}

func (f folderPage) matrix() matrix {
	m := matrix{Locales: f.Details.Locales, Problems: f.Details.Problems}
	for i, frame := range f.Details.Frames {
		line := matrixLine{Number: i + 1, File: frame.File}
		for _, locale := range m.Locales {
			cell := newCell(frame.Alt[locale])
			cell.Locale = locale
			if cell.Text == "" {
				m.Missing++
			}
			m.Cells++
			line.Cells = append(line.Cells, cell)
		}
		m.Lines = append(m.Lines, line)
	}
	return m
}

func newCell(a status.AltDetails) matrixCell {
	switch {
	case a.Local == "" && a.Service == "":
		return matrixCell{Mark: "no text", Tone: warn}
	case a.Local == "" && a.Ours:
		return matrixCell{Text: a.Service, Mark: "withdrawn, still published", Tone: busy}
	case a.Local == "":
		return matrixCell{Text: a.Service, Source: "written on the service", Mark: "published", Tone: good}
	case a.Local == a.Service:
		return matrixCell{Text: a.Local, Source: a.Source, Mark: "published", Tone: good}
	case a.Service == "" || a.Ours:
		return matrixCell{Text: a.Local, Source: a.Source, Mark: "not published yet", Tone: busy, Other: a.Service}
	}
	return matrixCell{
		Text:   a.Service,
		Source: "written on the service",
		Mark:   "kept before the folder's",
		Tone:   quiet,
		Other:  a.Local,
	}
}
