package alttext

import (
	"fmt"
	"strings"

	"golang.org/x/text/language"
)

// NormalizeLocale writes a locale code in its usual form: en_US and EN-us.UTF-8 are en-US,
// zh-hant-tw is zh-Hant-TW. It does not replace a code by a related one, as matching would (fr by
// fr-CA) and as language.Parse does (iw by he). Codes of no known language are refused, and those
// whose usual form is no code itself, as with an extension that repeats something.
func NormalizeLocale(s string) (string, error) {
	code := s
	if i := strings.IndexAny(code, ".@"); i >= 0 {
		code = code[:i]
	}
	tag, err := language.Raw.Parse(code)
	locale := tag.String()
	if err != nil || tag.IsRoot() ||
		strings.HasPrefix(locale, "und") || strings.HasPrefix(locale, "x-") || !isUsual(locale) {
		return "", fmt.Errorf(`%q is no locale; write a language tag such as "de" or "en-US"`, s)
	}
	return locale, nil
}

// isUsual reports whether a locale is in its usual form.
func isUsual(locale string) bool {
	tag, err := language.Raw.Parse(locale)
	return err == nil && tag.String() == locale
}
