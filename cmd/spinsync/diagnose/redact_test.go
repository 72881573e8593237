package diagnose

import (
	"strings"
	"testing"
)

// Whatever stands around a secret, and whatever it is, the bundle does not hold it.
func FuzzBlotter(f *testing.F) {
	f.Add("GET /?policy=", "canary-0815", " HTTP/1.1")
	f.Add(`{"password": "`, `a"b\c`, `"}`)
	f.Add("canary-08", "canary-0815", "15")
	f.Fuzz(func(t *testing.T, before, secret, after string) {
		if len(secret) < 4 || strings.Contains(blotted, secret) || strings.ContainsAny(secret, "[]") {
			return // what is shorter is not blotted out, and what stands in its place may not be taken for it
		}
		b := newBlotter()
		b.add(secret)
		if out := b.out(before + secret + after); strings.Contains(out, secret) {
			t.Errorf("%q is left in %q", secret, out)
		}
	})
}
