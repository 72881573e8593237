package manifest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// CollisionError is the error for two frames of a folder that have one name on a
// system which ignores letter case or the encoding of accents. The service
// may be such a system, so neither is uploaded.
type CollisionError struct {
	A, B string // local names, A before B in the wanted order
}

func (e *CollisionError) Error() string {
	return fmt.Sprintf(
		"%q and %q differ only in letter case or in how accents are encoded; rename or remove one of them", e.A, e.B)
}

// StoredNames returns the names under which the service keeps the frames whose
// local names are given in the wanted order. They are unique and rise byte by
// byte. Each is the local name in NFC as long as that is true of all of them
// and they hold nothing but Unicode letters, the digits 0 to 9, space and
// . _ - ( ) + , = @. Otherwise all of them begin with their position, counted
// from 1 and padded to the width of the count and at least three digits, and
// every other character is replaced by "_" (contract, "Stored names"). A
// combining mark that NFC leaves over is no letter; a byte that is not UTF-8
// counts as a character.
//
// It returns a *CollisionError when two names are equal after NFC and case
// folding.
func StoredNames(local []string) ([]string, error) {
	if err := checkCollisions(local); err != nil {
		return nil, err
	}
	names := make([]string, len(local))
	for i, name := range local {
		names[i] = norm.NFC.String(name)
	}
	if slices.IsSorted(names) && !slices.ContainsFunc(names, hasForbidden) {
		return names, nil
	}
	width := max(3, len(strconv.Itoa(len(names))))
	for i, name := range names {
		names[i] = fmt.Sprintf("%0*d_%s", width, i+1, strings.Map(replaceForbidden, name))
	}
	return names, nil
}

func checkCollisions(local []string) error {
	seen := make(map[string]string, len(local))
	for _, name := range local {
		key := foldedName(name)
		if first, taken := seen[key]; taken {
			return &CollisionError{A: first, B: name}
		}
		seen[key] = name
	}
	return nil
}

// foldedName is the same for names that only differ in the case of their letters. Most names are
// ASCII, where that is quick to find.
func foldedName(name string) string {
	beyond := func(r rune) bool { return r >= utf8.RuneSelf }
	if !strings.ContainsFunc(name, beyond) {
		return strings.ToLower(name)
	}
	// Folding can take a name out of NFC.
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
}

func hasForbidden(name string) bool { return strings.ContainsFunc(name, forbidden) }

func replaceForbidden(r rune) rune {
	if forbidden(r) {
		return '_'
	}
	return r
}

// forbidden is true of utf8.RuneError too, which stands for a byte that is not
// UTF-8.
func forbidden(r rune) bool {
	return !unicode.IsLetter(r) && (r < '0' || r > '9') && !strings.ContainsRune(" ._-()+,=@", r)
}

// Total returns the number of images of a whole set where names have that of a full turn, as in
// shoe_001of036.jpg: the full turn, and the names beside it. Those hold no such count, or one that is
// smaller than their position. It is 0 where no name has it, or they do not agree.
func Total(names []string) (images, beside int) {
	turn := 0
	for _, name := range names {
		n, ok := totalOf(name)
		switch {
		case !ok:
			beside++
		case turn > 0 && n != turn:
			return 0, 0
		default:
			turn = n
		}
	}
	if turn == 0 {
		return 0, 0
	}
	return turn + beside, beside
}

func totalOf(name string) (n int, ok bool) {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, word := range words {
		position, total, isCount := parseCount(word)
		switch {
		case !isCount:
			continue
		case ok || position > total:
			return 0, false
		}
		n, ok = total, true
	}
	return n, ok
}

// parseCount reads "001of036".
func parseCount(word string) (position, total int, ok bool) {
	before, after, _ := strings.Cut(strings.ToLower(word), "of")
	p, errPosition := strconv.ParseUint(before, 10, 16)
	t, errTotal := strconv.ParseUint(after, 10, 16)
	return int(p), int(t), errPosition == nil && errTotal == nil && t > 0
}
