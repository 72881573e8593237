//go:build !windows

package nofollow

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// spelled reads the directory only if its drive knows the name by another spelling too, which costs
// far less on other drives.
func spelled(dir, name string, as func(string) string) error {
	isKnown := func(spelling string) bool {
		_, err := os.Lstat(filepath.Join(dir, spelling))
		return err == nil
	}
	if !slices.ContainsFunc(otherSpellings(name), isKnown) {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err == nil && !slices.ContainsFunc(names, func(listed string) bool { return as(listed) == name }) {
		err = otherSpelling(dir, name)
	}
	return err
}

// otherSpellings are names that a drive may take for the same one.
func otherSpellings(name string) []string {
	otherCase := strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, name)
	all := []string{otherCase, norm.NFC.String(name), norm.NFD.String(name)}
	return slices.DeleteFunc(all, func(other string) bool { return other == name })
}
