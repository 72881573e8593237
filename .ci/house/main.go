// Command house counts how large the parts of the program are, and fails when one outgrows its
// limit: go run . [DIR]. Tests, testdata and nested modules are not counted.
package main

import (
	"fmt"
	"io"
	"os"
)

// A rule is a figure with the limit that fails a change.
type rule struct {
	name   string
	limit  int
	figure func(census) figure
}

var rules = []rule{
	{"lines of all packages", 53500, func(c census) figure { return sum(c.lines) }},
	{"lines of one package", 3500, func(c census) figure { return largest(c.lines) }},
	{"lines of one file", 500, func(c census) figure { return largest(c.fileLines) }},
	{"lines of a function, 95 of 100", 25, func(c census) figure { return percentile(c.functions, 95) }},
	{"lines of the longest function", 55, func(c census) figure { return percentile(c.functions, 100) }},
	{"methods on one type", 45, func(c census) figure { return largest(c.methods) }},
	{"fields of one struct", 25, func(c census) figure { return largest(c.fields) }},
	{"lines over 120 columns", 50, func(c census) figure { return figure{n: c.wide} }},
	{"comment lines over 100 columns", 50, func(c census) figure { return figure{n: c.wideComments} }},
	{"hard words in 10,000 of comments", 5, func(c census) figure { return per(c.accents, 10000, c.words) }},
	{"functions named init", 0, func(c census) figure { return figure{n: c.inits} }},
	{"lines of the README", 120, func(c census) figure { return figure{n: c.readme.lines} }},
	{"words in a sentence of the README", 16, func(c census) figure { return per(c.readme.words, 1, c.readme.sentences) }},
}

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	counted, err := count(os.DirFS(dir))
	if err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(2)
	}
	if !judge(os.Stdout, counted) {
		os.Exit(1)
	}
}

// judge prints all figures and reports whether none is over its limit.
func judge(out io.Writer, counted census) bool {
	within := true
	for _, r := range rules {
		f, mark := r.figure(counted), " "
		if f.n > r.limit {
			mark, within = "✘", false
		}
		fmt.Fprintf(out, "%s %-32s %5d   at most %5d   %s\n", mark, r.name, f.n, r.limit, f.of)
	}
	return within
}
