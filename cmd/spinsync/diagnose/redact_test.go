package diagnose

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever surrounds a secret that is text, the bundle does not hold it.
func FuzzRedactor(f *testing.F) {
	f.Add("GET /?policy=", "canary-0815", " HTTP/1.1")
	f.Add(`{"password": "`, `a"b\c`, `"}`)
	f.Add("canary-08", "canary-0815", "15")
	f.Fuzz(func(t *testing.T, before, secret, after string) {
		if len([]rune(secret)) < 6 || strings.Contains(secret, "*") || !utf8.ValidString(secret) {
			return // what is shorter is hidden as a word alone, and what stands in its place is no secret
		}
		r := &redactor{}
		r.add(secret)
		if out := r.hide(before + secret + after); strings.Contains(out, secret) {
			t.Errorf("%q is left in %q", secret, out)
		}
	})
}
