package config

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest returns up to three names that a person who wrote word may have meant, the nearest first.
// The last part of a path stands for the whole path.
func Nearest(word string, names []string) []string {
	distances := map[string]int{}
	for _, name := range names {
		written, known := strings.ToLower(word), strings.ToLower(name)
		d := distance(written, known)
		if written != "" && strings.HasSuffix(known, "/"+written) {
			d = 0
		}
		if d <= max(1, len(word)/3) {
			distances[name] = d
		}
	}
	near := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, ok := distances[name]
		return !ok
	})
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(distances[a], distances[b]) })
	near = slices.DeleteFunc(near, func(name string) bool { return distances[name] > distances[near[0]]+1 })
	return near[:min(3, len(near))]
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
