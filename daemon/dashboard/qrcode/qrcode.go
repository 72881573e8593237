// Package qrcode draws the address of the page, so that a tablet need not type it.
package qrcode

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// quiet is how many modules around a code are white. Readers need them.
const quiet = 4

// SVG draws a text as a picture.
func SVG(text string) (string, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return "", err
	}
	side := code.Size + 2*quiet
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %[1]d" shape-rendering="crispEdges">`, side)
	fmt.Fprintf(&b, `<path fill="#fff" d="M0 0h%dv%[1]dH0z"/><path d="`, side)
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				fmt.Fprintf(&b, "M%d %dh1v1h-1z", x+quiet, y+quiet)
			}
		}
	}
	b.WriteString(`"/></svg>`)
	return b.String(), nil
}

// Lines draws a text for a terminal, black on white, two modules above each other in a character.
func Lines(text string) (string, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for y := -quiet; y < code.Size+quiet; y += 2 {
		b.WriteString("\x1b[38;5;16;48;5;231m")
		for x := -quiet; x < code.Size+quiet; x++ {
			b.WriteRune(halves[[2]bool{code.Black(x, y), code.Black(x, y+1)}])
		}
		b.WriteString("\x1b[0m\n")
	}
	return b.String(), nil
}

// halves are the characters for an upper and a lower module that are black or not.
var halves = map[[2]bool]rune{
	{false, false}: ' ', {true, false}: '▀', {false, true}: '▄', {true, true}: '█',
}
