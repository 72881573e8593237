package inspect

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"slices"
	"strings"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"spinsync/daemon/status"
)

// The measures of a contact sheet, in pixels.
const (
	columns  = 8
	cellWide = 172
	cellHigh = 162
	heading  = 30
	margin   = 6 // around a picture
	line     = 15
	letter   = 7 // the width of one of basicfont
	letters  = (cellWide - margin) / letter
)

var (
	white = color.RGBA{255, 255, 255, 255}
	ink   = color.RGBA{40, 40, 40, 255}
	pale  = color.RGBA{222, 222, 222, 255}
	red   = color.RGBA{200, 20, 20, 255}
)

// writeSheet draws all sets, one below the other.
func writeSheet(path string, sets []set) error {
	high := 0
	for _, s := range sets {
		high += heightOf(s)
	}
	sheet := image.NewRGBA(image.Rect(0, 0, columns*cellWide, max(high, heading)))
	draw.Draw(sheet, sheet.Rect, image.NewUniform(white), image.Point{}, draw.Src)
	top := 0
	for _, s := range sets {
		drawSet(sheet, top, s)
		top += heightOf(s)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(file, sheet), file.Close())
}

func heightOf(s set) int { return heading + (s.Frames+columns-1)/columns*cellHigh }

func drawSet(sheet *image.RGBA, top int, s set) {
	title := fmt.Sprintf("%s: %s, %s", s.Folder, status.Frames(s.Frames), status.Counted(len(s.Findings), "finding"))
	write(sheet, margin, top+20, ink, title, (columns*cellWide-margin)/letter)
	kinds := s.kinds()
	for i, name := range s.names {
		x, y := i%columns*cellWide, top+heading+i/columns*cellHigh
		drawFrame(sheet, x+margin, y+margin, s.pictures[i], len(kinds[name]) > 0)
		at := y + cellHigh - line - 3
		write(sheet, x+margin, at, ink, name, letters)
		write(sheet, x+margin, at+line, red, strings.Join(kinds[name], ", "), letters)
	}
}

// kinds are those of the findings about each frame.
func (s set) kinds() map[string][]string {
	kinds := map[string][]string{}
	for _, f := range s.Findings {
		for _, name := range f.Frames {
			if !slices.Contains(kinds[name], string(f.Kind)) {
				kinds[name] = append(kinds[name], string(f.Kind))
			}
		}
	}
	return kinds
}

// drawFrame draws a picture, or a pale field where there is none, with a red edge where it is marked.
func drawFrame(sheet *image.RGBA, x, y int, picture *image.YCbCr, marked bool) {
	const edge = 3
	field := image.Rect(x, y, x+cellWide-2*margin, y+cellHigh-2*line-2*margin)
	if marked {
		draw.Draw(sheet, field.Inset(-edge), image.NewUniform(red), image.Point{}, draw.Src)
	}
	draw.Draw(sheet, field, image.NewUniform(pale), image.Point{}, draw.Src)
	if picture == nil {
		return
	}
	size := picture.Rect.Size()
	if size.Y > field.Dy() { // upright
		size = image.Pt(size.X*field.Dy()/size.Y, field.Dy())
	}
	at := image.Rectangle{Max: size}.Add(field.Min).Add(field.Size().Sub(size).Div(2))
	draw.ApproxBiLinear.Scale(sheet, at, picture, picture.Rect, draw.Src, nil)
}

// write writes a line of at most so many letters.
func write(sheet *image.RGBA, x, baseline int, c color.Color, text string, most int) {
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most])
	}
	d := font.Drawer{Dst: sheet, Src: image.NewUniform(c), Face: basicfont.Face7x13, Dot: fixed.P(x, baseline)}
	d.DrawString(text)
}
