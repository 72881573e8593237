// Package manifest puts a product folder's frames in order and gives them the
// names under which the service stores them. Call Order.Sort, then StoredNames.
//
// The service shows images in the byte order of their stored names and takes no
// other order. So the names carry the order: a local name is stored as it is
// where that is enough, else every frame of the folder gets its position in
// front. The package sees names and capture times only, opens no file, and
// refuses to choose between two frames whose names fall together.
package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// Order is the sequence of the frames of a turn. The zero value is Name.
type Order string

const (
	Name     Order = "name"     // by the bytes of the names in NFC
	Natural  Order = "natural"  // numbers by their value, 2 before 10; letter case does not count
	Captured Order = "captured" // by capture time, then as Natural
)

// ParseOrder reads an order as it is in a configuration.
func ParseOrder(s string) (Order, error) {
	switch o := Order(s); o {
	case Name, Natural, Captured:
		return o, nil
	}
	return "", fmt.Errorf(`unknown order %q; write "name", "natural" or "captured"`, s)
}

// Frame holds the attributes of a frame that an order compares.
type Frame struct {
	Name     string
	Captured time.Time // zero when the file has none; fractions of a second count
}

// UntimedError is the error for frames that cannot be ordered by capture time.
type UntimedError struct {
	Names []string // the frames without a capture time, in byte order
}

func (e *UntimedError) Error() string {
	const remedy = `order the folder by "name" or "natural"`
	if n := len(e.Names) - 1; n > 0 {
		return fmt.Sprintf("%q and %d more have no capture time; %s", e.Names[0], n, remedy)
	}
	return fmt.Sprintf("%q has no capture time; %s", e.Names[0], remedy)
}

// Sort puts frames in the order wanted. The result does not depend on the order
// they come in. Captured returns an *UntimedError and leaves the frames as they
// are when one of several has no capture time: a guessed place would be a wrong
// image in the turn.
func (o Order) Sort(frames []Frame) error {
	compare := compareNames
	switch o {
	case Natural:
		compare = compareNaturally
	case Captured:
		if len(frames) < 2 {
			return nil
		}
		if untimed := untimed(frames); len(untimed) > 0 {
			return &UntimedError{Names: untimed}
		}
		compare = compareCaptured
	}
	slices.SortFunc(frames, compare)
	return nil
}

func untimed(frames []Frame) []string {
	var names []string
	for _, f := range frames {
		if f.Captured.IsZero() {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return names
}

func compareCaptured(a, b Frame) int {
	return cmp.Or(a.Captured.Compare(b.Captured), compareNaturally(a, b))
}

func compareNaturally(a, b Frame) int {
	return cmp.Or(natural(foldedName(a.Name), foldedName(b.Name)), compareNames(a, b))
}

// Explain shows an order and the frames that stand in it, for a folder whose names alone do not
// settle the order: by Name they would follow one another in another way than by Natural. It is
// empty for every other folder. The names come as Captured has sorted them, for the other orders in
// any sequence.
func (o Order) Explain(names []string) string {
	byName, byValue := sortedBy(Name, names), sortedBy(Natural, names)
	at := 0
	for at < len(names) && byName[at] == byValue[at] {
		at++
	}
	switch {
	case at == len(names):
		return ""
	case o == Captured:
		return fmt.Sprintf("order = %q: %s", o, outlined(names))
	case o == Natural:
		return fmt.Sprintf("order = %q: %s; by name %q would be number %d", o, outlined(byValue), byName[at], at+1)
	}
	return fmt.Sprintf("order = %q: %s; with order = %q %q would be number %d",
		o, outlined(byName), Natural, byValue[at], at+1)
}

// outlined names the first frames of a turn and the last.
func outlined(names []string) string {
	const first = 3
	var quoted []string
	for _, name := range names {
		quoted = append(quoted, strconv.Quote(name))
	}
	if len(quoted) <= first+1 {
		return strings.Join(quoted, ", ")
	}
	return strings.Join(quoted[:first], ", ") + " … " + quoted[len(quoted)-1]
}

// sortedBy gives names another order than Captured.
func sortedBy(o Order, names []string) []string {
	frames := make([]Frame, len(names))
	for i, name := range names {
		frames[i].Name = name
	}
	_ = o.Sort(frames) // only Captured can fail
	sorted := make([]string, len(names))
	for i, f := range frames {
		sorted[i] = f.Name
	}
	return sorted
}

func compareNames(a, b Frame) int {
	return cmp.Or(strings.Compare(norm.NFC.String(a.Name), norm.NFC.String(b.Name)), strings.Compare(a.Name, b.Name))
}

// natural compares byte by byte, and runs of digits by their value however long
// they are. maruel/natural is not used here: it puts 18446744073709551615
// before 1, and "1" < "1A" < "01a" < "1" is no order.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := leadingDigits(a), leadingDigits(b)
		if x == "" || y == "" {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		if c := compareNumbers(x, y); c != 0 {
			return c
		}
		a, b = a[len(x):], b[len(y):]
	}
	return cmp.Compare(len(a), len(b))
}

func leadingDigits(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
}

func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}
