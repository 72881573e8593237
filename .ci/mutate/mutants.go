package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A mutant is one small change of one file.
type mutant struct {
	id       int // once it is chosen; from 1
	suite    suite
	place    float64 // in the order of trials
	pkg      string  // the name of its package
	file     string  // below the module
	line     int
	function string
	change   string // what is changed, in words
	from, to int    // the bytes that the text replaces
	text     string // does the one or the other, by the switch
}

// key names a mutant wherever its line has moved to.
func (m mutant) key() string { return m.file + " " + m.function + ": " + m.change }

// anywhere names all mutants of the same function.
func (m mutant) anywhere() string { return m.file + " " + m.function + ": *" }

// mutantsOf lists the mutants of all files that this system compiles, in the order of their trials.
// The first few come from all packages: one with four times the mutants of another has twice its
// share.
func mutantsOf(module string, suites []suite, random *rand.Rand) (all []mutant, err error) {
	for _, s := range suites {
		of, err := s.mutants(module)
		if err != nil {
			return nil, err
		}
		random.Shuffle(len(of), func(i, k int) { of[i], of[k] = of[k], of[i] })
		for i := range of {
			of[i].place = (float64(i) + random.Float64()) / math.Sqrt(float64(len(of)))
		}
		all = append(all, of...)
	}
	slices.SortFunc(all, func(a, b mutant) int { return cmp.Compare(a.place, b.place) })
	return all, nil
}

// ofPackages are the mutants of so many packages, those of the first mutants; 0 is all.
func ofPackages(all []mutant, count int) []mutant {
	drawn := map[string]bool{}
	return slices.DeleteFunc(all, func(m mutant) bool {
		if len(drawn) < count {
			drawn[m.suite.dir] = true
		}
		return count > 0 && !drawn[m.suite.dir]
	})
}

func (s suite) mutants(module string) (all []mutant, err error) {
	pkg, err := build.ImportDir(filepath.Join(module, filepath.FromSlash(s.dir)), 0)
	if err != nil {
		return nil, err
	}
	for _, name := range pkg.GoFiles {
		text, err := os.ReadFile(filepath.Join(pkg.Dir, name))
		if err != nil {
			return nil, err
		}
		m := &mutator{suite: s, pkg: pkg.Name, file: path.Join(s.dir, name), text: string(text)}
		if err := m.mutate(); err != nil {
			return nil, err
		}
		all = append(all, m.found...)
	}
	return all, nil
}

// on stands for the switch of a mutant in its text.
const on = "\x00"

// A mutator collects the mutants of a file. Some of them do not compile.
type mutator struct {
	suite      suite
	pkg        string
	file, text string
	set        *token.FileSet
	function   string
	negated    map[ast.Expr]bool // conditions that are negated as a whole
	found      []mutant
}

func (m *mutator) mutate() error {
	m.set, m.negated = token.NewFileSet(), map[ast.Expr]bool{}
	parsed, err := parser.ParseFile(m.set, m.file, m.text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range parsed.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && !slices.Contains(speaking, d.Name.Name) {
			m.function = functionName(d)
			m.leaveAtOnce(d)
			ast.Inspect(d, m.visit)
		}
	}
	return nil
}

// speaking are the functions that hold no decision, only what people read.
var speaking = []string{"Error", "GoString", "LogValue", "String"}

func functionName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	receiver := d.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	return fmt.Sprintf("%s.%s", receiver, d.Name.Name)
}

func (m *mutator) offset(p token.Pos) int { return m.set.Position(p).Offset }

func (m *mutator) source(n ast.Node) string { return m.text[m.offset(n.Pos()):m.offset(n.End())] }

// replace adds the mutant that has other text between two places.
func (m *mutator) replace(from, to token.Pos, text, change string) {
	m.found = append(m.found, mutant{
		suite: m.suite, pkg: m.pkg, file: m.file, line: m.set.Position(from).Line, function: m.function,
		change: strings.Join(strings.Fields(change), " "),
		from:   m.offset(from), to: m.offset(to), text: text,
	})
}

// instead adds the mutant with another truth value.
func (m *mutator) instead(n ast.Node, text string) {
	m.otherwise(n, text, "becomes "+text)
}

// otherwise is instead, with the change in words.
func (m *mutator) otherwise(n ast.Node, text, change string) {
	both := fmt.Sprintf("(%s && (%s) || !%s && (%s))", on, text, on, m.source(n))
	m.replace(n.Pos(), n.End(), both, m.source(n)+" "+change)
}

// number adds the mutant with another number.
func (m *mutator) number(n ast.Node, text string) {
	both := fmt.Sprintf("mutantPick(%s, %s, %s)", on, text, m.source(n))
	m.replace(n.Pos(), n.End(), both, m.source(n)+" becomes "+text)
}

func (m *mutator) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		m.condition(n.Cond)
		if m.passesOn(n) {
			m.found = m.found[:len(m.found)-1] // what it does when there is no error is enough
		}
	case *ast.SwitchStmt:
		if n.Tag == nil {
			m.cases(n.Body)
		}
	case *ast.BlockStmt:
		m.statements(n.List)
	case *ast.CaseClause:
		m.statements(n.Body)
	case *ast.CommClause:
		m.statements(n.Body)
	case *ast.BinaryExpr:
		m.binary(n)
	case *ast.CompositeLit:
		m.fields(n)
	}
	return true
}

