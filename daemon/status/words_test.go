package status

import "testing"

// TestSizeHasItsUnit: a size has the largest unit of which it has one.
func TestSizeHasItsUnit(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1_000: "1 kB", 65_536: "66 kB", 1_000_000: "1.0 MB", 4_200_000: "4.2 MB", 1_000_000_000: "1.0 GB",
	} {
		if got := Size(n); got != want {
			t.Errorf("%d bytes are told as %q, want %q", n, got, want)
		}
	}
}
