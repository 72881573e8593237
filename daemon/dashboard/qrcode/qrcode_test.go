package qrcode

import (
	"fmt"
	"strings"
	"testing"

	"rsc.io/qr"
)

// Both drawings have each module of the code in its place, and white around it.
func TestDrawings(t *testing.T) {
	const address = "https://192.168.178.20:8360/"
	code, err := qr.Encode(address, qr.M)
	if err != nil {
		t.Fatal(err)
	}
	svg, err := SVG(address)
	if err != nil {
		t.Fatal(err)
	}
	side := code.Size + 2*quiet
	if frame := fmt.Sprintf(`viewBox="0 0 %d %[1]d"`, side); !strings.Contains(svg, frame) {
		t.Errorf("the picture has no %s", frame)
	}
	if white := fmt.Sprintf(`<path fill="#fff" d="M0 0h%dv%[1]dH0z"/>`, side); !strings.Contains(svg, white) {
		t.Errorf("the picture has no %s", white)
	}
	text, err := Lines(address)
	if err != nil {
		t.Fatal(err)
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\x1b[38;5;16;48;5;231m", ""), "\x1b[0m", "")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for y := -quiet; y < code.Size+quiet; y++ {
		for x := -quiet; x < code.Size+quiet; x++ {
			want := code.Black(x, y)
			if drawn := strings.Contains(svg, fmt.Sprintf("M%d %dh1v1h-1z", x+quiet, y+quiet)); drawn != want {
				t.Errorf("the picture has %v at %d, %d", drawn, x, y)
			}
			half := []rune(lines[(y+quiet)/2])[x+quiet]
			upper, lower := half == '▀' || half == '█', half == '▄' || half == '█'
			if drawn := (y+quiet)%2 == 0 && upper || (y+quiet)%2 == 1 && lower; drawn != want {
				t.Errorf("the terminal has %v at %d, %d", drawn, x, y)
			}
		}
	}
}
