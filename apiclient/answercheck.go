package apiclient

import (
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ErrOtherAnswer is the cause of an error when an answer belongs to another request, because a
// proxy or the service mixed up two answers. The call's own request may have been executed.
var ErrOtherAnswer = errors.New("the answer belongs to another request")

// checkTitle compares the title that an answer shows, if any, with the title of the request.
func checkTitle(asked, shown string) error {
	want, got := lettersOf(asked), lettersOf(shown)
	shortened := utf8.RuneCountInString(got) >= shortestCut && strings.HasPrefix(want, got)
	if want == "" || got == "" || got == want || shortened {
		return nil
	}
	return fmt.Errorf("%w: it shows the title %s", ErrOtherAnswer, shown)
}

// shortestCut is the least number of letters and digits that a service leaves of a title that is
// too long for it.
const shortestCut = 30

// lettersOf is what a service leaves of a title that stores it in its own way: other spaces, signs,
// escapes and capitals (section 2 shows no allowed characters).
func lettersOf(title string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFC.String(html.UnescapeString(title)))
}

// checkPath reports whether the files of an upload form go to a product: section 2 has its UUID
// begin the path. A path that names no UUID at all proves nothing.
func (c Credentials) checkPath(product string) error {
	other := ""
	for segment := range strings.SplitSeq(c.Path, "/") {
		id, isUUID := bareUUID(segment)
		if wanted, _ := bareUUID(product); id == wanted {
			return nil
		}
		if isUUID {
			other = segment
		}
	}
	if other == "" {
		return nil
	}
	return fmt.Errorf("%w: its upload path is that of product %s", ErrOtherAnswer, other)
}

// checkProduct reports whether an upload form is that of a product. It need not name it.
func (c Credentials) checkProduct(product string) error {
	if c.UUID != "" && !strings.EqualFold(c.UUID, product) {
		return fmt.Errorf("%w: it is about product %s", ErrOtherAnswer, c.UUID)
	}
	return c.checkPath(product)
}

// bareUUID is an identifier without hyphens, in small letters, and whether it has the form of a
// UUID.
func bareUUID(id string) (bare string, isUUID bool) {
	bare = strings.ToLower(strings.ReplaceAll(id, "-", ""))
	octets, err := hex.DecodeString(bare)
	return bare, err == nil && len(octets) == 16
}