// condition negates a condition, and takes it for never true.
func (m *mutator) condition(c ast.Expr) {
	m.negated[c] = true
	m.otherwise(c, "!("+m.source(c)+")", "is negated")
	m.otherwise(c, "false && ("+m.source(c)+")", "is never true")
}

// passesOn reports whether a statement does no more than return an error.
func (m *mutator) passesOn(n *ast.IfStmt) bool {
	if len(n.Body.List) != 1 || m.source(n.Cond) != "err != nil" {
		return false
	}
	returned, ok := n.Body.List[0].(*ast.ReturnStmt)
	return ok && strings.Contains(m.source(returned), "err")
}

func (m *mutator) cases(body *ast.BlockStmt) {
	for _, clause := range body.List {
		for _, c := range clause.(*ast.CaseClause).List {
			m.condition(c)
		}
	}
}

// swapped are the operators that take each other's place.
var swapped = map[token.Token]string{
	token.LAND: "||", token.LOR: "&&", token.EQL: "!=", token.NEQ: "==",
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.ADD: "-", token.SUB: "+",
}

func (m *mutator) binary(n *ast.BinaryExpr) {
	left, right := m.source(n.X), m.source(n.Y)
	change := m.instead
	if n.Op == token.ADD || n.Op == token.SUB {
		change = m.number
	}
	if operator := swapped[n.Op]; operator == "" {
		return
	} else if !m.negated[n] || n.Op != token.EQL && n.Op != token.NEQ {
		change(n, left+" "+operator+" "+right)
	}
	if n.Op == token.LAND || n.Op == token.LOR {
		change(n, left)
		change(n, right)
		return
	}
	if more, ok := oneMore(n.X); ok {
		change(n, more+" "+n.Op.String()+" "+right)
	}
	if more, ok := oneMore(n.Y); ok {
		change(n, left+" "+n.Op.String()+" "+more)
	}
}

// oneMore is a literal number plus one.
func oneMore(n ast.Expr) (string, bool) {
	literal, ok := n.(*ast.BasicLit)
	if !ok || literal.Kind != token.INT {
		return "", false
	}
	number, err := strconv.Atoi(literal.Value)
	return strconv.Itoa(number + 1), err == nil
}

// statements drops calls and assignments.
func (m *mutator) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if text := m.source(s.X); !strings.Contains(text, "Log.") && !strings.HasPrefix(text, "panic(") {
				m.drop(s)
			}
		case *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt:
			m.drop(s)
		case *ast.AssignStmt:
			m.assignment(s)
		}
	}
}

func (m *mutator) drop(n ast.Node) {
	m.replace(n.Pos(), n.End(), "if !"+on+" { "+m.source(n)+" }", "drop "+m.source(n))
}

// assignment drops an assignment, or each part of one to several.
func (m *mutator) assignment(s *ast.AssignStmt) {
	if s.Tok == token.DEFINE {
		return
	}
	m.drop(s)
	if len(s.Lhs) == 1 || len(s.Lhs) != len(s.Rhs) {
		return
	}
	for i := range s.Lhs {
		var left, right []string
		for k := range s.Lhs {
			if k != i {
				left, right = append(left, m.source(s.Lhs[k])), append(right, m.source(s.Rhs[k]))
			}
		}
		part := m.source(s.Lhs[i]) + " = " + m.source(s.Rhs[i])
		others := strings.Join(left, ", ") + " = " + strings.Join(right, ", ")
		m.replace(s.Pos(), s.End(), "if "+on+" { "+others+" } else { "+m.source(s)+" }", "drop "+part)
	}
}

// words are the fields that hold no decision, only what people read.
var words = []string{"Cause", "Detail", "Text", "Remedy", "op"}

// fields drops the fields of a struct.
func (m *mutator) fields(n *ast.CompositeLit) {
	for _, e := range n.Elts {
		field, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if name, ok := field.Key.(*ast.Ident); ok && !slices.Contains(words, name.Name) {
			value := field.Value
			m.replace(value.Pos(), value.End(), "mutantDrop("+on+", "+m.source(value)+")", "drop field "+m.source(field))
		}
	}
}

// leaveAtOnce returns from a function before it does anything.
func (m *mutator) leaveAtOnce(d *ast.FuncDecl) {
	for _, result := range nothing(d.Type.Results) {
		leave := strings.TrimSpace("return " + result)
		m.replace(d.Body.Lbrace+1, d.Body.Lbrace+1, " if "+on+" { "+leave+" };", leave+" at once")
	}
}

// nothing are the ways to leave a function with nothing done, if it is known how.
func nothing(results *ast.FieldList) []string {
	switch {
	case results == nil, len(results.List[0].Names) > 0:
		return []string{""}
	case len(results.List) > 1:
		return nil
	}
	switch t := results.List[0].Type.(type) {
	case *ast.StarExpr, *ast.MapType, *ast.ArrayType:
		return []string{"nil"}
	case *ast.Ident:
		return map[string][]string{"error": {"nil"}, "bool": {"true", "false"}}[t.Name]
	}
	return nil
}
