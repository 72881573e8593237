package config

import "strings"

// nearest returns the known word that a person who wrote word may have meant.
func nearest(word string, known []string) (near string, ok bool) {
	best := max(1, len(word)/3) + 1
	for _, k := range known {
		if d := distance(strings.ToLower(word), k); d < best {
			near, best, ok = k, d, true
		}
	}
	return near, ok
}

// distance counts the letters to insert, to remove, to replace and to swap with
// their neighbour that make b out of a.
func distance(a, b string) int {
	var beforeLast []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			substitution := last[j]
			if a[i] != b[j] {
				substitution++
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, substitution)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], beforeLast[j-1]+1)
			}
		}
		beforeLast, last = last, row
	}
	return last[len(b)]
}
