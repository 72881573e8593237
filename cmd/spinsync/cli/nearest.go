package cli

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest returns up to three names that a person who wrote word may have meant, the nearest first.
func Nearest(word string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var candidates []candidate
	for _, name := range names {
		d := distance(strings.ToLower(word), strings.ToLower(name))
		if strings.HasSuffix(strings.ToLower(name), "/"+strings.ToLower(word)) {
			d = 0 // the last part of the path alone
		}
		if d <= max(2, len(word)/4) {
			candidates = append(candidates, candidate{name, d})
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var near []string
	for _, c := range candidates[:min(3, len(candidates))] {
		near = append(near, c.name)
	}
	return near
}

// distance counts the characters to insert, remove or replace to make b out of a.
func distance(a, b string) int {
	to := []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range []rune(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range to {
			replaced := diagonal
			if r != s {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
