package main

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A census is all that is counted. The keys are names of packages, files, functions and types.
type census struct {
	lines, fileLines, functions, methods, fields map[string]int

	wide, wideComments, inits int
	words, accents            int // of comments
	readme                    page
}

// A page is how long a document and its sentences are.
type page struct{ lines, words, sentences int }

// A figure is a number, and the name of the part that has it.
type figure struct {
	n  int
	of string
}

// count reads all Go files of a module that are part of the program.
func count(module fs.FS) (census, error) {
	c := census{
		lines: map[string]int{}, fileLines: map[string]int{}, functions: map[string]int{},
		methods: map[string]int{}, fields: map[string]int{},
	}
	err := fs.WalkDir(module, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && isApart(module, name):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(module, name)
		if err != nil {
			return err
		}
		return c.add(name, string(text))
	})
	if text, missing := fs.ReadFile(module, "README.md"); missing == nil {
		c.readme = pageOf(string(text))
	}
	return c, err
}

// sentenceEnd is the end of a sentence, or of what stands alone as a list's item does.
var sentenceEnd = regexp.MustCompile(`[.!?:](\s|$)|\n+([-*]|\d+\.) |\n\n`)

// pageOf leaves out headings, tables, pictures and code.
func pageOf(text string) (p page) {
	var prose strings.Builder
	code := false
	for line := range strings.Lines(text) {
		p.lines++
		switch {
		case strings.HasPrefix(line, "```"):
			code = !code
			prose.WriteString("\n\n")
		case code || strings.ContainsAny(line[:1], "#|!<"):
			prose.WriteString("\n\n")
		default:
			prose.WriteString(line)
		}
	}
	for _, sentence := range sentenceEnd.Split(prose.String(), -1) {
		if n := len(strings.Fields(sentence)); n > 0 {
			p.words += n
			p.sentences++
		}
	}
	return p
}

// per is n for each so many of all, rounded up.
func per(n, many, all int) figure { return figure{n: (n*many + all - 1) / max(1, all)} }

// accent is wording that is hard to read: the subject is a word that stands for another one.
var accent = regexp.MustCompile(`(?i)\b(what (is|was|are|were)|whoever|whatever|nobody|somebody|one (that|who|which))\b`)

// isApart tells of directories that are no part of the module.
func isApart(module fs.FS, name string) bool {
	base := path.Base(name)
	_, err := fs.Stat(module, path.Join(name, "go.mod"))
	return err == nil || base[0] == '.' || base == "testdata" || base == "node_modules"
}

func (c *census) add(name, text string) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, 0)
	if err != nil {
		return err
	}
	c.addLines(name, text)
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			c.addFunction(path.Dir(name), d, set.Position(d.End()).Line-set.Position(d.Pos()).Line+1)
		case *ast.GenDecl:
			c.addTypes(path.Dir(name), d)
		}
	}
	return nil
}

// addLines takes a tab for four columns.
func (c *census) addLines(name, text string) {
	for line := range strings.Lines(text) {
		c.fileLines[name]++
		c.lines[path.Dir(name)]++
		line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
		width, comment := utf8.RuneCountInString(line), strings.HasPrefix(strings.TrimSpace(line), "// ")
		if comment {
			c.words += len(strings.Fields(line)) - 1
			c.accents += len(accent.FindAllString(line, -1))
		}
		switch {
		case comment && width > 100:
			c.wideComments++
		case width > 120:
			c.wide++
		}
	}
}

func (c *census) addFunction(dir string, f *ast.FuncDecl, lines int) {
	name := dir + "." + f.Name.Name
	if f.Recv != nil {
		receiver := dir + "." + typeName(f.Recv.List[0].Type)
		name = receiver + "." + f.Name.Name
		c.methods[receiver]++
	} else if f.Name.Name == "init" {
		c.inits++
	}
	c.functions[name] = max(c.functions[name], lines) // each system may have its own
}

func (c *census) addTypes(dir string, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		spec, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		if s, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range s.Fields.List {
				c.fields[dir+"."+spec.Name.Name] += max(1, len(field.Names))
			}
		}
	}
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}

func sum(counts map[string]int) (all figure) {
	for _, n := range counts {
		all.n += n
	}
	return all
}

func largest(counts map[string]int) figure { return percentile(counts, 100) }

// percentile is the figure that so many of 100 do not exceed.
func percentile(counts map[string]int, percent int) figure {
	all := []figure{{}}
	for of, n := range counts {
		all = append(all, figure{n, of})
	}
	slices.SortFunc(all, func(a, b figure) int { return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.of, b.of)) })
	return all[(len(all)-1)*percent/100]
}
