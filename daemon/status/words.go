package status

import (
	"fmt"
	"strings"
	"time"
)

// Counted is a number with its noun: "1 frame", "36 frames".
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Frames is a number of frames in words.
func Frames(n int) string { return Counted(n, "frame") }

// progress is how many frames of all are there. The number of all may be unknown, 0.
func progress(n, of int) string {
	if of == 0 {
		return Frames(n)
	}
	return fmt.Sprintf("%d of %s", n, Frames(of))
}

// Duration is a duration in words, without zeros behind it: "6h" and not "6h0m0s".
func Duration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Coarse is a duration in its largest unit: "28s", "5m", "3h", "2d".
func Coarse(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	case d >= time.Hour:
		return Duration(d.Truncate(time.Hour))
	case d >= time.Minute:
		return Duration(d.Truncate(time.Minute))
	}
	return Duration(d.Truncate(time.Second))
}

// Size is a size as file managers show it, in powers of 1000.
func Size(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d B", n)
}

// Name makes a hostile name harmless in a sentence.
func Name(name string) string {
	quoted := fmt.Sprintf("%q", name)
	if quoted == `"`+name+`"` {
		return name
	}
	return quoted
}
